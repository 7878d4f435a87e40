"""A run of the diagnostics as a table: DCGM 4's, and the one of DCGM 3, which lists the software checks by name and
the results of the other tests in one line each. Layout: dcgmi/Diag.cpp of DCGM 4.4.2 and 3.3.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.dcgm._dcgmi.client import Client
from engine.commands.dcgm._dcgmi.diag_json import device_id, driver_version
from engine.control.dcgm.readings import Reading
from engine.workloads.dcgm_diag.outcome import Result, TestRun
from engine.workloads.dcgm_diag.plan import CATEGORIES, DEPLOYMENT, HARDWARE, INTEGRATION, SOFTWARE, STRESS

_RULE = "+---------------------------+------------------------------------------------+"
_HEADER = (
    _RULE,
    "| Diagnostic                | Result                                         |",
    _RULE.replace("-", "="),
)
_NAME, _TEXT, _CHUNK = 25, 46, 45
_SEPARATORS = {
    DEPLOYMENT: "|-----  Deployment  --------+------------------------------------------------|",
    HARDWARE: "+-----  Hardware  ----------+------------------------------------------------+",
    INTEGRATION: "+-----  Integration  -------+------------------------------------------------+",
    STRESS: "+-----  Stress  ------------+------------------------------------------------+",
}
_CHECKS = (
    "Denylist",
    "NVML Library",
    "CUDA Main Library",
    "Permissions and OS Blocks",
    "Persistence Mode",
    "Environment Variables",
    "Page Retirement/Row Remap",
    "Graphics Processes",
    "Inforom",
)
_NAMES_OF_3 = {
    "pcie": "PCIe",
    "memory": "GPU Memory",
    "context_create": "Context Create",
    "diagnostic": "Diagnostic",
    "pulse_test": "Pulse Test",
    "targeted_stress": "Targeted Stress",
    "targeted_power": "Targeted Power",
    "memory_bandwidth": "Memory Bandwidth",
    "memtest": "Memtest",
}
_PLACES_OF_3 = {
    INTEGRATION: ("pcie",),
    HARDWARE: ("memory", "context_create", "diagnostic", "pulse_test"),
    STRESS: ("targeted_stress", "targeted_power", "memory_bandwidth", "memtest"),
}


def text(client: Client, runs: Sequence[TestRun], gpus: Sequence[Reading], *, verbose: bool) -> str:
    """The table of DCGM 4."""
    lines = [*_beginning(client, gpus, ", ")]
    for category in CATEGORIES:
        of_category = [run for run in runs if run.test.category == category]
        lines += [_SEPARATORS[category]] if of_category else []
        for run in of_category:
            lines += _test(run, verbose)
    return "\n".join([*lines, _RULE, ""])


def _beginning(client: Client, gpus: Sequence[Reading], between: str) -> Iterator[str]:
    yield "Successfully ran diagnostic for group."
    yield from _HEADER
    yield "|-----  Metadata  ----------+------------------------------------------------|"
    yield _row("DCGM Version", client.version)
    yield _row("Driver Version Detected", driver_version(client))
    yield _row("GPU Device IDs Detected", between.join(device_id(gpu) for gpu in gpus))


def _row(name: str, value: str) -> str:
    shown = value if len(value) <= _TEXT else value[: _TEXT - 3] + "..."
    return f"| {name:<{_NAME}} | {shown:<{_TEXT}} |"


def _wrapped(name: str, value: str) -> Iterator[str]:
    """A long text, cut after every 45 characters."""
    value = value.partition("***")[2] if "***" in value else value
    value = value.strip()
    for start in range(0, len(value), _CHUNK):
        yield _row(name if not start else "", value[start : start + _CHUNK])


def _test(run: TestRun, verbose: bool) -> Iterator[str]:
    yield _row(run.test.name, run.result.value)
    yield from _notes(run, None, "", verbose)
    for gpu, result in run.results.items():
        yield _row("", f"GPU{gpu}: {'Fail' if result is Result.WARN else result.value}")
        yield from _notes(run, gpu, f": GPU{gpu}", verbose)


def _notes(run: TestRun, gpu: int | None, suffix: str, verbose: bool) -> Iterator[str]:
    for error in run.errors:
        if error.gpu == gpu:
            yield from _wrapped(f"Warning{suffix}", error.message)
    for where, remark in run.remarks if verbose else ():
        if where == gpu:
            yield from _wrapped(f"Info{suffix}", remark)


def text_of_3(client: Client, runs: Sequence[TestRun], gpus: Sequence[Reading], *, verbose: bool) -> str:
    """The table of DCGM 3."""
    by_name = {run.test.name: run for run in runs}
    lines = [*_beginning(client, gpus, ","), _SEPARATORS[DEPLOYMENT]]
    lines += _checks(by_name[SOFTWARE.name])
    for category in _PLACES_OF_3 if len(runs) > 1 else ():
        lines.append(_SEPARATORS[category])
        for name in _PLACES_OF_3[category]:
            if name in by_name:
                lines += _test_of_3(by_name[name], verbose)
    return "\n".join([*lines, _RULE, ""])


def _checks(run: TestRun) -> Iterator[str]:
    for name in _CHECKS:
        result = run.part.get(name, Result.PASS)
        yield _row(name, "Fail" if result is Result.WARN else result.value)
        for error in run.errors:
            if error.message.startswith(f"{name}: "):
                yield from _wrapped("Error", error.message.removeprefix(f"{name}: "))


def _test_of_3(run: TestRun, verbose: bool) -> Iterator[str]:
    name = _NAMES_OF_3[run.test.name]
    found = {result: [gpu for gpu, each in run.results.items() if each is result] for result in Result}
    whole = next((result for result, gpus in found.items() if len(gpus) == len(run.results)), None)
    if whole:
        yield _row(name, f"{whole.value} - All")
    for result in () if whole else (Result.PASS, Result.FAIL, Result.WARN, Result.SKIP):
        if found[result]:
            word = "GPU" if len(found[result]) == 1 else "GPUs"
            yield _row(name, f"{result.value} - {word}: {', '.join(map(str, found[result]))}   ")
            name = ""
    if verbose or whole is not Result.PASS:
        for error in sorted(run.errors, key=lambda error: -1 if error.gpu is None else error.gpu):
            yield from _wrapped("Warning", error.message)
        for _, remark in run.remarks:
            yield from _wrapped("Info", remark)
