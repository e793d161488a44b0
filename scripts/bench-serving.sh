#!/bin/sh
# Measures the planning of serving: simulated requests per second, and sizing calls to the daemon over loopback while another client
# requests /livez. The limits in the output are the requirements. Bounded in time; fails if an answer is not 200.
# usage: bench-serving.sh PROGRAM SERVING_RATE
set -eu
program=$1 rate=$2
. "$(dirname "$0")/daemon.sh"
port=${FLEETPLAN_BENCH_PORT:-18183}
trace=$(dirname "$0")/../docs/examples/azure-2023-conversation.csv
"$rate" "$trace"
daemon_start "$program" $port --threads 2 --workers 2 --log-file /dev/null
six='"h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm6-180gb", "a100-sxm4-80gb", "mi300x", "gb200"'
slo='"slo": {"ttft_ms": 1000, "tpot_ms": 50}'
# sizing NAME LIMIT: sends the request in $work/request.json three times
sizing() {
	for _ in 1 2 3; do
		curl -s -o "$work/answer" -w '%{http_code} %{time_total}\n' -H 'Content-Type: application/json' --data-binary @"$work/request.json" \
			"http://127.0.0.1:$port/v1/estimates/inference"
	done >"$work/times"
	awk -v n="$1" -v limit="$2" '$1 == 200 {good++; if (!best || $2 < best) best = $2; if ($2 > worst) worst = $2}
		END {printf "%-62s %7.3f to %.3f s  (at most %s)\n", n, best, worst, limit; exit good != 3}' "$work/times" || { head -c 600 "$work/answer" >&2; exit 1; }
}
printf '{"model": "llama-3.1-70b", "accelerators": [%s], %s, "queries_per_minute": 600, "prompt_tokens": {"mean": 1155, "cv": 0.92},
	"output_tokens": {"mean": 211, "cv": 0.6}}' "$six" "$slo" >"$work/request.json"
sizing 'sizing over six accelerators, by rate and lengths' 1
awk -F, -v six="$six" -v slo="$slo" '
	NR > 1 {t[NR - 2] = $1; p[NR - 2] = $2; o[NR - 2] = $3; rows = NR - 1}
	END {printf "{\"model\": \"llama-3.1-70b\", \"accelerators\": [%s], %s, \"trace\": {\"arrivals\": [", six, slo
		for (i = 0; i < 20000; i++) printf "%s[%.4f,%d,%d]", i ? "," : "", t[i % rows] + int(i / rows) * 600.2, p[i % rows], o[i % rows]
		print "]}}"}' "$trace" >"$work/request.json"
sizing 'sizing over six accelerators, a trace of 20,000 requests' 5
cp "$work/request.json" "$work/short.json"
awk 'BEGIN {srand(1); printf "{\"model\": \"llama-3.1-8b\", \"accelerator\": \"h100\", \"slo\": {\"ttft_ms\": 1000, \"tpot_ms\": 50}, \"trace\": {\"arrivals\": ["
	for (i = 0; i < 1000000; i++) {t -= log(1 - rand()) / 50; printf "%s[%.4f,%d,%d]", i ? "," : "", t, 1 + 1400 * rand(), 1 + 400 * rand()}
	print "]}}"}' >"$work/request.json"
peak() { awk '/VmHWM/ {printf "%.0f MB", $2 / 1000}' /proc/$daemon/status; }
before=$(peak)
sizing 'one accelerator, a trace of 1,000,000 requests' '30, not a requirement'
printf '%-62s %s to %s\n' 'peak memory of the daemon, before and with that trace' "$before" "$(peak)"
mv "$work/request.json" "$work/long.json"
mv "$work/short.json" "$work/request.json"
# Two such calls keep both workers busy. Measure /livez meanwhile.
for _ in 1 2; do
	(for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		curl -s -o /dev/null -H 'Content-Type: application/json' --data-binary @"$work/request.json" "http://127.0.0.1:$port/v1/estimates/inference"
	done) &
	busy="${busy:-} $!"
done
livez() {
	for _ in $(seq 200); do
		curl -s -o /dev/null -w '%{time_total}\n' "http://127.0.0.1:$port/livez"
	done | sort -n | awk -v n="$1" '{ms[NR] = $1 * 1000} END {printf "%-62s p50 %.1f ms, p99 %.1f ms  (at most 50)\n", n, ms[int(NR / 2)], ms[int(NR * 0.99)]}'
}
livez '/livez meanwhile'
# shellcheck disable=SC2086
wait $busy
# The same requests as asynchronous jobs (202). Two of them compute while /livez is measured. Then measure how soon a cancelled job stops.
submit() {
	curl -s -o /dev/null -w '%header{location} %{http_code} %{time_total}' -H 'Content-Type: application/json' -H 'Prefer: respond-async' \
		--data-binary @"$work/long.json" "http://127.0.0.1:$port/v1/estimates/inference"
}
for _ in 1 2 3 4 5 6; do
	job=$(submit)
	jobs="${jobs:-} ${job%% *}"
done
printf '%-62s %s\n' 'the last job of a trace of 1,000,000 requests: status, seconds' "${job#* }"
livez '/livez while a job computes on each core'
for job in $jobs; do
	curl -s -o /dev/null -X DELETE "http://127.0.0.1:$port$job"
	begun=$(date +%s%N)
	until curl -s "http://127.0.0.1:$port$job" | grep -q '"finished_at"'; do :; done
	ended=$(curl -s "http://127.0.0.1:$port$job" | grep -oE '"state":"[a-z]+"')
	printf '%-62s %.0f ms, %s\n' 'time until a cancelled job has stopped, and its state' $((($(date +%s%N) - begun) / 1000000)) "$ended"
done
