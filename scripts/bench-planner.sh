#!/bin/sh
# Measures planning: layouts per second, a search over every layout of GPT-3 175B, and the daemon's answers one at a time over
# loopback. The limits in the output are the requirements. Bounded in time; fails if an answer is not 200.
# usage: bench-planner.sh PROGRAM PLANNER_RATE [SECONDS]
set -eu
program=$1 rate=$2 seconds=${3:-3}
command -v wrk >/dev/null || { echo "bench-planner.sh: install wrk" >&2; exit 69; }
. "$(dirname "$0")/daemon.sh"
port=${FLEETPLAN_BENCH_PORT:-18182}
here=$(dirname "$0")/../tests/bench
"$rate"
daemon_start "$program" $port --threads 2 --workers 2 --log-file /dev/null
cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()
done = function(summary, latency)
	local e = summary.errors
	io.write(string.format("RESULT %d %d %.3f %.3f\n", summary.requests, e.connect + e.status + e.read + e.write + e.timeout,
		latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
LUA
# one NAME LIMIT [PATH]: measures one client that sends one request after the other
one() {
	BODY="$work/request.json" wrk -t1 -c1 -d"${seconds}s" -s "$work/post.lua" "http://127.0.0.1:$port/v1/${3:-estimates/training}" >"$work/out"
	awk -v n="$1" -v limit="$2" '/^RESULT/ && $2 > 0 && $3 == 0 {printf "%-58s p50 %8.2f ms  p99 %8.2f ms  (%s)\n", n, $4, $5, limit; good = 1}
		END {exit !good}' "$work/out" || { cat "$work/out" >&2; exit 1; }
}
/usr/bin/python3 "$here/request.py" >"$work/request.json"
one 'everything pinned' 'p99 at most 1'
six='"h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm6-180gb", "a100-sxm4-80gb", "mi300x", "gb200"'
search() {
	printf '{"model": "%s", "tokens": "%s", "accelerators": [%s]%s}' "$2" "$3" "$six" "$4" >"$work/request.json"
	one "$1" 'p50 at most 250'
}
search 'llama-3.1-8b, six accelerators, any number' llama-3.1-8b 15T ''
search 'llama-3.1-405b, six accelerators, any number' llama-3.1-405b 15T ''
search 'llama-3.1-405b, six accelerators, 60 days' llama-3.1-405b 15T ', "deadline_hours": "60d"'
search 'deepseek-v3, six accelerators, any number' deepseek-v3 14.8T ''
search 'deepseek-v3, six accelerators, 60 days' deepseek-v3 14.8T ', "deadline_hours": "60d"'
for model in llama-3.1-8b llama-3.1-70b deepseek-v3 nemotron-h-56b; do
	printf '{"model": "%s", "tokens": "15T"}' $model >"$work/request.json"
	one "$model, every accelerator on offer, any number" 'p50 at most 500'
done
# A year of hours in ten regions, with daily and seasonal curves and lasting weather, as large as a caller's request.
/usr/bin/python3 "$here/year.py" >"$work/request.json"
one '500 h with pauses in 8,760 hours of ten regions' 'p50 at most 50' schedules
