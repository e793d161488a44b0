"""Records what clients did, as they observed it, and checks whether one store can have answered so.

Each key is a register with writes of values that are never written twice (None removes), reads, and its value after a
crash. A read may return a value if its write began before the end of the read, and no other acknowledged write lies
wholly between the two. A write without an answer may have happened at any time up to the crash, or not at all. This is
linearizability for registers with unique values (Gibbons and Korach 1997, section 3.2: each value names its write)."""
import itertools
import math
import threading


class Operation:
    """A write, from its request to its answer, in the order in which the checker recorded them."""

    def __init__(self, key, value, begin):
        self.key, self.value, self.begin, self.end, self.acknowledged = key, value, begin, math.inf, False


class History:
    def __init__(self):
        self.lock, self.clock = threading.Lock(), itertools.count(1)
        self.writes, self.reads, self.acknowledged, self.unanswered = {}, [], 0, 0

    def begin(self, key, value):
        with self.lock:
            operation = Operation(key, value, next(self.clock))
            self.writes.setdefault(key, []).append(operation)
            return operation

    def done(self, operation):
        with self.lock:
            operation.end, operation.acknowledged = next(self.clock), True
            self.acknowledged += 1

    def refused(self, operation):
        """The server answered that the write did not happen."""
        with self.lock:
            self.writes[operation.key].remove(operation)

    def unknown(self):
        with self.lock:
            self.unanswered += 1

    def now(self):
        with self.lock:
            return next(self.clock)

    def read(self, key, value, begin):
        with self.lock:
            self.reads.append((key, value, begin, next(self.clock)))

    def admits(self, key, value, begin, end=math.inf):
        """True if a read from begin to end may have returned the value. A key that was never written has None."""
        writes = self.writes.get(key, [])
        sources = [one for one in writes if one.value == value and one.begin < end]
        if value is None:
            sources.append(Operation(key, None, 0))
            sources[-1].end = 0
        return any(not any(other.acknowledged and other.begin > source.end and other.end < begin for other in writes) for source in sources)

    def wrong_reads(self):
        return [f"{key} was read as {value!r} from {begin} to {end}, after {[(one.value, one.begin, one.end) for one in self.writes.get(key, []) if one.begin < end][-6:]}"
                for key, value, begin, end in self.reads if not self.admits(key, value, begin, end)]

    def settle(self, key, value):
        """Sets the key's value from here on. Unanswered writes have happened by now, or never will."""
        self.writes[key] = []
        if value is not None:
            self.done(self.begin(key, value))
            self.acknowledged -= 1

    def forget_reads(self):
        self.reads = []
