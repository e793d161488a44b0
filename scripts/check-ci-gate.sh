#!/bin/sh
# Runs the shell steps of deploy/ci/action.yml and deploy/ci/gitlab.yml as CI would, in a temporary repository with two commits: exit
# codes, report, comment of the pull request and note of the merge request. gh and curl are stand-ins that record their calls.
# usage: check-ci-gate.sh [PROGRAM]
set -eu
# In a hook or in `git rebase --exec`, git names its repository in the environment: the commands below would change that repository.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars)
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/fleetplan}
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "check-ci-gate: $1" >&2; failed=1; }

# Writes each step as a script, and checks what holds for all of them.
/usr/bin/python3 - "$root/deploy/ci" "$work" <<'PYTHON'
import pathlib, re, sys, yaml
source, work = map(pathlib.Path, sys.argv[1:])
steps = {step["name"]: step for step in yaml.safe_load((source / "action.yml").read_text())["runs"]["steps"]}
job = yaml.safe_load((source / "gitlab.yml").read_text())["fleetplan-gate"]
for name, step in steps.items():
    assert step["shell"] == "bash" and "${{" not in step["run"], f"{name}: values reach a step by env only"
    (work / f"github-{name.lower()}").write_text(step["run"])
(work / "gitlab-script").write_text("\n".join(job["script"]))
(work / "gitlab-after").write_text("\n".join(job["after_script"]))
(work / "gitlab-env").write_text("".join(f"{name}='{value}'; export {name}\n" for name, value in job["variables"].items() if not value.startswith("$")))
assert job["variables"]["GATE_REPORT"] in job["artifacts"]["paths"] and job["artifacts"]["when"] == "always"
# Both files contain the same comparison.
github, gitlab = steps["Compare"]["run"], job["script"][0]
common = github[:github.index('cat "$GATE_REPORT" >>"$GITHUB_STEP_SUMMARY"')]
assert gitlab.startswith("bash <<'GATE'\n" + common), "the shell of action.yml and gitlab.yml differs"
# The examples of the page use inputs and variables that exist.
page = yaml.safe_load_all("\n---\n".join(re.findall(r"```yaml\n(.*?)```", (source.parent.parent / "docs" / "gate.md").read_text(), re.S)))
workflow, pipeline = page
assert set(workflow["jobs"]["gate"]["steps"][-1]["with"]) <= set(yaml.safe_load((source / "action.yml").read_text())["inputs"])
assert set(pipeline["fleetplan-gate"]["variables"]) <= set(job["variables"])
assert set(steps["Compare"]["env"]) | {"GIT_DEPTH", "GATE_NOTE_TOKEN"} == set(job["variables"])
PYTHON

# gh lists no comment, or the one that FAKE_COMMENT names; curl records its arguments.
mkdir "$work/bin"
cat >"$work/bin/gh" <<'GH'
#!/bin/sh
echo "$*" >>"$CALLS"
[ -z "${FAKE_BROKEN:-}" ] || exit 1
case $* in *--paginate*) echo "${FAKE_COMMENT:-}" ;; esac
for word; do case $word in body=@*) cp "${word#body=@}" "$CALLS.body" ;; esac; done
GH
cat >"$work/bin/curl" <<'CURL'
#!/bin/sh
echo "$*" >>"$CALLS"
CURL
chmod +x "$work/bin/gh" "$work/bin/curl"
PATH=$work/bin:$PATH
CALLS=$work/calls
export PATH CALLS

# The base revision has three requests. The head makes one dearer, adds one, removes one, and leaves one as it is.
repository=$work/repository
git init -q -b main "$repository"
cd "$repository"
echo report.md >.git/info/exclude
commit() { git add -A && git -c user.name=gate -c user.email=gate@localhost commit -q -m "$1"; }
request() { printf '{"model": "llama-3.1-8b", "tokens": "%s", "accelerator": "h100", "gpu_count": 64, "pricing": {"usd_per_gpu_hour": 2}}\n' "$1"; }
mkdir -p plans/more
request 1T >plans/dearer.json
request 2T >plans/removed.json
request 3T >plans/same.json
echo text >notes.txt
commit base
base=$(git rev-parse HEAD)
git checkout -q -b change
request 1.2T >plans/dearer.json
request 4T >'plans/more/new one.json'
git rm -q plans/removed.json
echo other >notes.txt
commit change

GATE_FILES='plans/*.json' GATE_AS_OF=2026-11-01 GATE_KIND='' GATE_BASE=$base GATE_REPORT=report.md GATE_PROGRAM=$program
export GATE_FILES GATE_AS_OF GATE_KIND GATE_BASE GATE_REPORT GATE_PROGRAM

