#!/bin/sh
# Tests the API in each role: runs schemathesis, with its stateful phase, once without a key and once with a key of each role, on one daemon
# with data. It does not try wrong keys: the daemon answers 429 after thirty of them in a minute (tests/server/test_wrong_keys.py).
# No answer may be 5xx except the promised ones, every answer must match /openapi.json, and the daemon must not end. Prints a line per role.
# usage: check-api-roles.sh PROGRAM [EXAMPLES_PER_OPERATION (20) [ROLE...]]
set -eu
program=$(realpath "$1") examples=${2:-20}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/.."
. scripts/api-tools.sh
. scripts/daemon.sh
port=${FLEETPLAN_CHECK_PORT:-18191}
url=http://127.0.0.1:$port
admin=fp_$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')
(umask 077 && printf '%s' "$admin" >"$work/key")
daemon_start "$program" "$port" --own-devices=no --log-file "$work/log" --bootstrap-key-file "$work/key" --backup-keep 2
curl -sf "$url/openapi.json" >"$work/openapi.json"
# Adds an item of each kind that a role can read.
ask() { curl -sf -o /dev/null -H "Authorization: Bearer $admin" -H 'Content-Type: application/json' "$url$1" -d "$2"; }
for number in 1 2 3; do
	ask /v1/plans/training '{"model":"llama-3.1-8b","tokens":"15T","accelerator":"h100","gpu_count":64,"name":"of roles '$number'"}'
	ask /v1/benchmarks '{"suite":"quick"}'
done
ask /v1/agents '{"agent_id":"of-roles","host":"node","version":"0.1.0","devices":[{"id":"GPU-1","backend":"cuda","name":"NVIDIA L4","accelerator":"l4"}]}'

failed=0 roles=0
for role in ${*:-none viewer planner agent admin}; do
	roles=$((roles + 1))
	case $role in
	none) set -- ;;
	admin) set -- --header "Authorization: Bearer $admin" ;;
	*) set -- --header "Authorization: Bearer $("$program" keys create --role "$role" --database "$work/fleetplan.db" 2>/dev/null)" ;;
	esac
	begin=$(wc -l <"$work/log")
	kept=0
	(cd "$work" && "$tools/venv/bin/schemathesis" --config-file "$config" run "$work/openapi.json" --url "$url" "$@" --checks all \
		--exclude-checks positive_data_acceptance,ignored_auth --max-examples "$examples" --workers 2 --phases examples,coverage,fuzzing,stateful \
		--request-timeout 60 --max-response-time 60 --generation-with-security-parameters false --generation-deterministic --warnings off --no-color) >"$work/said" 2>&1 || kept=1
	kill -0 $daemon || kept=1
	tail -n +"$((begin + 1))" "$work/log" | python3 -c '
import collections, json, sys
statuses = collections.Counter(line["status"] for line in map(json.loads, sys.stdin) if "status" in line)
five = sum(count for status, count in statuses.items() if status >= 500)
print(sys.argv[1] + ":", sum(statuses.values()), "requests,", ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items())))
sys.exit(five > 0)' "$role" || kept=1
	[ $kept -eq 0 ] || {
		failed=$((failed + 1))
		sed -n '/= FAILURES =/,$p' "$work/said"
		tail -n +"$((begin + 1))" "$work/log" | grep '"status":5' | head -n 5 || true
	}
done
echo "$((roles - failed)) passed, $failed failed"
[ $failed -eq 0 ]
