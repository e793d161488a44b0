# Sourced. Makes a working folder ($work) for a daemon with a new database. Both end with the script, however it ends.
work=$(mktemp -d)
daemon=
finish() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# daemon_start PROGRAM PORT OPTIONS...: starts the daemon and returns when it is ready
daemon_start() {
	program_started=$1 port_started=$2
	shift 2
	"$program_started" serve --listen "127.0.0.1:$port_started" --database "$work/fleetplan.db" "$@" &
	daemon=$!
	until curl -sf -o /dev/null "http://127.0.0.1:$port_started/readyz"; do
		kill -0 $daemon || exit 1
		sleep 0.02
	done
}
