#!/bin/sh
# Makes the Python environment with the peers that the tests and benchmarks drive: install-venv.sh FOLDER
set -eu
venv=$1
requirements="$(dirname "$0")/python-requirements.txt"
stamp="$venv/.installed"
if [ -f "$stamp" ] && cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c 'import escpos' 2>/dev/null; then
  exit 0
fi
python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$stamp"
