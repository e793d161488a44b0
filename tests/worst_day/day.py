"""Compresses a day of mixed work into an hour: clients plan, put and import prices; agents run benchmarks; a feed is
refreshed; the daemon is stopped or killed, and started again. At quiet moments the storm reads the daemon's memory,
descriptors and threads; they must be the same as before.

The work is that of `mixed.py`, whose history is checked at each restart, at a fixed rate: 96 requests a second for an
hour equal four a second for a day. Old plans are deleted, so that the amount of stored data stays constant."""
import collections
import os
import pathlib
import tempfile
import threading
import time

import feed_replica
from conftest import Daemon
from feed_replica import azure_item, azure_page
from mixed import CLIENTS, Client, Gone, Mixed
from storm import SLOWER, UNDER, percentile, process_figures, wait_until

NAME = "a day of mixed work"
PROMISE = "flat memory, descriptors, threads; p99 of the last minute within 20 % of the first"
REQUESTS_A_SECOND, PLANS_KEPT, QUIET_S, FEED_EACH_S = 96, 200, 0.5, 5
DESCRIPTORS_OF_A_READER = 3  # a connection to the database may open late: the file, its log, its index


class Paced(Mixed):
    """Mixed work at a fixed rate. Records when each request began and how long it took."""

    def __init__(self, seed):
        super().__init__(seed)
        self.took, self.next_at, self.pace = [], collections.defaultdict(float), CLIENTS / REQUESTS_A_SECOND

    def ask(self, client, method, path, body=None, headers=None):
        now, mine = time.monotonic(), threading.get_ident()
        self.next_at[mine] = max(self.next_at[mine] + self.pace, now)
        time.sleep(self.next_at[mine] - now)
        began = time.monotonic()
        answer = super().ask(client, method, path, body, headers)
        self.took.append((began, time.monotonic() - began))
        return answer

    def tidy(self, daemon):
        """Deletes the oldest plans."""
        client = Client(daemon.port)
        for token in list(self.plans)[:max(0, len(self.plans) - PLANS_KEPT)]:
            self.write(client, token, None, "DELETE", f"/v1/plans/{self.plans.pop(token)}")
        client.close()


class Feed(threading.Thread):
    """Requests a refresh again and again. Each refresh finds another price."""

    def __init__(self, port, stop, totals):
        super().__init__(daemon=True)
        self.port, self.stop, self.totals = port, stop, totals

    def run(self):
        client = Client(self.port)
        while not self.stop.is_set():
            try:
                answer = client.request("POST", "/v1/feeds/azure/refresh", None, {"Prefer": "wait=20"})
                self.totals["refreshes" if answer.status == 200 else "refreshes that failed"] += 1
                if answer.status != 200:
                    self.totals["faults"].append(f"a refresh answers {answer.status}: {answer.text[-300:]}")
            except Gone:
                break
            self.stop.wait(FEED_EACH_S)
        client.close()


