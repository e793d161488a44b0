#!/bin/sh
# Builds the Dockerfile and runs the image, without a registry and without a container engine's daemon: mmdebstrap makes the Debian
# base, and buildah runs with chroot isolation. This isolation has no read-only root, so a second run uses a read-only bind of the
# image. Needs root. Takes some minutes. Removes all its files.
# usage: test-container.sh [PORT [cuda]]    cuda: also the image tag -cuda, which downloads 1.2 GB of packages from PyPI
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

# The excluded paths are also missing in debian:bookworm-slim.
mmdebstrap --quiet --variant=minbase --include=ca-certificates --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$work/base.tar"
c=$($buildah from scratch)
$buildah add -q "$c" "$work/base.tar" / >/dev/null
$buildah commit -q --rm "$c" docker.io/library/debian:bookworm-slim >/dev/null
rm "$work/base.tar"
git archive HEAD | (mkdir "$work/source" && tar -x -C "$work/source")
$buildah bud -q --format docker --isolation chroot --pull-never --network host -t fleetplan:test -f Dockerfile "$work/source"

c=$($buildah from --pull-never localhost/fleetplan:test)
mount=$($buildah mount "$c")
mkdir -p "$mount/run/secrets" && printf '%s' "$key" >"$mount/run/secrets/key" && chmod 0444 "$mount/run/secrets/key"
touch "$work/started"
descendants() {
	for child in $(pgrep -P "$1"); do
		[ "$(cat "/proc/$child/comm")" != fleetplan ] || echo "$child"
		descendants "$child"
	done
}
ready() {
	for _ in $(seq 100); do
		curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.1
	done
	echo "the daemon is not ready:"
	cat "$work/log"
	exit 1
}
end() {
	kill -TERM "$1"
	wait "$daemon" && code=0 || code=$?
	daemon=
	[ "$code" -eq 0 ] || { echo "exit $code on SIGTERM"; cat "$work/log"; exit 1; }
}
# As the first line of the Dockerfile says: without a key. The daemon writes one to the volume.
$buildah run --isolation chroot --user 10001:10001 --env "FLEETPLAN_LISTEN=0.0.0.0:$port" "$c" -- /usr/bin/fleetplan serve >"$work/log" 2>&1 &
daemon=$!
ready
first=$($buildah run --isolation chroot --user 10001:10001 "$c" -- cat /data/admin.key)
for expected in 200 401; do
	code=$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $first" "http://127.0.0.1:$port/v1/plans")
	[ "$code" = "$expected" ] || { echo "with the first key or a wrong one: $code, expected $expected"; exit 1; }
	first=fp_wrong
done
end "$(descendants "$daemon" | head -1)"
rm -f "$mount"/data/*
echo "image: $(du -sm "$mount" | cut -f1) MB, user $($buildah inspect --format '{{.OCIv1.Config.User}}' "$c"), stop signal $($buildah inspect --format '{{.OCIv1.Config.StopSignal}}' "$c")"
$buildah run --isolation chroot --user 10001:10001 --env "FLEETPLAN_LISTEN=0.0.0.0:$port" "$c" -- \
	/usr/bin/fleetplan serve --bootstrap-key-file /run/secrets/key >"$work/log" 2>&1 &
daemon=$!
ready
$buildah run --isolation chroot --user 10001:10001 --env "FLEETPLAN_LISTEN=0.0.0.0:$port" "$c" -- /usr/bin/fleetplan healthcheck
plan=$(curl -sf -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "http://127.0.0.1:$port/v1/plans/training" \
	-d '{"model":"llama-3.1-8b","tokens":"15T","accelerator":"h100","deadline_hours":"30d","name":"from a container"}')
echo "$plan" | grep -q '"gpu_count":' || { echo "the answer has no plan: $plan"; exit 1; }
refused=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/v1/plans")
[ "$refused" = 401 ] || { echo "without a key: $refused, expected 401"; exit 1; }
pid=$(descendants "$daemon" | head -1)
[ "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" = 10001 ] || { echo "not running as uid 10001"; exit 1; }
end "$pid"
written=$(find "$mount" -xdev -newer "$work/started" -type f ! -path "$mount/data/*" ! -path "$mount/tmp/*" -user 10001)
[ -z "$written" ] || { echo "written outside /data and /tmp: $written"; exit 1; }

# In this run only /data and /tmp are writable. The benchmark worker has its lock and its files there, too.
unshare -m sh -ec "mount --bind '$mount' '$mount'; mount -o remount,bind,ro '$mount'
	mount -t tmpfs -o uid=10001,gid=10001 data '$mount/data'; mount -t tmpfs -o mode=1777 tmp '$mount/tmp'; mount -t proc proc '$mount/proc'
	exec chroot --userspec=10001:10001 '$mount' /usr/bin/env -i FLEETPLAN_LISTEN=0.0.0.0:$port FLEETPLAN_DATABASE=/data/fleetplan.db \
		/usr/bin/fleetplan serve --bootstrap-key-file /run/secrets/key" >"$work/log" 2>&1 &
daemon=$!
ready
api() {
	curl -sf -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "http://127.0.0.1:$port/v1/$1" -d "$2"
}
api plans/training '{"model":"llama-3.1-8b","tokens":"15T","accelerator":"h100","deadline_hours":"30d"}' >/dev/null
id=$(api benchmarks '{"suite":"quick","timeout_s":120}' | sed 's/.*"id":"\([^"]*\)".*/\1/')
state=queued
for _ in $(seq 600); do
	state=$(curl -sf -H "Authorization: Bearer $key" "http://127.0.0.1:$port/v1/benchmarks/$id" | sed 's/.*"state":"\([a-z]*\)".*/\1/')
	case $state in queued | running) sleep 0.2 ;; *) break ;; esac
done
[ "$state" = succeeded ] || { echo "the benchmark $state"; cat "$work/log"; exit 1; }
end "$daemon"
echo "container: the image builds; the daemon serves as uid 10001 on all addresses, rejects requests without a key, passes its health check,"
echo "ends with 0 on SIGTERM, and plans and measures under a read-only root"
[ "${2:-}" = cuda ] || exit 0

# The program finds and loads the libraries, and reports why they do not start: the driver is only a stand-in.
$buildah bud -q --format docker --isolation chroot --pull-never --network host --volume /etc/ssl/certs:/etc/ssl/certs:ro \
	--build-arg FLEETPLAN=localhost/fleetplan:test \
	-t fleetplan:test-cuda -f deploy/Dockerfile.cuda "$work/source/deploy"
c=$($buildah from --pull-never localhost/fleetplan:test-cuda)
mount=$($buildah mount "$c")
make -s fakes
cp build/release/fakes/libcuda.so.1 build/release/fakes/libnvidia-ml.so.1 "$mount/usr/lib/x86_64-linux-gnu/"
record=$($buildah run --isolation chroot --user 10001:10001 "$c" -- /usr/bin/fleetplan bench --device GPU --suite gemm_library_bf16 --json || true)
echo "$record" | grep -q '"reason":"cuBLASLt 120903 does not start: CUBLAS_STATUS_' || { echo "cuBLASLt: $record"; exit 1; }
echo "container: -cuda built, $(du -sm "$mount/usr/local/lib/fleetplan" | cut -f1) MB of libraries, cuBLASLt found, loaded and rejected because the driver is missing"
