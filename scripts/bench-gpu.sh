#!/bin/sh
# Measures every NVIDIA GPU of this machine with the full suite (two minutes each), writes the records to docs/measurements/ and
# compares them with published figures of the accelerator. Builds first, unless FLEETPLAN_PROGRAM names a program.
# usage: bench-gpu.sh [SUITE [MORE-OF-BENCH...]]   e.g. bench-gpu.sh full --spec plan.json
set -eu
cd "$(dirname "$0")/.."
suite=${1:-full}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- --shape 8192,8192,8192 --shape 4096,4096,4096 --shape 2048,2048,2048 # the shapes of published figures
if [ -z "${FLEETPLAN_PROGRAM:-}" ]; then
	scripts/packages.sh build
	make -s -j"$(nproc)" all
	FLEETPLAN_PROGRAM=build/fleetplan
fi
out=${FLEETPLAN_MEASUREMENTS:-docs/measurements}
mkdir -p "$out"
devices=$("$FLEETPLAN_PROGRAM" bench --list --json | sed -n 's/.*"id":"\([^"]*\)","backend":"cuda".*/\1/p')
if [ -z "$devices" ]; then
	"$FLEETPLAN_PROGRAM" bench --device GPU --suite launch_round_trip || true
	echo "bench-gpu.sh: this machine has no NVIDIA device" >&2
	exit 1
fi
bad=0
for device in $devices; do
	record=$out/$(date -u +%Y-%m-%d)-$(echo "$device" | cut -c1-12).json
	failed=0
	echo "$device: the $suite suite"
	"$FLEETPLAN_PROGRAM" bench --device "$device" --suite "$suite" --json "$@" >"$record" || failed=1
	if [ ! -s "$record" ]; then # the benchmark wrote no result, and its reason is above
		rm "$record"
		echo "$device: the benchmark wrote no record" >&2
		bad=1
		continue
	fi
	[ "$failed" -eq 0 ] || { bad=1; echo "$device: the benchmark failed; the reason is in $record" >&2; }
	${PYTHON:-python3} scripts/expected.py "$record" || bad=1
done
exit "$bad"
