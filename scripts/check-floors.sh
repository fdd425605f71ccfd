#!/bin/sh
# Refuses an import that the floor plan does not have. The plan below is the one of ARCHITECTURE.md:
# a target, and everything of ours and of the system that its files may import.
set -eu
cd "$(dirname "$0")/.."

plan() {
  case "$1" in
    Threads) echo "Glibc Dispatch" ;;
    ESCPOS) echo "Glibc Synchronization" ;;
    PrintJobs) echo "ESCPOS Glibc" ;;
    Documents) echo "ESCPOS FoundationEssentials" ;;
    TextRaster) echo "ESCPOS CPango CZint Glibc Synchronization" ;;
    PrinterLinks) echo "ESCPOS Threads Glibc" ;;
    Curl) echo "ESCPOS Threads CCurl Glibc Synchronization" ;;
    WakeChannels) echo "Threads CMicroHTTPD CCrypto FoundationEssentials Glibc Synchronization" ;;
    VirtualPrinter) echo "ESCPOS Threads TextRaster Glibc Synchronization" ;;
    PrintJournal) echo "Threads PrintJobs CSQLite Glibc Synchronization" ;;
    OrderService) echo "ESCPOS Threads PrintJobs Curl FoundationEssentials Glibc Synchronization" ;;
    WakeHandler) echo "ESCPOS Threads PrintJobs Documents FoundationEssentials Glibc Synchronization" ;;
    DBus) echo "ESCPOS Threads CDBus CEvents Glibc" ;;
    BLETransport) echo "ESCPOS Threads DBus PrinterLinks CBluetooth Glibc Synchronization" ;;
    SpokenAmounts) echo "PrintJobs Glibc" ;;
    Sound) echo "ESCPOS Threads CPulse CALSA CSndFile CSonic FoundationEssentials Glibc Synchronization" ;;
    Announcer)
      echo "ESCPOS Threads PrintJobs Documents SpokenAmounts Sound Curl CCrypto CSpawn FoundationEssentials Glibc" \
        "Synchronization"
      ;;
    SampleShop) echo "Threads WakeChannels FoundationEssentials Glibc Synchronization Dispatch" ;;
    printd)
      echo "ESCPOS Threads PrintJobs Documents TextRaster PrinterLinks Curl WakeChannels VirtualPrinter PrintJournal" \
        "OrderService WakeHandler DBus BLETransport SpokenAmounts Sound Announcer CSystemd FoundationEssentials Glibc Dispatch Synchronization" ;;
    *) echo "" ;;
  esac
}

bad=0
for folder in Sources/*/; do
  target=$(basename "$folder")
  case "$target" in C[A-Z]*) continue ;; esac
  allowed=$(plan "$target")
  if [ -z "$allowed" ]; then
    echo "scripts/check-floors.sh: target $target is not in the plan" >&2
    bad=1
    continue
  fi
  # "file:line:module" of every import, whatever its access level or attributes.
  imports=$(grep -rnE --include='*.swift' \
    '^[[:space:]]*(@[A-Za-z_]+(\([^)]*\))?[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]' \
    "$folder" | sed -E 's/^([^:]+:[0-9]+):.*import[[:space:]]+((class|struct|enum|protocol|func|var|let|typealias)[[:space:]]+)?([A-Za-z_]+).*/\1 \4/') || true
  while read -r place module; do
    [ -n "${module:-}" ] || continue
    case " $allowed " in
      *" $module "*) ;;
      *)
        echo "$place: $target may not import $module (floor plan: $allowed)" >&2
        bad=1
        ;;
    esac
  done <<EOF
$imports
EOF
  # Each C module is wrapped by one Swift file of the target.
  for c in $(echo "$imports" | awk '$2 ~ /^C[A-Z]/ {print $2}' | sort -u); do
    count=$(echo "$imports" | awk -v c="$c" '$2 == c {sub(/:[0-9]+$/, "", $1); print $1}' | sort -u | wc -l)
    if [ "$count" -gt 1 ]; then
      echo "$target: $c is imported by $count files; one file wraps a C module" >&2
      bad=1
    fi
  done
done
[ "$bad" = 0 ] && echo "floors: ok"
exit "$bad"
