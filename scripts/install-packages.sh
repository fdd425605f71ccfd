#!/bin/sh
# Installs what scripts/packages.txt lists for the given uses and is not there yet: install-packages.sh build test
# Nothing is asked of the network, and no root is needed, when all is there.
set -eu
cd "$(dirname "$0")"

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not a Debian system. Install the equivalents of these packages by hand, then go on:" >&2
  grep -v '^#' packages.txt >&2
  exit 0
fi

missing=""
for use in "$@"; do
  for package in $(awk -v use="$use" '$1 !~ /^#/ && $2 == use {print $1}' packages.txt); do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "These packages are missing and there is no sudo; as root, run:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 69
  fi
  sudo="sudo"
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # words on purpose
$sudo apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 || {
  $sudo apt-get update -q
  # shellcheck disable=SC2086
  $sudo apt-get install -y --no-install-recommends $missing
}
