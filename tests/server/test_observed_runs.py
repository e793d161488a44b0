"""Whole runs that were reported with their plans change the practice of later plans (E134)."""
import math

import pytest

from conftest import Daemon, run
from support import answer_of, assumed, bearer, best

TRAINING = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100-sxm", "gpu_count": 256, "stack": "megatron_core", "alternatives": 0}


def plan_of(daemon, **more):
    return answer_of(daemon, "/v1/plans/training", TRAINING | more, 201)


def practice(plan):
    return best(plan)["practice"]


def hours(plan):
    return best(plan)["wall_clock_hours"]


def width(plan):
    interval = best(plan)["interval"]["wall_clock_hours"]
    return interval["p90"] / interval["p10"]


def noted(plan):
    return assumed(plan, "practice.own_runs")


def contradicts(plan):
    return any("contradict each other" in str(warning) for warning in plan["result"].get("warnings", []))


def report(daemon, plan, ratio, **more):
    """Reports a run that took `ratio` times its plan's steps and failures."""
    answer = daemon.post("/v1/observations", {"plan_id": plan["id"], "hours": ratio * hours(plan) / practice(plan)["value"]} | more)
    assert answer.status == 201, answer.text
    return answer.json


def rows(daemon):
    return daemon.get("/v1/calibrations?quantity=run_practice").json["items"]


def test_five_runs_move_the_next_plan_towards_them(hub):
    first = plan_of(hub)
    assert "own_runs" not in practice(first) and noted(first) is None
    same = [plan_of(hub) for _ in range(3)]
    told = [report(hub, plan, ratio, gpu_count=256) for plan, ratio in zip([first] + same, (2.4, 2.5, 2.6, 2.45))]
    one = told[0]
    assert one["practice"] == pytest.approx(2.4) and one["practice_expected"] == pytest.approx(practice(first)["value"])
    assert "practice_unused_because" not in one
    told.append(report(hub, plan_of(hub), 2.55))  # this plan was made with the four runs; 2.55 is the ratio to its steps as well
    assert told[-1]["practice"] == pytest.approx(2.55) and told[-1]["practice_expected"] == pytest.approx(one["practice_expected"])
    now = plan_of(hub)
    assert hours(first) < hours(now) < 2.6 * hours(first) / practice(first)["value"]
    # The practice is nearer to the team's own runs than to the published ones.
    assert math.log(practice(now)["value"] / practice(first)["value"]) > 0.7 * math.log(2.5 / practice(first)["value"])
    assert practice(now)["own_runs"] == pytest.approx(5) and 0.7 < practice(now)["own_weight"] < 0.85
    assert width(now) < width(first) and best(now)["step"]["time_s"] == best(first)["step"]["time_s"]
    assert [part["name"] for part in practice(now)["parts"]] == [part["name"] for part in practice(first)["parts"]]
    for part in practice(now)["parts"]:
        assert "5 runs of your own" in part["source"] and told[-1]["id"] in part["source"] and "x2.40 to x2.60" in part["source"], part
        assert len(part["source"]) <= 400
    assert noted(now)["value"] == 5 and noted(now)["status"] == "measured" and not contradicts(now)
    assert best(now)["cost"]["total_usd"] / best(first)["cost"]["total_usd"] == pytest.approx(hours(now) / hours(first), rel=0.02)
    got = hub.get(f"/v1/plans/{first['id']}").json["observations"]
    assert got == [one] and one["practice_used"]


def test_one_run_weighs_less_than_the_published_ones(hub):
    first = plan_of(hub)
    report(hub, first, 2.5)
    moved = math.log(hours(plan_of(hub)) / hours(first)) / math.log(2.5 / practice(first)["value"])
    assert moved == pytest.approx(0.25, abs=0.01)
    report(hub, plan_of(hub), 1.0), report(hub, plan_of(hub), 1.0)
    assert hours(plan_of(hub)) < hours(first)  # faster runs shorten the plan


def test_reports_of_one_plan_are_one_run_of_which_the_newest_stands(hub):
    first = plan_of(hub)
    told = [report(hub, first, ratio) for ratio in (1.2, 1.9, 2.5)]
    now = plan_of(hub)
    assert practice(now)["own_runs"] == pytest.approx(1) and practice(now)["own_weight"] == pytest.approx(0.25, abs=0.01)
    assert "x2.50 of" in noted(now)["source"] and noted(now)["value"] == 1
    items = hub.get(f"/v1/observations?plan_id={first['id']}").json["items"]
    assert [item["practice_used"] for item in items] == [True, False, False] and told[0]["practice_used"]
    assert all("newer report of the same plan" in item["practice_unused_because"] for item in items[1:])
    # Without the newest report, the one before it counts.
    assert hub.request("DELETE", f"/v1/observations/{told[2]['id']}").status == 204
    assert "x1.90 of" in noted(plan_of(hub))["source"]


