#!/bin/sh
# Compiles the kernels (bench/kernels/*.cl) to PTX. usage: ptx.sh FOLDER, which gets sm_60.ptx and sm_80.ptx.
#
# The PTX that is checked in is clang 14's, as Debian 12 has it: another version writes other text. PTX_CLANG names the compiler.
set -eu
cd "$(dirname "$0")/.."
into=$1
clang=${PTX_CLANG:-clang-14}
mkdir -p "$into"

# ptx NAME CPU FEATURE SOURCES FLAG...: the sources in their order, as bench/kernels.c has it
ptx() {
	name=$1 cpu=$2 feature=$3 sources=$4
	shift 4
	for source in $sources; do cat "bench/kernels/$source.cl"; done |
		"$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang "$cpu" \
			-Xclang -target-feature -Xclang "+$feature" -O3 -Wall -Werror "$@" -S -o "$into/$name.ptx" -
	# A function that PTX would have to link against means that a kernel called what is not defined here.
	if grep -n '^\.extern' "$into/$name.ptx"; then
		echo "$name.ptx calls functions that nobody brings (above)" >&2
		exit 1
	fi
}

ptx sm_60 sm_60 ptx64 'common memory issue gemm attention cache'
ptx sm_80 sm_80 ptx70 'common memory issue gemm tensor attention cache tensor_cache' -DTENSOR_INSTRUCTIONS
