#!/usr/bin/python3
"""Checks the house rules on rooms, the folders of sources: which top folder may include which, no cycle between rooms, no file name twice in one top
folder, and a limit of files per room. usage: rooms.py [FOLDER...]: with folders, prints what the rooms below them include."""
import collections
import pathlib
import re
import subprocess
import sys

# The folders that a top folder may include besides itself. A folder includes only folders above it in this list.
LAYERS = {
    "base": "",
    "schema": "base",
    "net": "base",
    "planner": "base schema",
    "hwdb": "base schema net planner",
    "storage": "base planner hwdb",
    "api": "base schema planner hwdb",
    "bench": "base schema planner",
    "agent": "base schema net planner hwdb api bench",
    "service": "base schema planner hwdb storage api agent",
    "server": "base schema planner hwdb storage api bench agent service",
    "cli": "base schema net planner hwdb storage api bench agent service server",
}
# Only these folders may include a library's header.
LIBRARIES = {
    "jansson.h": "schema api hwdb", "curl/": "net hwdb", "sqlite3.h": "storage", "xxhash.h": "storage", "microhttpd.h": "server", "sodium": "storage agent service server cli",
    "zlib.h": "server", "dlfcn.h": "bench",
}
FILES_IN_A_ROOM, LARGE_ROOMS = 36, {"server": 80, "storage/sqlite": 46, "planner/serving": 42}


def includes():
    """Yields (file, text) of the product's sources."""
    for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h", "*.inc"], capture_output=True, text=True, check=True).stdout.split():
        if name.split("/")[0] in LAYERS and pathlib.Path(name).exists():
            yield name, pathlib.Path(name).read_text()


def cycles(edges):
    """Returns the rooms that include each other, directly or through others: the shortest cycle of each."""
    found = set()
    for start in edges:
        ways = collections.deque([(start,)])
        seen = set()
        while ways:
            way = ways.popleft()
            for room in edges.get(way[-1], ()):
                if room == start:
                    found.add(frozenset(way))
                    ways.clear()
                    break
                if room not in seen:
                    seen.add(room)
                    ways.append(way + (room,))
    return found


def main():
    edges, faults, names, sizes = collections.defaultdict(lambda: collections.defaultdict(list)), [], collections.defaultdict(list), collections.Counter()
    for name, text in includes():
        room, top = str(pathlib.PurePath(name).parent), name.split("/")[0]
        names[top, pathlib.PurePath(name).name].append(name)
        sizes[room] += 1
        for other in re.findall(r'^#include "([^"]+)"', text, re.M):
            there = str(pathlib.PurePath(other).parent)
            if there not in (".", room):
                edges[room][there].append(name)
            if "/" in other and other.split("/")[0] not in (top, *LAYERS[top].split()):
                faults.append(f"{name}: {top}/ may not include {other}")
        for library in re.findall(r"^#include <([^>]+)>", text, re.M):
            for header, where in LIBRARIES.items():
                if library.startswith(header) and top not in where.split():
                    faults.append(f"{name}: <{library}> may be included in {where} only")
    if len(sys.argv) > 1:
        for room in sorted(edges):
            if room.startswith(tuple(sys.argv[1:])):
                print(f"{room} ({sizes[room]} files):", " ".join(sorted(edges[room])))
        return 0
    for ring in cycles(edges):
        ways = [f"{a} -> {b} ({edges[a][b][0]})" for a in sorted(ring) for b in sorted(ring) if b in edges[a]]
        faults.append("a cycle: " + ", ".join(ways))
    faults += [f"twice in {top}/: {', '.join(paths)}" for (top, _), paths in names.items() if len(paths) > 1]
    faults += [f"{room}/ has {count} files (at most {LARGE_ROOMS.get(room, FILES_IN_A_ROOM)})" for room, count in sizes.items()
               if count > LARGE_ROOMS.get(room, FILES_IN_A_ROOM)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    if not faults:
        print(f"rooms hold: {len(sizes)} rooms, {sum(sizes.values())} files, no cycle")
    return 1 if faults else 0


sys.exit(main())