def test_a_deleted_observation_counts_no_longer(hub):
    first = plan_of(hub)
    told = report(hub, first, 2.5)
    assert hours(plan_of(hub)) > hours(first)
    path = f"/v1/observations/{told['id']}"
    assert hub.request("DELETE", path).status == 204
    assert hours(plan_of(hub)) == hours(first) and rows(hub) == []
    assert hub.get(path).status == 404 and hub.request("DELETE", path).status == 404


def test_unlike_runs_weigh_less(hub):
    first = plan_of(hub)
    for _ in range(5):
        report(hub, plan_of(hub), 2.5)
    like = practice(plan_of(hub))["own_weight"]
    for more in ({"accelerator": "mi300x"}, {"accelerator": "a100-80gb"}, {"stack": "fsdp"}, {"gpu_count": 16}, {"model": "llama-3.1-70b", "tokens": "100B"}):
        other = plan_of(hub, **more)
        assert 0 < practice(other)["own_weight"] < like and practice(other)["value"] > practice(first)["value"], more
    amd, nvidia = (practice(plan_of(hub, accelerator=name))["own_weight"] for name in ("mi300x", "a100-80gb"))
    assert amd < nvidia


def test_recipe_first_runs_and_datasheets_leave_them_out(hub):
    first = plan_of(hub)
    before = {"recipe": plan_of(hub, practice="recipe"), "first_run": plan_of(hub, practice="first_run", accelerator="mi300x"),
              "datasheet": plan_of(hub, calibration="datasheet")}
    for plan in [first] + [plan_of(hub) for _ in range(4)]:
        report(hub, plan, 2.5)
    after = {"recipe": plan_of(hub, practice="recipe"), "first_run": plan_of(hub, practice="first_run", accelerator="mi300x"),
             "datasheet": plan_of(hub, calibration="datasheet")}
    for kind, plan in after.items():
        assert hours(plan) == hours(before[kind]), kind
        assert noted(plan)["value"] == 0 and "5 runs of your own on record do not count" in noted(plan)["source"], noted(plan)
    assert "recipe" in noted(after["recipe"])["source"]
    own = plan_of(hub, practice="first_run")  # on the runs' own accelerator they count
    assert practice(own)["own_runs"] == pytest.approx(5) and practice(own)["parts"][-1]["name"] == "new_hardware"


def test_a_known_step_takes_what_was_left_beside_the_steps(hub):
    first = plan_of(hub)
    for plan in [first] + [plan_of(hub) for _ in range(4)]:  # 2 of the factor 2.24 were in the steps
        report(hub, plan, 2 * 1.12, step_time_s=2 * best(plan)["step"]["time_s"])
    assert all(row["step_ratio"] == pytest.approx(2) for row in rows(hub))
    known = plan_of(hub, mfu=0.4)
    assert [part["name"] for part in practice(known)["parts"]] == ["evaluation_and_restarts"]
    assert practice(known)["value"] == pytest.approx(1.12) and practice(known)["own_runs"] == pytest.approx(5)
    assert hours(plan_of(hub)) > hours(first)  # the new plan uses the observed steps
    # A run of a plan with a given mfu corrects only the remaining part of practice.
    for plan in [known] + [plan_of(hub, mfu=0.4) for _ in range(4)]:
        told = report(hub, plan, 1.5)
        assert told["practice_expected"] == pytest.approx(1.12)
    assert 1.15 < practice(plan_of(hub, mfu=0.4))["value"] < 1.5


def test_runs_that_contradict_each_other_widen_the_range(hub):
    first = plan_of(hub)
    for plan, ratio in zip([first] + [plan_of(hub) for _ in range(3)], (0.9, 4.2, 1.0, 4.0)):
        report(hub, plan, ratio)
    now = plan_of(hub)
    assert contradicts(now) and width(now) > width(first)
    assert practice(now)["own_weight"] < 4 * 0.25 / (0.75 + 4 * 0.25)


def test_deletion_takes_a_run_back_and_replay_gives_the_plan_again(tmp_path):
    daemon = Daemon(tmp_path, "--own-devices=no")
    try:
        first = plan_of(daemon)
        for _ in range(5):
            report(daemon, first, 2.5)
        moved = plan_of(daemon)
        assert moved["calibration_revision"] > (first.get("calibration_revision") or 0)
        daemon.stop(), daemon.start()
        assert len(rows(daemon)) == 5 and hours(plan_of(daemon)) == hours(moved)
        for row in rows(daemon):
            assert row["id"].startswith("run_practice.") and row["used"] and row["gpu_count"] == 256 and row["class"] == "megatron_core", row
            assert row["expected"] == pytest.approx(practice(first)["value"]) and row["params"] == pytest.approx(8.03e9, rel=0.01)
            assert daemon.request("DELETE", f"/v1/calibrations/{row['id']}").status == 204
        again = plan_of(daemon)
        assert hours(again) == hours(first) and noted(again) is None
        for plan in (first, moved):
            replay = daemon.get(f"/v1/plans/{plan['id']}/replay").json
            assert replay["reproduced"] and replay["differing"] == 0, replay
        changes = daemon.request("POST", f"/v1/plans/{moved['id']}/refresh", None).json["changes"]
        assert [cause["cause"] for cause in changes["causes"]] == ["calibrations"], changes
    finally:
        daemon.stop()


