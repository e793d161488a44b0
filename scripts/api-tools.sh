# Sourced in the repository's root. Installs schemathesis (PyPI) in its own environment in $tools.
tools=$PWD/build/api-tools
mkdir -p "$tools"
[ -x "$tools/venv/bin/schemathesis" ] || {
	/usr/bin/python3 -m venv "$tools/venv" 2>/dev/null || { scripts/packages.sh venv && /usr/bin/python3 -m venv "$tools/venv"; }
	"$tools/venv/bin/pip" install -q 'schemathesis>=4,<5'
}
config=$PWD/deploy/schemathesis.toml
