#!/bin/sh
# Installs the program with what belongs to it, or removes it (--remove). `make install` calls it, with PROGRAM, PREFIX, DESTDIR and
# UNITDIR in the environment.
set -eu
cd "$(dirname "$0")/.."
root=${DESTDIR:-}$PREFIX
units=${DESTDIR:-}$UNITDIR
pages='fleetplan serve agent bench'
page_file() {
	[ "$1" = fleetplan ] && echo "$root/share/man/man1/fleetplan.1" || echo "$root/share/man/man1/fleetplan-$1.1"
}

if [ "${1:-}" = --remove ]; then
	for page in $pages; do rm -f "$(page_file "$page")"; done
	rm -f "$root/bin/fleetplan" "$root/share/bash-completion/completions/fleetplan" "$root/share/zsh/site-functions/_fleetplan" "$units/fleetplan.service"
	rm -rf "$root/share/fleetplan"
	exit 0
fi

case $PROGRAM in /*) ;; *) PROGRAM=./$PROGRAM ;; esac
# write FILE COMMAND...: a file only if the command succeeds
write() {
	file=$1
	shift
	mkdir -p "$(dirname "$file")"
	"$@" >"$file.new" || { rm -f "$file.new"; echo "install: $* failed" >&2; exit 1; }
	chmod 644 "$file.new"
	mv "$file.new" "$file"
}
install -D -m 755 "$PROGRAM" "$root/bin/fleetplan"
for page in $pages; do write "$(page_file "$page")" "$PROGRAM" manual "$page"; done
write "$root/share/bash-completion/completions/fleetplan" "$PROGRAM" completion bash
write "$root/share/zsh/site-functions/_fleetplan" "$PROGRAM" completion zsh
write "$units/fleetplan.service" sed "s|/usr/local/bin/fleetplan|$PREFIX/bin/fleetplan|" deploy/fleetplan.service
install -D -m 644 -t "$root/share/fleetplan" deploy/prometheus-alerts.yml deploy/grafana-dashboard.json deploy/seccomp.json
