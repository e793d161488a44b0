#!/bin/sh
# The daemon against bare libmicrohttpd programs that do the same I/O, interleaved in one run on one machine; prints
# rates, p99, CPU per request and ratios. Figures of different runs do not compare. Loopback only, bounded in time.
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
port=18180 bare_port=18181
here=$(dirname "$0")/../tests/bench
/usr/bin/python3 "$here/request.py" >"$work/request.json"
cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()
done = function(summary, latency)
	local errors = summary.errors
	io.write(string.format("RESULT %d %d %.3f %.3f\n", summary.requests, errors.status + errors.read + errors.write + errors.timeout,
		latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
LUA
sed 's/^wrk.method.*/wrk.method = "GET"/; /^wrk.headers/d; /^local file/d; /^wrk.body/d; /^file:close/d' "$work/post.lua" >"$work/get.lua"

began=$(date +%s%N)
"$program" serve --listen 127.0.0.1:$port --database "$work/ours.db" --log-file /dev/null &
ours=$!
until curl -sf "http://127.0.0.1:$port/readyz" >/dev/null; do
	kill -0 $ours || exit 1
	sleep 0.002
done
echo "start to ready, first start (catalogue loaded): $((($(date +%s%N) - began) / 1000000)) ms"
kill $ours
wait $ours || true
began=$(date +%s%N)
"$program" serve --listen 127.0.0.1:$port --database "$work/ours.db" --log-file /dev/null &
ours=$!
until curl -sf "http://127.0.0.1:$port/readyz" >/dev/null; do sleep 0.002; done
echo "start to ready, again: $((($(date +%s%N) - began) / 1000000)) ms"
sleep 1
echo "resident memory, idle: $(awk '/VmRSS/ {print $2}' /proc/$ours/status) kB"

post() { curl -sf -H 'Content-Type: application/json' --data-binary @"$work/request.json" "http://127.0.0.1:$port$1"; }
post /v1/plans/training >"$work/plan.json"
answer=$(wc -c <"$work/plan.json")
id=$(/usr/bin/python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["id"])' "$work/plan.json")
echo "request $(wc -c <"$work/request.json") bytes, answer $answer bytes"
"$bare" $bare_port "$work/bare.db" "$answer" "$answer" &
theirs=$!
until curl -sf -o /dev/null -d x "http://127.0.0.1:$bare_port/insert"; do sleep 0.01; done

ticks=$(getconf CLK_TCK)
cpu() { awk -v ticks="$ticks" '{sub(/.*\) /, ""); print ($12 + $13) / ticks}' "/proc/$1/stat"; }
# one NAME PID SCRIPT URL: appends "rate p50 p99 cpu_us errors" to $work/NAME
one() {
	before=$(cpu "$2")
	BODY="$work/request.json" wrk -t1 -c32 -d"${seconds}s" -s "$work/$3.lua" "$4" >"$work/out"
	after=$(cpu "$2")
	awk -v s="$seconds" -v c="$after" -v b="$before" '/^RESULT/ {print $2 / s, $4, $5, (c - b) * 1e6 / $2, $3}' "$work/out" >>"$work/$1"
}
for _ in $(seq "$rounds"); do
	one ours.post $ours post "http://127.0.0.1:$port/v1/plans/training"
	one bare.post $theirs post "http://127.0.0.1:$bare_port/insert"
	one ours.estimate $ours post "http://127.0.0.1:$port/v1/estimates/training"
	one bare.estimate $theirs post "http://127.0.0.1:$bare_port/echo"
	one ours.get $ours get "http://127.0.0.1:$port/v1/plans/$id"
	one bare.get $theirs get "http://127.0.0.1:$bare_port/row"
done
median() { sort -n -k"$2" "$work/$1" | awk -v k="$2" '{v[NR] = $k} END {print v[int((NR + 1) / 2)]}'; }
printf '%-22s %10s %10s %7s %9s %9s %11s %11s\n' '' 'ours /s' 'bare /s' 'ratio' 'p99 ms' 'bare p99' 'CPU us/req' 'bare CPU us'
for what in post estimate get; do
	case $what in post) name='durable plan POST' ;; estimate) name='stateless estimate' ;; get) name='GET of a plan' ;; esac
	awk -v n="$name" -v o="$(median ours.$what 1)" -v b="$(median bare.$what 1)" -v p="$(median ours.$what 3)" -v q="$(median bare.$what 3)" \
		-v c="$(median ours.$what 4)" -v d="$(median bare.$what 4)" -v e="$(awk '{s += $5} END {print s}' "$work/ours.$what")" \
		'BEGIN {printf "%-22s %10.0f %10.0f %6.0f%% %9.2f %9.2f %11.1f %11.1f%s\n", n, o, b, 100 * o / b, p, q, c, d, e > 0 ? "  " e " ERRORS" : ""}'
done
echo "resident memory after load: $(awk '/VmRSS/ {print $2}' /proc/$ours/status) kB"