def test_what_is_no_whole_run_says_why(hub):
    plan = plan_of(hub)
    for ratio, more, why in ((2, {"gpu_count": 128}, "another number"), (2, {"stack": "fsdp"}, "another stack"), (8, {}, "more than 6 times"),
                             (0.2, {}, "less than a third")):
        told = report(hub, plan, ratio, **more)
        assert why in told["practice_unused_because"], told
    service = hub.post("/v1/plans/inference", {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "prompt_tokens": 500, "output_tokens": 100, "requests_per_s": 2})
    assert service.status == 201, service.text
    told = hub.post("/v1/observations", {"plan_id": service.json["id"], "hours": 100}).json
    assert "inference" in told["practice_unused_because"] and "practice" not in told
    told = hub.post("/v1/observations", {"plan_id": plan["id"], "step_time_s": best(plan)["step"]["time_s"]}).json
    assert "practice" not in told and "practice_unused_because" not in told
    assert rows(hub) == [] and hours(plan_of(hub)) == hours(plan)


class Keyed:
    """The same daemon, with keys: a planner's report out of range waits for an admin."""

    def __init__(self, daemon_with, folder):
        (folder / "root").write_text("fp_" + "ad" * 32)
        self.daemon = daemon_with("--own-devices=no", "--bootstrap-key-file", str(folder / "root"))
        made = run("keys", "create", "--database", self.daemon.database)
        self.keys = {"root": "fp_" + "ad" * 32, "planner": made.stdout.strip()}

    def by(self, name):
        keyed = self

        class One:
            def post(self, path, body):
                return keyed.daemon.post(path, body, bearer(keyed.keys[name]))

            def get(self, path):
                return keyed.daemon.get(path, bearer(keyed.keys[name]))

        return One()


def test_a_planners_report_out_of_range_waits_for_an_admin(daemon_with, tmp_path):
    """One forged run of four times the expected hours, and five steps of a third of the predicted speed from two
    plans."""
    keyed = Keyed(daemon_with, tmp_path)
    planner, root = keyed.by("planner"), keyed.by("root")
    plans = [plan_of(planner) for _ in range(2)]
    before = hours(plans[0])
    told = report(planner, plans[0], 5.5, gpu_count=256)
    assert not told["practice_used"] and "waits for an admin" in told["practice_unused_because"], told
    name = f"run_practice.{told['id']}.held"
    held = {row["id"]: row for row in root.get("/v1/calibrations?held=true").json["items"]}
    assert set(held) == {name} and "no admin's key" in held[name]["held_because"]
    assert hours(plan_of(planner)) == before  # it changes no plan
    step_s = told["predicted"]["step_time_s"]
    for i in range(5):
        seen = planner.post("/v1/observations", {"plan_id": plans[i % 2]["id"], "step_time_s": 2.6 * step_s, "gpu_count": 256})
        assert seen.status == 201, seen.text
    assert not seen.json["used"] and "waits for an admin" in seen.json["unused_because"], seen.json
    assert hours(plan_of(planner)) == before
    stack = next(row for row in root.get("/v1/calibrations?held=true").json["items"] if row["quantity"] == "stack_speed")
    decision = f"/v1/calibrations/{stack['id']}/decision"
    assert planner.post(decision, {"decision": "accept"}).status == 403
    assert root.post(decision, {"decision": "accept"}).status == 200
    slow = hours(plan_of(planner))
    assert slow > 1.4 * before
    again = planner.post("/v1/observations", {"plan_id": plans[0]["id"], "step_time_s": 2.62 * step_s, "gpu_count": 256})
    assert again.json["used"], again.json  # it agrees with a report that an admin accepted
    assert root.post(f"/v1/calibrations/{name}/decision", {"decision": "reject"}).status == 204
    assert root.get("/v1/calibrations?held=true").json["items"] == []
    assert "deleted" in planner.get(f"/v1/observations/{told['id']}").json["practice_unused_because"]


def test_an_admins_report_and_one_in_range_count_at_once(daemon_with, tmp_path):
    keyed = Keyed(daemon_with, tmp_path)
    planner, root = keyed.by("planner"), keyed.by("root")
    assert report(planner, plan_of(planner), 2.4, gpu_count=256)["practice_used"]
    forged = report(root, plan_of(root), 5.5, gpu_count=256)
    assert forged["practice_used"], forged
    waiting = report(planner, plan_of(planner), 5.5, gpu_count=256)
    assert not waiting["practice_used"]
    assert keyed.daemon.request("DELETE", f"/v1/observations/{waiting['id']}", None, bearer(keyed.keys['root'])).status == 204
    assert root.get("/v1/calibrations?held=true").json["items"] == []
