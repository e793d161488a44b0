#!/bin/sh
# Writes a Debian package of the program into a folder. Needs dpkg-dev and binutils. DEBFULLNAME and DEBEMAIL name the maintainer.
# usage: debian-package.sh PROGRAM FOLDER
set -eu
cd "$(dirname "$0")/.."
program=$1 folder=$2
for tool in dpkg-shlibdeps dpkg-deb strip; do
	command -v "$tool" >/dev/null || { echo "debian-package: $tool is missing; install dpkg-dev and binutils" >&2; exit 1; }
done
version=$(cat VERSION)-1
maintainer="${DEBFULLNAME:-The Fleetplan authors} <${DEBEMAIL:-fleetplan@localhost}>"
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
doc=$root/usr/share/doc/fleetplan
mkdir -p "$doc" "$root/DEBIAN" "$work/debian" "$root/usr/share/zsh/vendor-completions"
umask 022

PROGRAM=$program PREFIX=/usr DESTDIR=$root UNITDIR=/lib/systemd/system scripts/install.sh
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/fleetplan"
mv "$root/usr/share/zsh/site-functions/_fleetplan" "$root/usr/share/zsh/vendor-completions/_fleetplan"
rmdir "$root/usr/share/zsh/site-functions"
find "$root/usr/share/man" -type f -exec gzip -9n {} +

cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2026 The Fleetplan authors
License: Apache-2.0
 On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0.
Comment:
 The embedded data of the catalogue keep the licences of their sources.
END
cat hwdb/data/SOURCES.md >"$doc/SOURCES.md"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
printf 'fleetplan (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
	"$version" "$maintainer" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')" | gzip -9nc >"$doc/changelog.Debian.gz"

# The libraries and their oldest versions, from the symbols that the program uses.
printf 'Source: fleetplan\n\nPackage: fleetplan\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/fleetplan" 2>"$work/shlibdeps") || { cat "$work/shlibdeps" >&2; exit 1; }
cat >"$root/DEBIAN/control" <<END
Package: fleetplan
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: ${depends#shlibs:Depends=}
Recommends: ca-certificates
Suggests: libopenblas0-pthread, ocl-icd-libopencl1
Section: science
Priority: optional
Description: planner of accelerators, time, cost, energy and carbon of AI models
 Fleetplan is a daemon with a REST API. It answers what hardware a training or a
 service of a model needs, for how long, and at what cost in money, energy and
 carbon. Benchmarks of the attached accelerators correct its predictions.
END
# The daemon is not enabled: the administrator decides on which machine it runs. An upgrade restarts a running daemon.
cat >"$root/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	[ -z "$2" ] || systemctl try-restart fleetplan.service
fi
END
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl --no-reload disable --now fleetplan.service
fi
END
# The database in /var/lib/fleetplan is not removed, also by a purge.
cat >"$root/DEBIAN/postrm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
END
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod -R go-w "$root"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
file=$folder/fleetplan_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
echo "$file"
