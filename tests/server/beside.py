"""Runs tests that mostly wait side by side. When pytest comes to the first test of a file that is marked @beside, all
of that file's @beside tests begin, a few at a time. Each reports its result when pytest comes to it. The file builds its
stage from what its tests ask for by name:

    @pytest.fixture(scope="module")
    def stage(request, site):
        yield from beside.play(request, {"site": lambda folder, stack: site})
"""
import concurrent.futures
import contextlib
import functools
import inspect
import pathlib
import tempfile

AT_ONCE = 5


def beside(scenario):
    """Returns a test whose arguments are the stage and its own parameters."""
    @functools.wraps(scenario)
    def test(stage, request, **_):
        stage(request.node.nodeid)

    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    marked = [name.strip() for mark in getattr(scenario, "pytestmark", []) if mark.name == "parametrize" for name in mark.args[0].split(",")]
    test.__signature__ = inspect.Signature([inspect.Parameter(name, keyword) for name in ("stage", "request", *marked)])
    test.scenario = scenario
    return test


def run(scenario, parameters, props):
    """Runs one test with a folder of its own. Releases what the test used, however it ends."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"{scenario.__name__[:30]}-", ignore_cleanup_errors=True)))
        wanted = [name for name in inspect.signature(scenario).parameters if name not in parameters]
        scenario(**parameters, **{name: props[name](folder, stack) for name in wanted})


def play(request, props):
    """Begins all requested tests. Yields the function that waits for the end of one."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = {}
        for item in request.session.items:
            scenario = getattr(getattr(item, "function", None), "scenario", None)
            if item.module is request.module and scenario and not any(mark.args[0] for mark in item.iter_markers("skipif")):
                ends[item.nodeid] = pool.submit(run, scenario, item.callspec.params if hasattr(item, "callspec") else {}, props)
        yield lambda name: ends[name].result()
        for end in ends.values():
            end.cancel()
