#!/bin/sh
# One wake end to end: an order service, the daemon with a virtual printer, signed wakes by curl, and the paper.
# `make run` builds first and then calls this.
set -eu
cd "$(dirname "$0")/.."
project=$(pwd)
folder=$project/.build/first-light
bin=$(swift build --configuration release --static-swift-stdlib --show-bin-path)

# The socket's path must fit in 107 bytes, whatever the project's folder is called.
if [ "${#folder}" -gt 80 ]; then
  folder=$(mktemp -d /tmp/printd-first-light.XXXXXX)
fi
rm -rf "$folder"
mkdir -p "$folder"

shop=""
daemon=""
stop() {
  [ -z "$daemon" ] || kill -TERM "$daemon" 2>/dev/null || true
  [ -z "$daemon" ] || wait "$daemon" 2>/dev/null || true
  [ -z "$shop" ] || kill -TERM "$shop" 2>/dev/null || true
  [ -z "$shop" ] || wait "$shop" 2>/dev/null || true
}
trap stop EXIT
trap 'exit 130' INT TERM HUP PIPE

# Waits until a command succeeds, ten seconds at most.
until_true() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 200 ]; then
      echo "make run: waited in vain for: $*" >&2
      cat "$folder/printd.log" >&2 || true
      exit 1
    fi
    sleep 0.05
  done
}

# What happened when, in milliseconds after the wake was accepted, out of the answer to a wake.
timeline() {
  sed 's/.*"timeline":{\([^}]*\)}}.*/\1/' "$1" | tr ',' '\n' | tr -d '"' | awk -F: '
    { at[$1] = $2 }
    END {
      n = split("received fetched connected first_byte fence reported completed", steps, " ")
      for (i = 1; i <= n; i++) if (steps[i] in at) printf "  %-11s%8.1f ms\n", steps[i], at[steps[i]]
    }'
}

# Whether there is a sheet for every wake.
paper_is_drawn() {
  test "$(ls "$folder/paper" | grep -c '\.png$')" -ge "$(ls Fixtures/samples | grep -c '^wake-')"
}

# 1. The shop's backend, a process of its own.
mkdir "$folder/orders"
"$bin/sample-shop" --listen 127.0.0.1:0 --orders "$folder/orders" --reports "$folder/reports.jsonl" \
  --port-file "$folder/shop.port" >"$folder/shop.log" 2>&1 &
shop=$!
until_true test -s "$folder/shop.port"

# 2. The daemon.
key=$(head -c 24 /dev/urandom | base64)
(umask 077 && printf 'whsec_%s\n' "$key" >"$folder/webhook.secret")
sed "s|@FOLDER@|$folder|g; s|@PROJECT@|$project|g; s|@SHOP_PORT@|$(cat "$folder/shop.port")|g" \
  Examples/first-light.json5 >"$folder/printd.json5"
"$bin/printd" run --config "$folder/printd.json5" >"$folder/printd.log" 2>&1 &
daemon=$!
until_true grep -q 'asked for pending orders' "$folder/printd.log"
address=$(sed -n 's/.*webhook listening.*address=\([0-9.:]*\).*/\1/p' "$folder/printd.log" | head -n 1)

# 3. The wakes, signed by the Standard Webhooks scheme. Each call returns when the wake's completion is called.
hex=$(printf %s "$key" | base64 -d | od -An -v -tx1 | tr -d ' \n')
for wake in Fixtures/samples/wake-*.json; do
  # The customer pays: from now on the shop has the order.
  order=$(basename "$wake" .json)
  order=${order#wake-}
  cp "Fixtures/samples/$order.json" "$folder/orders/.$order.new"
  mv "$folder/orders/.$order.new" "$folder/orders/$order.json"
  id=msg_$(head -c 9 /dev/urandom | od -An -v -tx1 | tr -d ' \n')
  now=$(date +%s)
  signature=$( (printf '%s.%s.' "$id" "$now" && cat "$wake") |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hex" -binary | base64)
  echo "POST http://$address/v1/wakes  $(basename "$wake")"
  curl --silent --show-error --fail-with-body --max-time 15 --output "$folder/answer.json" \
    -H 'content-type: application/json' -H "webhook-id: $id" -H "webhook-timestamp: $now" \
    -H "webhook-signature: v1,$signature" --data-binary "@$wake" "http://$address/v1/wakes"
  sed 's/.*"outcome":"\([^"]*\)","result":"\([^"]*\)".*/  completion: \2, \1/' "$folder/answer.json"
  timeline "$folder/answer.json"
done

# 4. What came of it. The virtual printer draws its paper in its own time.
until_true paper_is_drawn
echo
for sheet in "$folder"/paper/*.png; do
  "$bin/printd" preview "$sheet"
  echo
done
"$bin/printd" jobs --all --config "$folder/printd.json5"
echo
echo "The paper:    $(ls "$folder"/paper/*.png | tr '\n' ' ')"
echo "The reports:  $folder/reports.jsonl ($(wc -l <"$folder/reports.jsonl" | tr -d ' ') acknowledged by the shop)"
echo "The log:      $folder/printd.log"
