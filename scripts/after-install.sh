#!/bin/sh
# After `make install` on this machine: the daemon's user and folders, and systemd reads the units.
set -eu
if command -v systemd-sysusers >/dev/null 2>&1; then
  systemd-sysusers printd.conf
else
  # As in packaging/printd.sysusers.
  groups=lp,dialout,bluetooth,audio
  getent group bluetooth >/dev/null || groupadd --system bluetooth
  if getent passwd printd >/dev/null; then
    usermod --append --groups "$groups" printd
  else
    useradd --system --home-dir /var/lib/printd --shell /usr/sbin/nologin --groups "$groups" printd
  fi
fi
if command -v systemd-tmpfiles >/dev/null 2>&1; then
  systemd-tmpfiles --create printd.conf
else
  install -d -o printd -g printd -m 0750 /var/lib/printd
  install -d -o printd -g printd -m 2770 /var/lib/printd/orders
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
