"""filtered.py CALLS PROGRAM...: runs a program that is killed at its first system call outside a comma-separated
list."""
import os
import sys

import seccomp

rules = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
for call in sys.argv[1].split(","):
    try:
        rules.add_rule(seccomp.ALLOW, call)
    except (RuntimeError, ValueError):
        pass  # a call of another architecture, or newer than the library
rules.set_attr(seccomp.Attr.CTL_NNP, True)
rules.load()
os.execv(sys.argv[2], sys.argv[2:])
