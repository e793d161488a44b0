#!/bin/sh
# Runs scripts/test.sh in a clean clone inside a fresh Debian 12 root made by mmdebstrap. This proves that the scripts install
# all packages that they need. Needs root. usage: test-clean-root.sh [COMMAND...]     (default: scripts/test.sh)
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- scripts/test.sh
scripts/packages.sh container
root=$(mktemp -d)
finish() {
	umount "$root/proc" "$root/dev" 2>/dev/null || true
	mountpoint -q "$root/proc" || mountpoint -q "$root/dev" || rm -rf --one-file-system "$root"
}
trap finish EXIT
mmdebstrap --quiet --variant=minbase --include=git,ca-certificates bookworm "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
git clone -q . "$root/fleetplan"
began=$(date +%s)
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CI=true \
	sh -c 'cd /fleetplan && exec "$@"' sh "$@" && code=0 || code=$?
umount -l "$root/dev" "$root/proc"
echo "clean root: exit $code after $(($(date +%s) - began)) s"
exit "$code"
