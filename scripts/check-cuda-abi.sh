#!/bin/bash
# Checks the declarations of NVIDIA's libraries in bench/ and the checked-in PTX with NVIDIA's own files, without a GPU:
#   - The headers, assembler and libraries are the newest of CUDA 11, 12 and 13 from NVIDIA's packages on PyPI. For each release, compiling
#     tests/abi/cuda_abi.cc compares every constant, struct and function that bench/ declares.
#   - The real library must export every name that bench/ loads from it.
#   - ptxas compiles the PTX for every device that it supports from 6.0 on. No kernel may spill or use a stack, and the kernels of the issue
#     rate must still have each of their multiply-adds.
#   - The probing code runs on the real libraries. It must find no device and give a reason.
# The driver's libraries are from Debian's packages (non-free) of the last two releases. They are unpacked, not installed.
# All files stay in a folder of build/ (4 GB the first time). None becomes part of the program.
# usage: check-cuda-abi.sh FOLDER LIBRARY LIBS...     LIBRARY: libfleetplan.a; CUDA_RELEASES="12": only this release
set -euo pipefail
cd "$(dirname "$0")/.."
into=$(realpath -m "$1")
library=$2
shift 2
mkdir -p "$into"

# Prints the packages of a release. Until CUDA 12 their names end with its number.
packages() {
	local parts='cuda-runtime cuda-nvcc cuda-cccl cublas nvml-dev'
	case $1 in
	13) printf 'nvidia-%s ' $parts cuda-crt cuda-nvdisasm; echo nvidia-nccl-cu13 ;;
	*) printf "nvidia-%s-cu$1 " $parts nccl ;;
	esac
}

fetch_release() {
	local folder=$into/$1
	[ -e "$folder/complete" ] && return
	rm -rf "$folder" && mkdir -p "$folder/wheels"
	# shellcheck disable=SC2046
	"${PYTHON:-python3}" -m pip download -q --disable-pip-version-check --no-deps --no-cache-dir --only-binary=:all: -d "$folder/wheels" $(packages "$1")
	for wheel in "$folder"/wheels/*.whl; do
		"${PYTHON:-python3}" -m zipfile -e "$wheel" "$folder"
	done
	(cd "$folder/wheels" && ls | sed 's/-py[23].*//; s/^nvidia_//') >"$folder/complete"
	rm -r "$folder/wheels"
	mkdir "$folder/lib"
	find "$folder/nvidia" -name 'libcublasLt.so.*' -o -name 'libnccl.so.*' | xargs -I{} ln -s {} "$folder/lib/"
	find "$folder" \( -name ptxas -o -name nvdisasm \) -exec chmod +x {} +
}

fetch_drivers() {
	local options
	[ -e "$into/drivers/complete" ] && return
	rm -rf "$into/drivers" && mkdir -p "$into/drivers/lists/partial" "$into/drivers/cache/archives/partial"
	for suite in bookworm trixie; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite non-free"
	done >"$into/drivers/sources"
	options="-qq -o Dir::Etc::sourcelist=$into/drivers/sources -o Dir::Etc::sourceparts=- -o Dir::State::lists=$into/drivers/lists
		-o Dir::Cache=$into/drivers/cache -o APT::Sandbox::User=$(id -un)"
	# shellcheck disable=SC2086
	apt-get $options update
	for suite in bookworm trixie; do
		mkdir "$into/drivers/$suite"
		# shellcheck disable=SC2086
		(cd "$into/drivers/$suite" && apt-get $options download libcuda1/$suite libnvidia-ml1/$suite 2>/dev/null &&
			for package in *.deb; do dpkg-deb -x "$package" . && rm "$package"; done)
	done
	touch "$into/drivers/complete"
}

# Prints REQUIRED(struct, member, name) or OPTIONAL(...) for each symbol of a table in bench/.
functions() {
	for api in cuda_driver cublaslt nccl nvml; do
		sed -n "s/^.*\(REQUIRED\|OPTIONAL\)(\([a-z_0-9]*\), \"\([A-Za-z_0-9]*\)\").*/\1($api, \2, \3)/p" "bench/cuda/$api.c"
	done
}

# Prints the same as FUNCTION(...), without the optional ones that the release's headers lack.
functions_of() {
	sed 's/(\|, \|)/ /g' "$into/functions" | while read -r need api member name; do
		[ "$need" = REQUIRED ] || grep -qrw "$name" --include=cuda.h --include=cublasLt.h --include=nccl.h --include=nvml.h "$into/$1/nvidia" || continue
		echo "FUNCTION($api, $member, $name)"
	done
}

# Checks that tests/abi/constants.inc has every constant of the four headers.
check_complete() {
	for name in $(sed -n 's/\/\*.*\*\///; /enum/,/}/p' bench/cuda/cuda_driver.h bench/cuda/cublaslt.h bench/cuda/nccl.h bench/cuda/nvml.h |
		grep -oE '\b(CUDA|CUBLASLT|NCCL|NVML)_[A-Z0-9_]+ *=' | tr -d ' ='); do
		grep -q "^SAME($name," tests/abi/constants.inc || { echo "tests/abi/constants.inc lacks $name" >&2; exit 1; }
	done
}

