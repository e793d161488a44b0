#!/bin/sh
# Installs Debian packages: packages.sh build | test | page | npm | lint | container | venv | bench. Needs root (or sudo) only if one is missing.
set -eu

build='gcc make libc6-dev pkg-config libmicrohttpd-dev libjansson-dev libsqlite3-dev libcurl4-openssl-dev libsodium-dev libxxhash-dev zlib1g-dev ca-certificates curl'
test='libcmocka-dev python3 python3-pytest python3-seccomp systemd python3-pytest-xdist python3-jsonschema python3-yaml fiu-utils git file procps mount libopenblas0-pthread libturbojpeg0 openssl iproute2 faketime ocl-icd-libopencl1 pocl-opencl-icd clang-14 libclang-rt-14-dev clang-format'
page='chromium fonts-dejavu-core'
npm='nodejs npm'
lint='clang clang-tidy clang-format cppcheck gcovr llvm-14'
container='buildah mmdebstrap'
venv='python3-venv'
bench='wrk'

wanted=
for group; do
	case $group in
	build) wanted="$wanted $build" ;;
	test) wanted="$wanted $test" ;;
	page) wanted="$wanted $page" ;;
	npm) wanted="$wanted $npm" ;;
	lint) wanted="$wanted $lint" ;;
	venv) wanted="$wanted $venv" ;;
	bench) wanted="$wanted $bench" ;;
	container) wanted="$wanted $container" ;;
	*) echo "packages.sh: unknown group $group; the groups are build, test, page, npm, lint, container, venv, bench" >&2; exit 64 ;;
	esac
done
missing=
for package in $wanted; do
	[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" = 'ii ' ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
run=
[ "$(id -u)" -eq 0 ] || run=sudo
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq
# shellcheck disable=SC2086
$run apt-get install -y -qq --no-install-recommends $missing >/dev/null
