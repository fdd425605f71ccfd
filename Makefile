# Every command of this project. `make help` lists them.
SWIFT ?= swift
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= /usr/lib/systemd/system
SYSUSERSDIR ?= /usr/lib/sysusers.d
TMPFILESDIR ?= /usr/lib/tmpfiles.d
DESTDIR ?=
VENV = .build/venv
RELEASE = --configuration release --static-swift-stdlib
# Where a process may crash on purpose, the backtracer must not hold its pipes open.
export SWIFT_BACKTRACE = enable=no

.PHONY: help run test amounts rig-test rig-bench lint format build bench install uninstall clean deps test-deps race asan fixtures

help:
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

run: build ## build, then one wake end to end on the virtual printer, with a receipt to look at
	@scripts/first-light.sh

test: test-deps lint ## build and run all tests
	$(SWIFT) build --build-tests
	@# One target after the other: what is timed by a real clock must not starve beside what only computes.
	@for tests in Tests/*Tests; do \
	  echo "== $$(basename $$tests)"; \
	  case $$tests in \
	  */printdTests) SWIFT="$(SWIFT)" scripts/daemon-tests.sh ;; \
	  *) $(SWIFT) test --skip-build --filter "^$$(basename $$tests)\." ;; \
	  esac || exit 1; \
	done
	$(MAKE) --no-print-directory race asan

amounts: test-deps ## say every amount to 9,999.99 in every language, and hear it back; takes minutes (`make test` takes every 13th)
	EVERY_AMOUNT=1 $(SWIFT) test --filter '^SpokenAmountsTests\.RoundTripTests'

rig-test: test-deps ## Bluetooth end to end: the real stack and virtual printers, in a guest of its own (Tests/Rig)
	@for program in printd sample-shop virtual-printer; do $(SWIFT) build --product $$program || exit 1; done
	$(SWIFT) build --build-tests
	Tests/Rig/test "$$($(SWIFT) build --show-bin-path)"

rig-bench: build ## measure Bluetooth in the rig, beside bleak
	$(SWIFT) build $(RELEASE) --product printd-bench
	$(SWIFT) build $(RELEASE) --product virtual-printer
	Tests/Rig/setup
	@$$($(SWIFT) build $(RELEASE) --show-bin-path)/printd-bench rig

race: ## the races of completion, D-Bus and the links under ThreadSanitizer
	@for race in CompletionRace DBusRace LinkRace; do \
	  $(SWIFT) build --sanitize=thread --scratch-path .build/tsan --product $$race && .build/tsan/debug/$$race || exit 1; \
	done

asan: ## the races of D-Bus and the links under AddressSanitizer, which also finds what is leaked
	@for race in DBusRace LinkRace; do \
	  $(SWIFT) build --sanitize=address --scratch-path .build/asan --product $$race && .build/asan/debug/$$race || exit 1; \
	done

lint: ## formatting, floor plan, shell scripts
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Package.swift
	@scripts/check-floors.sh
	@for script in scripts/*.sh .ci/run; do sh -n $$script || exit 1; done
	@for script in Tests/Rig/run Tests/Rig/setup Tests/Rig/test Tests/Rig/guest-init Tests/Rig/bluetoothd; do bash -n $$script || exit 1; done

format: ## format the sources in place
	$(SWIFT) format --in-place --parallel --recursive Sources Tests Package.swift

build: deps ## release build of printd and the sample shop
	$(SWIFT) build $(RELEASE) --product printd
	$(SWIFT) build $(RELEASE) --product sample-shop

bench: test-deps build ## measure, as a table and as .build/bench.json
	$(SWIFT) build $(RELEASE) --product printd-bench
	$(SWIFT) build $(RELEASE) --product virtual-printer
	@$$($(SWIFT) build $(RELEASE) --show-bin-path)/printd-bench

fixtures: test-deps ## rewrite the golden fixtures; the tests fail once, so that nobody does it unseen
	RECORD_FIXTURES=1 $(SWIFT) test || true
	git status --short Fixtures

install: build ## install to PREFIX (default /usr/local), with unit files and a sample configuration
	install -D -m 0755 "$$($(SWIFT) build $(RELEASE) --show-bin-path)/printd" "$(DESTDIR)$(PREFIX)/bin/printd"
	strip "$(DESTDIR)$(PREFIX)/bin/printd"
	install -d -m 0755 "$(DESTDIR)$(UNITDIR)" "$(DESTDIR)$(SYSCONFDIR)/printd/printers.d" "$(DESTDIR)$(PREFIX)/share/doc/printd"
	sed 's|@PREFIX@|$(PREFIX)|g; s|@SYSCONFDIR@|$(SYSCONFDIR)|g' packaging/printd.service > "$(DESTDIR)$(UNITDIR)/printd.service"
	chmod 0644 "$(DESTDIR)$(UNITDIR)/printd.service"
	install -m 0644 packaging/printd.socket "$(DESTDIR)$(UNITDIR)/printd.socket"
	install -D -m 0644 packaging/printd.sysusers "$(DESTDIR)$(SYSUSERSDIR)/printd.conf"
	install -D -m 0644 packaging/printd.tmpfiles "$(DESTDIR)$(TMPFILESDIR)/printd.conf"
	test -e "$(DESTDIR)$(SYSCONFDIR)/printd/printd.json5" || install -m 0644 packaging/printd.json5 "$(DESTDIR)$(SYSCONFDIR)/printd/printd.json5"
	cp -R Docs/. Examples "$(DESTDIR)$(PREFIX)/share/doc/printd/"
	@test -n "$(DESTDIR)" || scripts/after-install.sh
	@echo "Installed. Edit $(SYSCONFDIR)/printd/printd.json5, then: systemctl enable --now printd"

uninstall: ## remove what install put there; configuration, journal and user stay
	rm -f "$(DESTDIR)$(PREFIX)/bin/printd" "$(DESTDIR)$(UNITDIR)/printd.service" "$(DESTDIR)$(UNITDIR)/printd.socket"
	rm -f "$(DESTDIR)$(SYSUSERSDIR)/printd.conf" "$(DESTDIR)$(TMPFILESDIR)/printd.conf"
	rm -rf "$(DESTDIR)$(PREFIX)/share/doc/printd"

deps:
	@scripts/install-packages.sh build

test-deps:
	@scripts/install-packages.sh build test
	@scripts/install-venv.sh $(VENV)

clean: ## remove everything that was built
	rm -rf .build