check_headers() {
	local flags='' header found
	for header in cuda.h cublasLt.h nccl.h nvml.h crt/host_defines.h nv/target; do
		found=$(find "$into/$1" -path "*/include/$header" | sort | sed -n 1p)
		[ -n "$found" ] || { echo "$1: no $header" >&2; exit 1; }
		flags="$flags -isystem ${found%/"$header"}"
	done
	functions_of "$1" >"$into/functions.inc"
	# shellcheck disable=SC2086
	"${CXX:-g++}" -std=c++17 -Wall -Werror -Wno-deprecated-declarations -fsyntax-only -I. -Itests/abi -I"$into" $flags tests/abi/cuda_abi.cc
	echo "CUDA $1: $(wc -l <"$into/functions.inc") functions, $(grep -c '^SAME' tests/abi/constants.inc) constants and members are as declared ($(tr '\n' ' ' <"$into/$1/complete"))"
}

# check_exports FILE PREFIX: checks that FILE exports every loaded name with this prefix, the optional ones included.
check_exports() {
	local exported name
	exported=$(nm -D --defined-only "$1" | sed 's/.* //; s/@.*//' | sort)
	for name in $(sed -n "s/.*, \($2[A-Za-z_0-9]*\))/\1/p" "$into/functions"); do
		grep -qx "$name" <<<"$exported" || { echo "$1 does not export $name" >&2; exit 1; }
	done
}

assemble() {
	local ptxas=$1 target=$2 blob=$3 log=$into/ptxas.log
	if ! "$ptxas" -v "-arch=$target" -o "$into/$target.cubin" "bench/kernels/$blob.ptx" >"$log" 2>&1; then
		! grep -q "is not defined for option 'gpu-name'" "$log" || return 0 # this release does not support the device
		cat "$log" >&2
		exit 1
	fi
	! grep -qE ' [1-9][0-9]* bytes (spill|stack)' "$log" || { echo "$target: a kernel spills or uses a stack" >&2; grep -EB1 ' [1-9][0-9]* bytes (spill|stack)' "$log" >&2; exit 1; }
	echo "  $blob.ptx for $target: $(grep -c 'Compiling entry' "$log") kernels, $(grep -o 'Used [0-9]*' "$log" | cut -d' ' -f2 | sort -n | tail -1) registers at most, no spills, no stack"
}

check_ptx() {
	local ptxas target
	ptxas=$(find "$into/$1" -name ptxas)
	"$ptxas" --version | sed -n 's/^Build /ptxas /p'
	for target in sm_60 sm_61 sm_70 sm_75; do
		assemble "$ptxas" $target sm_60
	done
	for target in sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_103 sm_110 sm_120 sm_121; do
		assemble "$ptxas" $target sm_80
	done
	[ -e "$into/sm_90.cubin" ] || { echo "ptxas compiled nothing for sm_90" >&2; exit 1; }
}

# issued KERNEL INSTRUCTION COUNT: checks that the kernel's machine code has a multiple of COUNT, the instructions per round.
issued() {
	local count
	count=$(awk -v kernel="$1" '/\.section/ { on = index($0, ".text." kernel ",") > 0 } on' "$into/sass" | grep -cE "\b$2\b" || true)
	[ "$count" -gt 0 ] && [ $((count % $3)) -eq 0 ] || { echo "$1 has $count $2, which is not a multiple of $3 per round" >&2; exit 1; }
	echo "  $1: $count $2, $3 per round"
}

check_issue() {
	local nvdisasm
	nvdisasm=$(find "$into/13" -name nvdisasm 2>/dev/null | sed -n 1p)
	[ -n "$nvdisasm" ] || return 0
	"$nvdisasm" -c "$into/sm_90.cubin" >"$into/sass"
	issued issue_fp32 FFMA 256
	issued issue_tensor_bf16 HMMA 16
	issued issue_tensor_fp16 HMMA 16
}

releases=${CUDA_RELEASES:-11 12 13}
functions >"$into/functions"
check_complete
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Werror -g -o "$into/real_libraries" tests/abi/real_libraries.c "$library" "$@"
for release in $releases; do
	fetch_release "$release"
	check_headers "$release"
	check_exports "$(echo "$into/$release"/lib/libcublasLt.so.*)" cublasLt
	check_exports "$into/$release/lib/libnccl.so.2" nccl
	check_ptx "$release"
	"$into/real_libraries" "$into/$release/lib" >"$into/real.log" || { cat "$into/real.log" >&2; exit 1; }
	sed -n '/^cuBLASLt:/p; /^NCCL/p' "$into/real.log" | sed "s|$into/||; s/^/  /"
	echo "  $(grep -c '^cuBLASLt, ' "$into/real.log") products described to cuBLASLt, attribute by attribute"
done
check_issue
fetch_drivers
for suite in bookworm trixie; do
	folder=$into/drivers/$suite/usr/lib/x86_64-linux-gnu/nvidia/current
	check_exports "$folder/libcuda.so.1" cu[A-Z]
	check_exports "$folder/libnvidia-ml.so.1" nvml
	echo "driver $(readlink "$folder/libcuda.so.1" | sed 's/libcuda.so.//'): exports all names that bench/ loads"
	"$into/real_libraries" "$folder" driver | sed 's/^/  /'
done
echo "CUDA ABI holds"
