#!/bin/sh
# Installs what tests/server/test_page.py needs: Debian's chromium, and playwright-core (npm, by its lock file) in build/page-tools.
set -eu
cd "$(dirname "$0")/.."
scripts/packages.sh page
command -v npm >/dev/null || scripts/packages.sh npm
mkdir -p build/page-tools
cp tests/server/page/package.json tests/server/page/package-lock.json build/page-tools/
cd build/page-tools
[ -d node_modules/playwright-core ] && cmp -s package-lock.json installed.json || {
	timeout 300 npm ci --ignore-scripts --no-audit --no-fund --silent
	cp package-lock.json installed.json
}
