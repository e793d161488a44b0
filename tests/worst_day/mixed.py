"""Mixed work of eight clients against one daemon, with the history that a checker needs.

Clients make, rename and delete plans. Two clients at once put and delete the same prices. Imports replace groups of
prices as a whole. Benchmarks are queued, and agents lease them, keep them alive, deliver their results, or the client
cancels them. Every acknowledged change must be there after the daemon died. A change without an answer may be there,
whole and once."""
import collections
import http.client
import itertools
import json
import random
import threading
import time
import traceback
import urllib.parse

from crash_daemon import BODY
from fake_agent import FakeAgent, gpu, measured
from history import History
from conftest import Answer

CLIENTS, PRICES, GROUPS, GROUP_ROWS, AGENTS = 8, 12, 3, 20, 2
PRICE = {"provider": "worst", "instance_type": "x8", "region": "r1", "accelerator_id": "h100-sxm5-80gb", "source": "a storm", "pricing_model": "on_demand",
         "gpus": 8, "price_usd_per_hour": 20.5, "as_of": "2026-11-01"}
HEADER = "id,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of,source,notes\n"
PLAN = json.loads(BODY)


class Gone(Exception):
    """No answer arrived: the daemon died or closed the connection."""


class Client:
    """One persistent connection. Replaces conftest's Daemon where a FakeAgent needs one."""

    def __init__(self, port, seconds=30):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)

    def request(self, method, path, body=None, headers=None):
        if isinstance(body, (dict, list)):
            body, headers = json.dumps(body), {"Content-Type": "application/json"} | (headers or {})
        try:
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Gone(str(error)) from error

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body, headers=None):
        return self.request("POST", path, body, headers)

    def close(self):
        self.connection.close()


