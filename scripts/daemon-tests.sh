#!/bin/sh
# Runs the tests of the daemon, which have been built. Each has processes of its own, so they go one after the other; in two lines
# beside each other, since most of the time they wait.
set -eu
tests=$(${SWIFT:-swift} build --show-bin-path)/printdPackageTests.xctest
run() { "$tests" --testing-library swift-testing --no-parallel --filter "^printdTests\.$1"; }
said=$(mktemp)
run '[N-Z]' >"$said" 2>&1 &
other=$!
trap 'kill $other 2>/dev/null || true; rm -f "$said"' EXIT
trap 'exit 130' INT TERM
status=0
run '[A-M]' || status=1
wait $other || status=1
cat "$said"
exit $status