def slope_an_hour(points):
    """Returns the slope of (seconds, value) per hour, by least squares; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    mean_s, mean = sum(s for s, _ in points) / len(points), sum(v for _, v in points) / len(points)
    spread = sum((s - mean_s)**2 for s, _ in points)
    return 3600 * sum((s - mean_s) * (v - mean) for s, v in points) / spread if spread else 0.0


def cpu_s(pid):
    """Returns the processor time of a process in seconds. Other load on the machine changes it less than it changes
    request times."""
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def quiet_figures(daemon):
    """Reads the process figures when no client is connected. Waits briefly for connections that were just closed."""
    least = None
    for _ in range(10):
        time.sleep(QUIET_S / 10)
        now = process_figures(daemon.process.pid)
        least = now if least is None else {name: min(least[name], now[name]) for name in now}
    return least


def one_life(daemon, mixed, gusts, gust_s, orderly, totals):
    """Runs the daemon from a start to an end: gusts of work, with a quiet moment after each."""
    seen = []
    for gust in range(gusts):
        stop = threading.Event()
        feed = Feed(daemon.port, stop, totals)
        feed.start()
        asked, cpu = len(mixed.took), cpu_s(daemon.process.pid)

        def end(last=gust == gusts - 1):
            stop.set()
            if last and not orderly:
                daemon.process.kill()
                daemon.process.wait()
        if gust == gusts - 1 and not orderly:
            mixed.blow(daemon, min(gust_s, 2), end)  # the daemon is killed during this work
        else:
            mixed.blow(daemon, gust_s, end)
            totals["cpu"].append(1000 * (cpu_s(daemon.process.pid) - cpu) / max(1, len(mixed.took) - asked))
            seen.append((time.monotonic(), quiet_figures(daemon)))
        feed.join()
    return seen


def run(size, report):
    lives = 2 if not size.full else max(2, round(12 * size.factor))
    gusts, gust_s = (2, 1.2 * SLOWER) if not size.full or UNDER else (6, 50)
    totals, seen = collections.Counter(), []
    totals["faults"], totals["cpu"] = [], []
    with tempfile.TemporaryDirectory() as folder:
        replica = feed_replica.Replica(feed_replica.make_certificates(folder))
        price = [50.0]

        def answer(*_):
            price[0] = 50 + (price[0] - 49) % 40
            return azure_page([azure_item(price[0])])

        replica.answers["/api/retail/prices"] = answer
        daemon = Daemon(folder, "--own-devices=no", "--feeds", "azure=1", "--feed-urls", f"azure={replica.url}", "--feed-scopes", "azure=eastus", "--feed-local",
                        "--feed-ca-file", str(pathlib.Path(folder) / "ca.pem"))
        mixed, began, ended = Paced(size.random.random()), time.monotonic(), 0
        for life in range(lives):
            seen.append(one_life(daemon, mixed, gusts + (life % 2), gust_s, life % 2 == 0, totals))
            totals["faults"] += mixed.check(daemon) if life % 2 == 0 else []
            if life % 2 == 0:
                mixed.tidy(daemon)
                ended = ended or daemon.stop()
            daemon.start()
            totals["faults"] += mixed.check(daemon)
        wait_until(lambda: daemon.get("/readyz").status == 200, 20, "it is ready")
        ended = ended or daemon.stop()
        replica.close()
    hours = (time.monotonic() - began) / 3600
    warm = [life[1:] for life in seen]  # the first gust opens what the daemon keeps open
    for name, most in (("descriptors", DESCRIPTORS_OF_A_READER * 2), ("threads", 0)):
        first, last = warm[0][0][1][name], max(life[-1][1][name] for life in warm)
        report.figure(f"{name} at first", first)
        report.figure(f"{name} at most, later", last)
        report.must(last <= first + most, f"{last - first} more {name} than after the first gust")
    report.figure("MB at first", warm[0][0][1]["bytes"] / 1e6)
    report.figure("MB at the end", warm[-1][-1][1]["bytes"] / 1e6)
    for name, unit, most in (("bytes", 1e6, 20), ("descriptors", 1, 6), ("threads", 1, 0.5)):
        within = [slope_an_hour([(moment, figures[name] / unit) for moment, figures in life]) for life in warm]
        across = slope_an_hour([(life[-1][0], life[-1][1][name] / unit) for life in warm])
        shown = "MB" if name == "bytes" else name
        if size.full:  # a run of seconds gives no rate per hour
            report.bound(f"{shown} more an hour, from life to life", across, most)
            report.figure(f"{shown} more an hour, within a life (median)", percentile(within, 50))
    report.figure("hours", hours)
    report.figure("lives", lives)
    report.figure("requests", len(mixed.took))
    report.figure("leases", mixed.counts["leases"])
    report.figure("results", mixed.counts["results"])
    report.figure("refreshes of a feed", totals["refreshes"])
    minute = 60 if size.full else 1.5
    times = [moment for moment, _ in mixed.took]
    early = [took for moment, took in mixed.took if 10 * size.full <= moment - times[0] < minute + 10 * size.full]
    late = [took for moment, took in mixed.took if moment > times[-1] - minute]
    report.figure("ms p99 of the first minute", percentile(early, 99) * 1000)
    report.figure("ms p99 of the last minute", percentile(late, 99) * 1000)
    report.bound("ratio of the last minute's p99 to the first's", percentile(late, 99) / percentile(early, 99), 1.2)
    report.figure("ms of CPU per request, first gust", totals["cpu"][0])
    report.figure("ms of CPU per request, last gust", totals["cpu"][-1])
    report.bound("ratio of the last gust's CPU per request to the first's", totals["cpu"][-1] / totals["cpu"][0], 1.2)
    report.figure("answers of 5xx", sum(count for status, count in mixed.statuses.items() if status >= 500))
    report.figure("lost, doubled or torn", len(totals["faults"]))
    for fault in totals["faults"]:
        report.must(False, fault)
    report.must(mixed.history.acknowledged > 20 and mixed.counts["results"] > 0 and totals["refreshes"] > 0, "the storm did too little to prove anything")
    report.must(not any(status >= 500 for status in mixed.statuses), f"answers of 5xx: {dict(mixed.statuses)}")
    report.must(ended == 0, f"the daemon ended with {ended}")
