#!/bin/sh
# Imports 100,000 price rows while plans are written: first new rows, then the same rows with every price changed. Then measures the change
# of a single row, and the search for the cheapest offers among all rows. Loopback only. Part of `make bench`.
# usage: bench-imports.sh PROGRAM [ROWS (100000)] [CLIENTS (8)]
set -eu
program=$1 rows=${2:-100000} clients=${3:-8}
command -v wrk >/dev/null || { echo "bench-imports.sh: install wrk" >&2; exit 69; }
here=$(dirname "$0")
. "$here/daemon.sh"
port=${FLEETPLAN_BENCH_PORT:-18182}
daemon_start "$program" $port --log-file /dev/null
url=http://127.0.0.1:$port
/usr/bin/python3 "$here/../tests/bench/request.py" >"$work/request.json"
/usr/bin/python3 "$here/../tests/bench/prices.py" "$rows" >"$work/first.csv"
/usr/bin/python3 "$here/../tests/bench/prices.py" "$rows" 7 >"$work/second.csv"
cat >"$work/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()
done = function(summary, latency)
	local e = summary.errors
	io.write(string.format("RESULT %.0f %d %.2f %.2f\n", summary.requests / summary.duration * 1e6, e.connect + e.status + e.read + e.write + e.timeout,
		latency:percentile(99) / 1000, latency.max / 1000))
end
LUA
# plans SECONDS NAME: writes plans for that time
plans() {
	BODY="$work/request.json" wrk -t1 -c"$clients" -d"$1s" -s "$work/post.lua" "$url/v1/plans/training" >"$work/$2"
}
# told NAME: prints the rate, p99 and maximum of plans(); fails if an answer was not 2xx
told() {
	awk '/^RESULT/ && $3 == 0 {printf "%d plans/s, p99 %.1f ms, longest %.0f ms", $2, $4, $5; good = 1} END {exit !good}' "$work/$1" || {
		cat "$work/$1" >&2
		exit 1
	}
}
import() {
	curl -s -o "$work/answer.json" -w '%{time_total} %{http_code}' -X POST -H 'Content-Type: text/csv' --data-binary @"$work/$1" "$url/v1/imports/prices" >"$work/took"
	grep -q ' 201$' "$work/took" || { echo "bench-imports.sh: $(cat "$work/took") $(head -c 500 "$work/answer.json")" >&2; exit 1; }
	cut -d' ' -f1 "$work/took"
}
plans 3 quiet
printf '%-62s %s\n' "plans of $clients clients, without an import" "$(told quiet)"
for file in first second; do
	plans 5 "$file" &
	writer=$!
	sleep 0.3
	seconds=$(import $file.csv)
	wait $writer
	printf '%-62s %s s (at most 5); meanwhile %s (at most 50)\n' "import of $rows rows, $([ $file = first ] && echo all new || echo every price changed)" "$seconds" "$(told $file)"
done
sleep 2
seconds=$(curl -s -o /dev/null -w '%{time_total}' -X PATCH -H 'Content-Type: application/json' -d '{"notes":"x"}' "$url/v1/prices/bulk.7")
printf '%-62s %s s\n' "one price changed, until the new snapshot is in use" "$seconds"
offers=$(for _ in 1 2 3 4 5; do curl -s -o /dev/null -w '%{time_total}\n' "$url/v1/offers?accelerator=h100&gpu_count=16&terms=on_demand,spot"; done | sort | sed -n 3p)
printf '%-62s %s s (search at most 0.005: see bench-planner)\n' "cheapest offers of an accelerator, over HTTP" "$offers"
curl -s -o "$work/out.csv" -w 'export of all prices as CSV: %{size_download} bytes in %{time_total} s\n' -H 'Accept: text/csv' "$url/v1/exports/prices"
awk '/VmHWM/ {print "largest resident memory: " $2 " kB"}' "/proc/$daemon/status"
