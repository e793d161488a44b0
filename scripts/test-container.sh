#!/bin/sh
# Builds the Dockerfile and runs the image once, without a registry and without a container engine's daemon: a Debian base
# by mmdebstrap, buildah with chroot isolation. Needs root. Takes some minutes; leaves nothing behind.
# usage: test-container.sh [PORT]
set -eu
cd "$(dirname "$0")/.."
port=${1:-18080}
scripts/packages.sh container
work=$(mktemp -d)
daemon=
finish() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
buildah="buildah --root $work/root --runroot $work/runroot --storage-driver vfs"
key=fp_$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')

mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$work/base.tar"
c=$($buildah from scratch)
$buildah add -q "$c" "$work/base.tar" / >/dev/null
$buildah commit -q --rm "$c" docker.io/library/debian:bookworm-slim >/dev/null
rm "$work/base.tar"
git archive HEAD | (mkdir "$work/source" && tar -x -C "$work/source")
$buildah bud -q --isolation chroot --pull-never --network host -t fleetplan:test -f Dockerfile "$work/source"

c=$($buildah from --pull-never localhost/fleetplan:test)
mount=$($buildah mount "$c")
mkdir -p "$mount/run/secrets" && printf '%s' "$key" >"$mount/run/secrets/key" && chmod 0444 "$mount/run/secrets/key"
echo "image: $(du -sm "$mount" | cut -f1) MB, user $($buildah inspect --format '{{.OCIv1.Config.User}}' "$c"), stop signal $($buildah inspect --format '{{.OCIv1.Config.StopSignal}}' "$c")"
$buildah run --isolation chroot --user 10001:10001 --env "FLEETPLAN_LISTEN=127.0.0.1:$port" "$c" -- \
	/usr/bin/fleetplan serve --bootstrap-key-file /run/secrets/key >"$work/log" 2>&1 &
daemon=$!
for _ in $(seq 100); do
	curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && break
	kill -0 "$daemon" 2>/dev/null || { cat "$work/log"; exit 1; }
	sleep 0.1
done
$buildah run --isolation chroot --user 10001:10001 --env "FLEETPLAN_LISTEN=127.0.0.1:$port" "$c" -- /usr/bin/fleetplan healthcheck
plan=$(curl -sf -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "http://127.0.0.1:$port/v1/plans/training" \
	-d '{"model":"llama-3.1-8b","tokens":"15T","accelerator":"h100","deadline_hours":"30d","name":"from a container"}')
echo "$plan" | grep -q '"gpu_count":' || { echo "no plan: $plan"; exit 1; }
refused=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/v1/plans")
[ "$refused" = 401 ] || { echo "without a key: $refused, expected 401"; exit 1; }
pid=$(pgrep -f "^/usr/bin/fleetplan serve --bootstrap-key-file" | head -1)
[ "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" = 10001 ] || { echo "not running as uid 10001"; exit 1; }
kill -TERM "$pid"
wait "$daemon" && code=0 || code=$?
daemon=
[ "$code" -eq 0 ] || { echo "exit $code on SIGTERM"; cat "$work/log"; exit 1; }
echo "container: built, served a plan as uid 10001, refused without a key, ended by SIGTERM with 0"
