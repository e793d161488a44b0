"""Tests that mostly wait, side by side: those of a file that are marked @beside begin, a few at a time, when pytest comes to the first of
them, and each tells its end when pytest comes to it. A file makes its stage of what its tests ask for by name:

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
    """A test whose arguments are those of its stage and its own parameters."""
    @functools.wraps(scenario)
    def test(stage, request, **_):
        stage(request.node.nodeid)

    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    marked = [name.strip() for mark in getattr(scenario, "pytestmark", []) if mark.name == "parametrize" for name in mark.args[0].split(",")]
    test.__signature__ = inspect.Signature([inspect.Parameter(name, keyword) for name in ("stage", "request", *marked)])
    test.scenario = scenario
    return test


def run(scenario, parameters, props):
    """One of them, with a folder of its own; what it took is put away however it ends."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"{scenario.__name__[:30]}-", ignore_cleanup_errors=True)))
        wanted = [name for name in inspect.signature(scenario).parameters if name not in parameters]
        scenario(**parameters, **{name: props[name](folder, stack) for name in wanted})


def play(request, props):
    """Begins all that will be asked for; yields what waits for the end of one."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        ends = {}
        for item in request.session.items:
            scenario = getattr(getattr(item, "function", None), "scenario", None)
            if item.module is request.module and scenario and not any(mark.args[0] for mark in item.iter_markers("skipif")):
                ends[item.nodeid] = pool.submit(run, scenario, item.callspec.params if hasattr(item, "callspec") else {}, props)
        yield lambda name: ends[name].result()
        for end in ends.values():
            end.cancel()
