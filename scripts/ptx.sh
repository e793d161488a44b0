#!/bin/sh
# Compiles the kernels (bench/kernels/*.cl) to FOLDER/sm_60.ptx and FOLDER/sm_80.ptx. usage: ptx.sh FOLDER
#
# The checked-in PTX is made by clang 14 of Debian 12. Another version writes other text. PTX_CLANG names the compiler.
set -eu
cd "$(dirname "$0")/.."
into=$1
clang=${PTX_CLANG:-clang-14}
mkdir -p "$into"

# ptx NAME CPU FEATURE SOURCES FLAG...: compiles the sources in the order of bench/kernels.c
ptx() {
	name=$1 cpu=$2 feature=$3 sources=$4
	shift 4
	for source in $sources; do cat "bench/kernels/$source.cl"; done |
		"$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang "$cpu" \
			-Xclang -target-feature -Xclang "+$feature" -O3 -Wall -Werror "$@" -S -o "$into/$name.ptx" -
	# An external function means that a kernel calls a function which the sources do not define.
	if grep -n '^\.extern' "$into/$name.ptx"; then
		echo "$name.ptx calls undefined functions (listed above); define them in bench/kernels/" >&2
		exit 1
	fi
}

ptx sm_60 sm_60 ptx64 'common memory issue gemm attention cache'
ptx sm_80 sm_80 ptx70 'common memory issue gemm tensor attention cache tensor_cache' -DTENSOR_INSTRUCTIONS
