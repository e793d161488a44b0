#!/usr/bin/env python3
"""Runs every fuzzer over tests/fuzz/corpus and prints a table of the lines of each parser that the corpus reaches.

usage: fuzz-coverage.py LEAST_PERCENT FUZZER...   (programs of MODE=fuzz-coverage; MISSED=1 lists the missed lines)
The exit status is 1 if a parser of tests/fuzz/parsers.txt is below LEAST_PERCENT or a fuzzer fails. Needs llvm-profdata and llvm-cov of clang's version.
"""
import json
import os
import pathlib
import subprocess
import sys

LLVM = os.environ.get("LLVM", "-14")


def parsers():
    """Returns [(name, files)], and {file: excluded functions}."""
    found, left_out = [], {}
    for line in open("tests/fuzz/parsers.txt", encoding="utf-8"):
        line = line.strip()
        if line.startswith("- "):
            file, function = line[2:].split(":")[0].split()
            left_out.setdefault(file, set()).add(function)
        elif line and not line.startswith("#"):
            name, files = line.split(":")
            found.append((name, files.split()))
    return found, left_out


def run(programs, folder):
    """Runs every input once and merges the counts of all programs. Returns whether a program failed."""
    failed = False
    for program in programs:
        name = pathlib.Path(program).name
        corpus = pathlib.Path("tests/fuzz/corpus", name.removeprefix("fuzz_"))
        if not corpus.is_dir():
            print(f"{name}: tests/fuzz/corpus has no folder for it", file=sys.stderr)
            failed = True
            continue
        done = subprocess.run([program, "-runs=0", "-timeout=60", "-max_len=65536", "-artifact_prefix=build/fuzz/findings/" + name + "-", str(corpus)],
                              env=os.environ | {"LLVM_PROFILE_FILE": f"{folder}/{name}.profraw"}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{name}: {done.stderr[-2000:]}", file=sys.stderr)
            failed = True
    raw = [str(path) for path in pathlib.Path(folder).glob("*.profraw")]
    subprocess.run([f"llvm-profdata{LLVM}", "merge", "-sparse", "-o", f"{folder}/all.profdata", *raw], check=True)
    return failed


def impossible(name):
    """Yields the line ranges of CHECK(false) and of the case labels directly above."""
    text = open(name, encoding="utf-8").read().splitlines()
    for at, line in enumerate(text):
        if line.strip().startswith("CHECK(false)"):
            first = at
            while text[first - 1].strip().startswith("case "):
                first -= 1
            yield first + 1, at + 1


def lines_of(file, skipped):
    """Returns {line: count} from llvm-cov's segments: (line, column, count, has_count, is_region_entry, is_gap)."""
    lines, segments = {}, file["segments"]
    for i, (line, _, count, has_count, is_entry, is_gap) in enumerate(segments):
        end = segments[i + 1][0] if i + 1 < len(segments) else line
        if not has_count or is_gap:
            continue
        for at in range(line if is_entry else line + 1, end + (0 if end > line and segments[i + 1][1] == 1 else 1)):
            lines[at] = max(lines.get(at, 0), count)
    return {at: count for at, count in lines.items() if not any(first <= at <= last for first, last in skipped)}


def main():
    least, programs = float(sys.argv[1]), sys.argv[2:]
    folder = pathlib.Path("build/fuzz-coverage/profiles")
    folder.mkdir(parents=True, exist_ok=True)
    pathlib.Path("build/fuzz/findings").mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    bad = run(programs, folder)
    objects = [item for program in programs for item in ("-object", program)][1:]
    wanted, left_out = parsers()
    files = [file for _, names in wanted for file in names]
    told = json.loads(subprocess.run([f"llvm-cov{LLVM}", "export", "-instr-profile", f"{folder}/all.profdata", *objects, *files],
                                     capture_output=True, check=True).stdout)["data"][0]
    root = os.getcwd() + "/"
    skipped = {name: list(impossible(name)) for name in files}
    for function in told["functions"]:
        for file in function["filenames"]:
            name = file.removeprefix(root)
            if function["name"].split(":")[-1] in left_out.get(name, ()):
                skipped.setdefault(name, []).append((min(r[0] for r in function["regions"]), max(r[2] for r in function["regions"])))
    found = {file["filename"].removeprefix(root): lines_of(file, skipped.get(file["filename"].removeprefix(root), ())) for file in told["files"]}
    print("| parser | lines | reached | % |\n| --- | --- | --- | --- |")
    for name, names in wanted:
        counts = [(file, at, count) for file in names for at, count in found.get(file, {}).items()]
        missing = [file for file in names if file not in found]
        reached = sum(count > 0 for _, _, count in counts)
        percent = 100 * reached / max(1, len(counts))
        print(f"| {name} | {len(counts)} | {reached} | {percent:.1f} |")
        if missing or percent < least:
            print(f"{name}: below {least:g} %" + (f", not in any fuzzer: {' '.join(missing)}" if missing else ""), file=sys.stderr)
            bad = True
        if os.environ.get("MISSED"):
            for file in names:
                missed = [at for at, count in sorted(found.get(file, {}).items()) if count == 0]
                if missed:
                    print(f"    {file} {100 - 100 * len(missed) / len(found[file]):.1f} %: {missed}")
    sys.exit(bad)


if __name__ == "__main__":
    main()
