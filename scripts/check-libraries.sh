#!/bin/sh
# Checks by pkg-config that the libraries exist and are new enough, and prints their versions.
# usage: check-libraries.sh 'NAME>=VERSION'...
set -u
command -v pkg-config >/dev/null || { echo "pkg-config is missing; install it (scripts/packages.sh build)" >&2; exit 1; }
bad=0
for wanted; do
	name=${wanted%%>=*} minimum=${wanted#*>=}
	if ! found=$(pkg-config --modversion "$name" 2>/dev/null); then
		echo "library $name is missing; version $minimum or newer is needed, with its headers (scripts/packages.sh build)" >&2
		bad=1
	elif ! pkg-config --atleast-version "$minimum" "$name"; then
		echo "library $name is version $found; version $minimum or newer is needed" >&2
		bad=1
	else
		echo "$name $found"
	fi
done
exit "$bad"