class Mixed:
    def __init__(self, seed):
        self.history, self.random, self.numbers = History(), random.Random(seed), itertools.count(1)
        self.plans, self.unanswered_plans = {}, {}  # token -> id; token -> notes
        self.benchmarks, self.leases = {}, collections.defaultdict(list)  # token -> id; id -> [(lease token, agent)]
        self.results, self.doubtful = {}, set()  # id -> the last acknowledged result; ids with an unanswered request
        self.counts, self.statuses, self.wrong = collections.Counter(), collections.Counter(), []
        self.lock, self.round = threading.Lock(), 0

    # --- what a client does ---------------------------------------------------------------------------------------------

    def ask(self, client, method, path, body=None, headers=None):
        answer = client.request(method, path, body, headers)
        with self.lock:
            self.statuses[answer.status] += 1
        return answer

    def write(self, client, key, value, method, path, body=None, headers=None):
        """Sends one write and records its outcome. Returns the answer, if there is one."""
        operation = self.history.begin(key, value)
        try:
            answer = self.ask(client, method, path, body, headers)
        except Gone:
            self.history.unknown()
            raise
        if answer.status < 300:
            self.history.done(operation)
        elif answer.status < 500:
            self.history.refused(operation)
        else:
            self.history.unknown()  # a failing disk may keep a change that the daemon refused
        return answer

    def put_price(self, client, chance):
        key = f"storm.{chance.randrange(PRICES)}"
        kind = chance.random()
        if kind < 0.55:
            value = f"v{next(self.numbers)}"
            self.write(client, key, value, "PUT", "/v1/prices/" + key, PRICE | {"notes": value})
        elif kind < 0.7:
            self.write(client, key, None, "DELETE", "/v1/prices/" + key)
        else:
            begin = self.history.now()
            answer = self.ask(client, "GET", "/v1/prices/" + key)
            if answer.status in (200, 404):
                self.history.read(key, answer.json["notes"] if answer.status == 200 else None, begin)

    def make_plan(self, client, chance):
        mine = [token for token in list(self.plans) if chance.random() < 0.3]
        kind = chance.random()
        if kind < 0.5 or not mine:
            token = f"plan-{next(self.numbers)}"
            notes = f"v{next(self.numbers)}"
            self.unanswered_plans[token] = notes
            answer = self.write(client, token, notes, "POST", "/v1/plans/training", PLAN | {"name": token, "notes": notes}, {"Idempotency-Key": token})
            if answer.status < 300:
                self.plans[token] = answer.json["id"]
            if answer.status < 500:
                del self.unanswered_plans[token]
            return
        token = mine[0]
        name = self.plans.get(token)
        if name is None:
            return  # another client has deleted it meanwhile
        if kind < 0.7:
            value = f"v{next(self.numbers)}"
            self.write(client, token, value, "PATCH", f"/v1/plans/{name}", {"notes": value})
        elif kind < 0.8:
            if self.write(client, token, None, "DELETE", f"/v1/plans/{name}").status < 300:
                self.plans.pop(token, None)
        else:
            begin = self.history.now()
            answer = self.ask(client, "GET", f"/v1/plans/{name}")
            if answer.status in (200, 404):
                self.history.read(token, answer.json["notes"] if answer.status == 200 else None, begin)

    def import_group(self, client, chance):
        group = f"group.{chance.randrange(GROUPS)}"
        if chance.random() < 0.5:
            self.read_group(client, group)
            return
        value = f"v{next(self.numbers)}"
        rows = "".join(f"{group}.{i},{group},x8,r1,h100-sxm5-80gb,8,20.5,on_demand,2026-11-01,a storm,{value}\n" for i in range(GROUP_ROWS))
        self.write(client, group, value, "POST", "/v1/imports/prices?overwrite=true", HEADER + rows, {"Content-Type": "text/csv"})

    def read_group(self, client, group):
        begin = self.history.now()
        answer = self.ask(client, "GET", f"/v1/prices?provider={group}&limit=100")
        if answer.status == 200:
            seen = {row["notes"] for row in answer.json["items"]}
            if len(seen) > 1 or len(answer.json["items"]) not in (0, GROUP_ROWS):
                self.wrong.append(f"{group} is in pieces: {len(answer.json['items'])} rows of {sorted(seen)}")
            else:
                self.history.read(group, seen.pop() if seen else None, begin)

    def queue_benchmark(self, client, chance):
        if chance.random() < 0.8 or not self.benchmarks:
            token = f"bench-{next(self.numbers)}"
            answer = self.write(client, token, "made", "POST", "/v1/benchmarks", {"suite": "quick", "labels": {"token": token}}, {"Idempotency-Key": token})
            if answer.status < 300:
                self.benchmarks[token] = answer.json["id"]
            return
        token = chance.choice(list(self.benchmarks))
        name = self.benchmarks[token]
        self.doubtful.add(name)  # from now on it may end at any time
        self.ask(client, "DELETE", f"/v1/benchmarks/{name}")

    def work(self, client, chance, agent):
        """An agent's turn: takes a lease, may keep it alive, may deliver a result."""
        answer = agent.lease()
        if answer.status != 200:
            return
        lease = answer.json
        name = lease["benchmark_id"]
        with self.lock:
            self.counts["leases"] += 1
            if any(token == lease["token"] for token, _ in self.leases[name]):
                self.wrong.append(f"benchmark {name} was leased twice with token {lease['token']}")
            if name in self.results:
                self.wrong.append(f"benchmark {name} was leased after its result was acknowledged")
            self.leases[name].append((lease["token"], agent.name))
        if chance.random() < 0.5:
            agent.heartbeat(lease)
        self.doubtful.add(name)
        result = measured(agent.devices[0]["id"])
        result["measures"][1]["median"] = result["measures"][1]["p90"] = result["measures"][1]["max"] = 270e9 + next(self.numbers)
        answer = agent.deliver(lease, result)
        if answer.status == 200 and answer.json["state"] == "succeeded":
            with self.lock:
                if name in self.results and not answer.json["repeated"]:
                    self.wrong.append(f"benchmark {name} took two results")
                self.results[name] = result["measures"][1]["median"]
                self.counts["results"] += 1

    def client(self, port, number, stop):
        chance = random.Random(f"{self.round} {number} {self.random.random()}")
        client = Client(port)
        agent = FakeAgent(client, f"a{self.round}-{number}", [gpu(f"GPU-{self.round}-{number}")]) if number < AGENTS else None
        try:
            if agent:
                agent.register()
            while not stop.is_set():
                kind = chance.random()
                if agent and kind < 0.6:
                    self.work(client, chance, agent)
                elif kind < 0.35:
                    self.make_plan(client, chance)
                elif kind < 0.7:
                    self.put_price(client, chance)
                elif kind < 0.8:
                    self.import_group(client, chance)
                else:
                    self.queue_benchmark(client, chance)
        except Gone:
            pass
        except Exception:  # an answer that the client does not understand
            self.wrong.append(traceback.format_exc())
        finally:
            client.close()

    def blow(self, daemon, seconds, end):
        """Runs all clients for that many seconds. Then `end` stops or breaks the daemon under them. Returns when no
        client is working."""
        self.round += 1
        stop = threading.Event()
        threads = [threading.Thread(target=self.client, args=(daemon.port, number, stop), daemon=True) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            time.sleep(seconds)
            end()
        finally:
            stop.set()
        for thread in threads:
            thread.join()

    # --- what the checker does ------------------------------------------------------------------------------------------

    def pages(self, client, path):
        cursor, items = "", []
        while cursor is not None:
            answer = client.get(path + ("&cursor=" + urllib.parse.quote(cursor) if cursor else ""))
            if answer.status != 200:
                raise AssertionError(f"{path} answers {answer.status}: {answer.text[:300]}")
            items += answer.json["items"]
            cursor = answer.json["next_cursor"]
        return items

    def check(self, daemon):
        """Compares the stored state with the history and returns the faults. The history then begins anew with that
        state. Retries unanswered requests: each must be there once."""
        client, faults, state = Client(daemon.port), self.wrong, {}
        self.wrong = []
        faults += self.history.wrong_reads()
        self.history.forget_reads()
        plans = self.pages(client, "/v1/plans?limit=1000")
        names = collections.Counter(plan["name"] for plan in plans)
        faults += [f"plan {name} exists {count} times" for name, count in names.items() if count > 1]
        state |= {plan["name"]: plan["notes"] for plan in plans}
        by_name = {plan["name"]: plan["id"] for plan in plans}
        for price in self.pages(client, "/v1/prices?provider=worst&limit=1000"):
            state[price["id"]] = price["notes"]
        for number in range(GROUPS):
            self.read_group(client, f"group.{number}")
        for group, value, _, _ in self.history.reads:
            state[group] = value
        faults += self.wrong
        self.wrong = []
        self.history.forget_reads()
        benchmarks = self.pages(client, "/v1/benchmarks?limit=1000")
        tokens = collections.Counter(row["labels"]["token"] for row in benchmarks)
        faults += [f"benchmark {token} exists {count} times" for token, count in tokens.items() if count > 1]
        state |= {token: "made" for token in tokens}
        faults += self.check_results(client, {row["id"]: row for row in benchmarks})
        keys = set(self.history.writes) | set(state)
        for key in keys:
            if not self.history.admits(key, state.get(key), self.history.now()):
                writes = [(one.value, one.begin, one.end) for one in self.history.writes.get(key, [])][-6:]
                faults.append(f"{key} holds {state.get(key)!r} after {writes}")
            self.history.settle(key, state.get(key))
        self.plans = {name: by_name[name] for name in names}
        self.benchmarks = {row["labels"]["token"]: row["id"] for row in benchmarks if row["state"] in ("queued", "running")}
        faults += self.retry(client)
        client.close()
        return faults

    def check_results(self, client, rows):
        faults = []
        for name, median in self.results.items():
            row = rows.get(name)
            if row is None or row["state"] != "succeeded":
                faults.append(f"the acknowledged result of {name} is gone: {row and row['state']}")
                continue
            found = {one["test"]: one["median"] for one in client.get(f"/v1/benchmarks/{name}").json["result"]["measures"]}
            if found["stream_triad"] != median:
                faults.append(f"benchmark {name} holds another result than the one acknowledged")
        for name, leases in self.leases.items():
            row = rows.get(name)
            if row is None:
                faults.append(f"benchmark {name}, which was leased, is gone")
            elif name not in self.doubtful and name not in self.results and row["state"] != "running":
                faults.append(f"the lease of {name} ({leases[-1]}) is forgotten: {row['state']}")
        self.results, self.doubtful = {}, set()
        self.leases = collections.defaultdict(list, {name: leases for name, leases in self.leases.items() if name in rows and rows[name]["state"] in ("queued", "running")})
        self.doubtful |= set(self.leases)  # its lease may end later
        return faults

    def retry(self, client):
        """Repeats unanswered requests with their Idempotency-Key. Each makes its plan, or returns the plan that it made
        before."""
        faults = []
        for token, notes in self.unanswered_plans.items():
            for _ in range(2):
                answer = client.post("/v1/plans/training", PLAN | {"name": token, "notes": notes}, {"Idempotency-Key": token})
                if answer.status != 201 or (token in self.plans and self.plans[token] != answer.json["id"]):
                    faults.append(f"the retry of {token} answered {answer.status} {answer.text[:100]}, there was {self.plans.get(token)}")
                    break
                self.plans[token] = answer.json["id"]
                self.history.settle(token, notes)
        self.counts["retried"] += len(self.unanswered_plans)
        self.unanswered_plans = {}
        return faults
