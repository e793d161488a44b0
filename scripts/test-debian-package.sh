#!/bin/sh
# Builds the Debian package, installs it with apt in a new Debian 12 root made by mmdebstrap, uses it there, and removes it. With lintian as
# argument, lintian reads the package in that root. Needs root and network. usage: test-debian-package.sh [lintian]
set -eu
cd "$(dirname "$0")/.."
scripts/packages.sh container
package=$(make -s debian-package | tail -n 1)
root=$(mktemp -d)
finish() {
	umount "$root/proc" 2>/dev/null || true
	mountpoint -q "$root/proc" || rm -rf --one-file-system "$root"
}
trap finish EXIT
mmdebstrap --quiet --variant=minbase --include="ca-certificates,bash,man-db${1:+,lintian}" bookworm "$root"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$package" "$root/fleetplan.deb"
inside() {
	chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
inside apt-get update -qq
inside apt-get install -y -qq -o Dpkg::Use-Pty=0 /fleetplan.deb >/dev/null
inside fleetplan version
inside sh -ec '
	man --warnings fleetplan-serve >/dev/null
	bash -c ". /usr/share/bash-completion/completions/fleetplan"
	dpkg --verify fleetplan
	echo "{\"model\": \"llama-3.1-8b\", \"tokens\": \"1B\", \"accelerator\": \"h100\", \"gpu_count\": 8}" | fleetplan plan training - --json | grep -q "\"gpu_count\""
	cd /tmp && fleetplan serve --listen 127.0.0.1:18090 --detach --log-file /tmp/log && fleetplan healthcheck --listen 127.0.0.1:18090
	kill "$(sed -n "s/.*\"event\":\"ready\".*\"pid\":\([0-9]*\).*/\1/p" /tmp/log)"'
# Suppressed: rules for an upload to Debian, the missing address of a maintainer, and systemctl without the helpers of debhelper.
[ -z "${1:-}" ] || inside lintian --allow-root --fail-on error,warning \
	--suppress-tags initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog,maintainer-script-calls-systemctl /fleetplan.deb
inside apt-get remove -y -qq -o Dpkg::Use-Pty=0 fleetplan >/dev/null
left=$(inside find /usr /lib/systemd /etc -name '*fleetplan*')
[ -z "$left" ] || { echo "left after the removal: $left" >&2; exit 1; }
echo "$package: installs on Debian 12, plans, serves, and leaves nothing"