# github LIMITS CODE: runs the steps of the action as a runner does, with -e, and expects the exit code
github() {
	GATE_FAIL_IF=$1 GITHUB_STEP_SUMMARY=$work/summary GITHUB_OUTPUT=$work/output
	export GATE_FAIL_IF GITHUB_STEP_SUMMARY GITHUB_OUTPUT
	: >"$work/output" >"$work/summary"
	bash --noprofile --norc -eo pipefail "$work/github-compare" >"$work/log" 2>&1 || { fail "Compare ends with $?: $(cat "$work/log")"; return; }
	cmp -s report.md "$work/summary" || fail "the summary of the job is not the report"
	code=0
	GATE_CODE=$(sed -n 's/^code=//p' "$work/output") bash --noprofile --norc -eo pipefail "$work/github-decide" >"$work/log" 2>&1 || code=$?
	[ "$code" -eq "$2" ] || fail "action, limits \"$1\": exit code $code, expected $2"
}
# gitlab LIMITS CODE: the same for the template
gitlab() {
	code=0
	(. "$work/gitlab-env" && GATE_FAIL_IF=$1 GATE_FILES='plans/*.json' GATE_AS_OF=2026-11-01 GATE_PROGRAM=$program GATE_REPORT=report.md &&
		export GATE_AS_OF GATE_PROGRAM && bash -eo pipefail "$work/gitlab-script") >"$work/log" 2>&1 || code=$?
	[ "$code" -eq "$2" ] || fail "template, limits \"$1\": exit code $code, expected $2: $(cat "$work/log")"
}
has() { grep -qF -e "$1" report.md || fail "the report lacks: $1"; }

for ci in github gitlab; do
	$ci 'cost>10%
carbon>+1000t' 1
	has '### Fleetplan: `plans/dearer.json`'
	has 'exceeds the limit of 10 %. One other limit holds.'
	has '| `tokens` | `"1T"` | `"1.2T"` |'
	has '### Fleetplan: `plans/more/new one.json`'
	has 'The request is new: cost '
	has '### Fleetplan: `plans/removed.json`'
	has 'The request is removed: cost '
	has 'as of 2026-11-01.'
	! grep -q 'same.json\|notes.txt' report.md || fail 'the report names a file that did not change'
	$ci 'cost>1000%' 0
	$ci '' 0
	$ci 'cst>10%' 64
	has '    fleetplan: the limit "cst>10%" names no figure'
done

# the comment: written once, then updated; a token without the right does not decide
comment() {
	: >"$CALLS"
	GATE_PULL=7 GITHUB_REPOSITORY=owner/name GH_TOKEN=x bash --noprofile --norc -eo pipefail "$work/github-comment" >"$work/log" 2>&1 || fail "Comment: $(cat "$work/log")"
}
github 'cost>10%' 1
comment
grep -q -- '--method POST repos/owner/name/issues/7/comments -F body=@' "$CALLS" || fail "no comment is written: $(cat "$CALLS")"
head -n 1 "$CALLS.body" | grep -qx '<!-- fleetplan-gate -->' || fail 'the comment lacks its mark'
tail -n +2 "$CALLS.body" | cmp -s - report.md || fail 'the comment is not the report'
FAKE_COMMENT='123
456'
export FAKE_COMMENT
comment
grep -q -- '--method PATCH repos/owner/name/issues/comments/123 -F body=@' "$CALLS" || fail "the comment is not updated: $(cat "$CALLS")"
FAKE_BROKEN=1
export FAKE_BROKEN
comment
grep -q '^::warning::' "$work/log" || fail 'a comment that fails gives no warning'
i=0
while [ "$i" -lt 1200 ]; do echo "a long line of the report, which has umlauts: ä ö ü ß ä ö ü ß"; i=$((i + 1)); done >>report.md
unset FAKE_BROKEN
comment
[ "$(wc -c <"$CALLS.body")" -lt 65536 ] && grep -q 'The report is longer' "$CALLS.body" || fail 'a long report is not cut'

# the note of the merge request, with a token only
: >"$CALLS"
(GATE_NOTE_TOKEN='' && export GATE_NOTE_TOKEN && bash -e "$work/gitlab-after")
[ ! -s "$CALLS" ] || fail 'a note is written without a token'
GATE_NOTE_TOKEN=t CI_API_V4_URL=https://gitlab.example/api/v4 CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=5 bash -e "$work/gitlab-after"
grep -q -- '--data-urlencode body@report.md https://gitlab.example/api/v4/projects/3/merge_requests/5/notes' "$CALLS" || fail "no note is written: $(cat "$CALLS")"

# requests that cannot be read, and nothing to compare
echo '{"model": "llama-3.1-8b", "tokns": 1, "tokens": 1}' >plans/dearer.json
commit typo
for ci in github gitlab; do
	$ci 'cost>10%' 65
	has '**The gate cannot compare this request.**'
	has '    fleetplan: HEAD, head.json: /tokns is not a known field; did you mean tokens'
done
git checkout -q main
echo more >>notes.txt
commit notes
for ci in github gitlab; do
	$ci 'cost>0%' 0
	has 'Fleetplan: no request changes.'
done
GATE_BASE=0123456789012345678901234567890123456789
for_missing=$(bash "$work/github-compare" 2>&1) && fail 'a base revision that was not fetched is not noticed'
case $for_missing in *'fetch it with depth 0'*) ;; *) fail "a base revision that was not fetched: $for_missing" ;; esac

[ "$failed" -eq 0 ] && echo 'the gates of CI hold'
exit "$failed"
