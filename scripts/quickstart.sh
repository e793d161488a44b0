#!/bin/sh
# For a fresh Debian 12: installs the packages for a build, builds, starts the daemon on 127.0.0.1:8080 with an embedded database,
# and prints two requests as commands, with their answers.
# usage: quickstart.sh [--detach]     runs the daemon in the foreground (Ctrl-C ends it), or with --detach in the background
# environment: FLEETPLAN_LISTEN (127.0.0.1:8080), FLEETPLAN_DATABASE (fleetplan.db)
set -eu
cd "$(dirname "$0")/.."
listen=${FLEETPLAN_LISTEN:-127.0.0.1:8080}
database=${FLEETPLAN_DATABASE:-fleetplan.db}
detach=
[ "${1:-}" = --detach ] && detach=yes

scripts/packages.sh build
make -j"$(nproc)"
if [ -n "$detach" ]; then
	build/fleetplan serve --listen "$listen" --database "$database" --detach
else
	build/fleetplan serve --listen "$listen" --database "$database" &
	daemon=$!
	trap 'kill "$daemon" 2>/dev/null; wait "$daemon"' INT TERM
	for _ in $(seq 50); do
		curl -sf "http://$listen/readyz" >/dev/null && break
		kill -0 "$daemon" 2>/dev/null || { wait "$daemon"; exit 1; }
		sleep 0.1
	done
fi
scripts/first-answers.sh "http://$listen"
[ -n "$detach" ] || wait "$daemon"
