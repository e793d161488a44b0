#!/bin/sh
# Compares the daemon with a bare libmicrohttpd program that does the same I/O. Both run by turns on one machine, with the same
# number of HTTP threads, the same group commit at the same synchronous level, and answers and rows of the same size. Prints
# rates, p99, CPU per request and ratios. Do not compare figures of different runs. Loopback only, bounded in time. Fails if an
# answer is not 2xx, because rejections are fast and would improve the figures. The limits in the output are the requirements.
# usage: bench.sh PROGRAM BARE_SERVER [SECONDS] [ROUNDS]
set -eu
program=$1 bare=$2 seconds=${3:-3} rounds=${4:-3}
command -v wrk >/dev/null || { echo "bench.sh: install wrk" >&2; exit 69; }
work=$(mktemp -d)
ours=
theirs=
finish() {
	[ -z "$ours" ] || kill "$ours" 2>/dev/null || true
	[ -z "$theirs" ] || kill "$theirs" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
fail() {
	echo "bench.sh: $*" >&2
	exit 1
}
port=18180 bare_port=18181
here=$(dirname "$0")/../tests/bench

# --- start and idle ----------------------------------------------------------------------------------------
# Two threads for HTTP, as in the bare program, and two more for plans.
start_ours() {
	"$program" serve --listen 127.0.0.1:$port --database "$work/ours.db" --threads 2 --workers 2 --log-file /dev/null &
	ours=$!
	until curl -sf -o /dev/null "http://127.0.0.1:$port/readyz"; do
		kill -0 $ours || fail "the daemon does not start"
		sleep 0.002
	done
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }
resident_kb() { awk '/VmRSS/ {print $2}' "/proc/$1/status"; }
began=$(now_ms)
start_ours
echo "start to ready, first start (catalogue loaded): $(($(now_ms) - began)) ms"
kill $ours
wait $ours || true
began=$(now_ms)
start_ours
echo "start to ready, again: $(($(now_ms) - began)) ms (limit 100)"
sleep 1
echo "resident memory, idle: $(resident_kb $ours) kB (limit 20000)"

# --- the requests and the sizes of the answers -------------------------------------------------------------
/usr/bin/python3 "$here/request.py" >"$work/request.json"
post() {
	curl -s -o "$work/$2.json" -w '%{http_code}' -H 'Content-Type: application/json' --data-binary @"$work/request.json" \
		"http://127.0.0.1:$port$1" >"$work/code"
	grep -q '^2' "$work/code" || fail "$1 answered $(cat "$work/code"): $(head -c 600 "$work/$2.json")"
}
post /v1/plans/training plan
post /v1/estimates/training estimate
id=$(sed -n 's/^{"id":"\([^"]*\)".*/\1/p' "$work/plan.json")
plan_bytes=$(wc -c <"$work/plan.json") estimate_bytes=$(wc -c <"$work/estimate.json")
# Only the texts. The row's numbers and its two indexes need more.
stored_bytes=$(/usr/bin/python3 -c 'import sqlite3, sys
print(*sqlite3.connect(sys.argv[1]).execute("SELECT sum(length(name) + length(notes) + length(asked) + length(request) + length(result)) FROM plan").fetchone())' \
	"$work/ours.db")
echo "request $(wc -c <"$work/request.json") bytes; answers: plan $plan_bytes, estimate $estimate_bytes; stored $stored_bytes"
"$bare" $bare_port "$work/bare.db" "$plan_bytes" "$estimate_bytes" "$stored_bytes" &
theirs=$!
until curl -sf -o /dev/null -d x "http://127.0.0.1:$bare_port/insert"; do
	kill -0 $theirs || fail "the bare program does not start"
	sleep 0.01
done

# --- rounds ------------------------------------------------------------------------------------------------
cat >"$work/get.lua" <<'LUA'
done = function(summary, latency)
	local e = summary.errors
	io.write(string.format("RESULT %d %d %d %.3f\n", summary.requests, summary.duration,
		e.connect + e.status + e.read + e.write + e.timeout, latency:percentile(99) / 1000))
end
LUA
cat - "$work/get.lua" >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()
LUA
ticks=$(getconf CLK_TCK)
cpu_s() { sed 's/.*) //' "/proc/$1/stat" | awk -v ticks="$ticks" '{print ($12 + $13) / ticks}'; }
# one NAME PID SCRIPT URL CLIENTS: appends "rate p99_ms cpu_us" to $work/NAME.CLIENTS
one() {
	before=$(cpu_s "$2")
	BODY="$work/request.json" wrk -t1 -c"$5" -d"${seconds}s" -s "$work/$3.lua" "$4" >"$work/out" || fail "wrk: $(cat "$work/out")"
	after=$(cpu_s "$2")
	awk -v c="$after" -v b="$before" '/^RESULT/ && $2 > 0 && $4 == 0 {print $2 / $3 * 1e6, $5, (c - b) * 1e6 / $2; good = 1}
		END {exit !good}' "$work/out" >>"$work/$1.$5" || fail "$1: errors or answers that are not 2xx: $(cat "$work/out")"
}
round() {
	one ours.post $ours post "http://127.0.0.1:$port/v1/plans/training" "$1"
	one bare.post $theirs post "http://127.0.0.1:$bare_port/insert" "$1"
	one ours.estimate $ours post "http://127.0.0.1:$port/v1/estimates/training" "$1"
	one bare.estimate $theirs post "http://127.0.0.1:$bare_port/echo" "$1"
	one ours.get $ours get "http://127.0.0.1:$port/v1/plans/$id" "$1"
	one bare.get $theirs get "http://127.0.0.1:$bare_port/row" "$1"
}
for _ in $(seq "$rounds"); do
	round 32
done
round 128

# --- medians of the rounds ---------------------------------------------------------------------------------
median() { sort -n -k"$2" "$work/$1" | awk -v k="$2" '{v[NR] = $k} END {print v[int((NR + 1) / 2)]}'; }
printf '%-34s %8s %8s %7s %8s %9s %11s %12s\n' '' 'ours /s' 'bare /s' 'ratio' 'p99 ms' 'bare p99' 'CPU us/req' 'bare CPU us'
for clients in 32 128; do
	for what in post estimate get; do
		case $what in post) name='durable plan POST' ;; estimate) name='stateless estimate' ;; get) name='GET of a plan' ;; esac
		o=ours.$what.$clients b=bare.$what.$clients
		awk -v n="$name, $clients clients" -v o="$(median $o 1)" -v b="$(median $b 1)" -v p="$(median $o 2)" -v q="$(median $b 2)" \
			-v c="$(median $o 3)" -v d="$(median $b 3)" \
			'BEGIN {printf "%-34s %8.0f %8.0f %6.0f%% %8.2f %9.2f %11.1f %12.1f\n", n, o, b, 100 * o / b, p, q, c, d}'
	done
done
echo "resident memory after load: $(resident_kb $ours) kB"
