"""`dcgmi diag`: the diagnostics' command line. Texts: dcgmi/Diag.cpp and CommandLineParser.cpp of DCGM 4.4.2.

dcgmi prints nothing until a run is over. Where no host engine runs it does with one of its own, unless `--host` was
given. Guess: that a node whose driver's library does not work answers as other requests do (-56).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.dcgm._dcgmi import diag_json, diag_run, diag_table
from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, not_negative, refusal
from engine.commands.dcgm._dcgmi.client import OK, BadEntities, Client, Return, connect, entities
from engine.commands.dcgm._dcgmi.diag_run import Request, Stopped
from engine.commands.dcgm._dcgmi.output import styled
from engine.control.dcgm import host_engine, modules
from engine.control.dcgm.readings import Reading
from engine.workloads.dcgm_diag.outcome import TestRun, failed, isolates
from engine.workloads.dcgm_diag.plan import Parameters, UnknownTests, tests

_EVERYTHING = "*,cpu:*"
SUBSYSTEM = Subsystem(
    "diag",
    "runs diagnostics of the node and its GPUs.",
    (
        Argument("r", "run", "diag", "1 (seconds), 2 (two minutes), 3 (a quarter of an hour), 4, or names of tests"),
        Argument("g", "group", "groupId", "the group", int),
        Argument("i", "entity-id", "entityId", f"the entities [default = {_EVERYTHING}]"),
        Argument("", "gpuList", "gpuList", "GPU ids with commas"),
        Argument("n", "expectedNumEntities", "expectedNumEntities", "refuse unless so many GPUs are there: gpu:N"),
        Argument("p", "parameters", "test_name.variable_name=value;...", "parameters of tests", many=True),
        Argument("c", "configfile", "/full/path/to/config/file", "a file with parameters"),
        Argument("v", "verbose", None, "show remarks as well"),
        JSON,
        Argument("", "fail-early", None, "look for failures while a test runs, and skip what comes after one"),
        Argument("", "check-interval", "failure check interval", "seconds between these looks [default = 5]", int),
        Argument("", "iterations", "iterations", "run it so many times", int),
        Argument("t", "timeout", "timeout", "give up after so many seconds", int),
        Argument("", "statsonfail", None, "write statistics only of failed tests"),
        Argument("", "statspath", "plugin statistics path", "where statistics are written"),
        Argument("d", "debugLevel", "debug level", "how much is logged"),
        Argument("", "debugLogFile", "debug file", "where it is logged"),
        Argument("", "throttle-mask", "mask", "as --clocksevent-mask"),
        Argument("", "clocksevent-mask", "mask", "ignore reasons of low clocks"),
        Argument("f", "fakeGpuList", "fakeGpuList", "for tests of DCGM itself"),
        Argument("", "watch-frequency", "watch frquency", "microseconds between samples", int),
        Argument("", "ignoreErrorCodes", "ignoreErrorCodes", "errors to be ignored"),
        Argument("", "enable-heartbeat", None, "end the run when this client is gone"),
        HOST,
        Argument("", "train", None, "no longer there"),
    ),
    footer=" The host engine keeps details of a run in its logs.",
)
_NOT_MODELLED = ("configfile", "fakeGpuList", "throttle-mask", "clocksevent-mask", "ignoreErrorCodes")
_EXCLUSIVE = (
    ("gpuList", "group", "Specifying a group id and a gpu list are mutually exclusive"),
    ("gpuList", "entity-id", "Specifying a entity id and a gpu list are mutually exclusive"),
    ("entity-id", "group", "Specifying a group id and a entity id are mutually exclusive"),
    ("expectedNumEntities", "fakeGpuList", "Specifying expectedNumEntities with a fake gpu list is not supported"),
    ("expectedNumEntities", "gpuList", "Specifying expectedNumEntities with a gpu list is not supported"),
)
_LONGEST_INTERVAL = 300


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    if "train" in parsed:
        raise refusal("Specifying training is no longer supported and this code has been removed.")
    if parsed.text("run").startswith("-"):
        raise refusal("Positive value expected, negative value found", "run")
    for first, second, text in _EXCLUSIVE:
        if first in parsed and second in parsed:
            raise refusal(text)
    if parsed.number("iterations", 1) == 0:
        raise refusal("The value for iterations cannot be 0.")
    not_negative(parsed, "iterations", "group", "timeout")
    interval = parsed.number("check-interval", 5)
    if "check-interval" in parsed and "fail-early" not in parsed:
        raise refusal("The --fail-early option must be enabled", "check-interval")
    if not 1 <= interval <= _LONGEST_INTERVAL:
        raise refusal("Interval value must be between 1 and 300", "check-interval")
    values = _parameters(parsed.lists.get("parameters", ()))
    asked = sum(int(value) for (_, name), value in values.items() if name == "test_duration" and value.isdecimal())
    if values and 0 < parsed.number("timeout") <= asked:
        text = f"The total test duration {asked} is too high for the timeout {parsed.number('timeout')}"
        raise refusal(text)


def _parameters(given: Iterable[str]) -> dict[tuple[str, str], str]:
    """`-p`, by test and name. Raises Ended."""
    found: dict[tuple[str, str], str] = {}
    for text in (part for each in given for part in each.split(";") if part):
        key, equals, value = text.partition("=")
        if not equals:
            raise refusal("incorrect parameter format: ")
        test, dot, name = key.partition(".")
        place = (test, name) if dot else ("", key)
        if place in found:
            raise refusal(f"multiple definitions of {key} parameter")
        found[place] = value
    return found


@dataclass(slots=True)
class _Failed(Exception):
    """A run could not be made: what dcgmi says of it, and the value that it ends with."""

    text: str
    value: Return


async def run(ctx: Context, parsed: Parsed) -> int:
    """Run it as often as asked."""
    for name in _NOT_MODELLED:
        if name in parsed:
            return ctx.not_modelled(f"dcgmi diag --{name}")
    embedded = "host" not in parsed and not host_engine.is_running(ctx.world, ctx.host)
    client = Client(ctx) if embedded else await connect(ctx, parsed)
    as_json = "json" in parsed
    if as_json and client.release < (4, 0):
        return ctx.not_modelled("JSON of DCGM 3")
    total, documents, value = parsed.number("iterations", 1), [], None
    for number in range(1, total + 1):
        if total > 1 and not as_json:
            ctx.write(f"\nRunning iteration {number} of {total}...\n")
        document, value = await _once(client, parsed, embedded)
        documents.append(document)
        if value:
            break
    if total > 1:
        _conclude(ctx, documents if as_json else None, total, value)
    return value.status if value else OK


def _conclude(ctx: Context, documents: list[object] | None, total: int, value: Return | None) -> None:
    """What is said after the last of several runs."""
    if documents is not None:
        whole: dict[str, object] = {"iterations": documents, "Overall Result": "Fail" if value else "Pass"}
        if value:
            whole["warning"] = value.text
        ctx.write(styled(whole) + "\n")
    elif value:
        ctx.line(f"Aborting the iterative runs of the diagnostic due to failure: {value.text}")
    else:
        ctx.line(f"Passed all {total} runs of the diagnostic")


async def _once(client: Client, parsed: Parsed, embedded: bool) -> tuple[object, Return | None]:
    """One run, shown. Gives its document for `-j` with iterations, and the value that the run ends with."""
    as_json, many = "json" in parsed, parsed.number("iterations", 1) > 1
    try:
        if not embedded and not client.need(modules.DIAG):
            raise _unable(parsed, Return.MODULE_NOT_LOADED)
        runs, gpus = await _run(client, parsed, embedded)
    except _Failed as problem:
        document = diag_json.failure(client.version, problem.text)
        client.ctx.write(f"{styled(document) if as_json else problem.text}\n")
        return (None if many else document), problem.value
    whole = diag_json.document(client, runs, gpus) if as_json else None
    if as_json and not many:
        client.ctx.write(styled(whole))
    elif not as_json:
        show = diag_table.text if client.release >= (4, 0) else diag_table.text_of_3
        client.ctx.write(show(client, runs, gpus, verbose="verbose" in parsed))
    await client.ctx.flush()
    ended = Return.ISOLATE if isolates(runs) else Return.NVVS_ERROR if failed(runs) else None
    return whole, ended


async def _run(client: Client, parsed: Parsed, embedded: bool) -> tuple[list[TestRun], list[Reading]]:
    """Let the diagnostics run. Raises _Failed."""
    gpus = _chosen(client, parsed)
    if not gpus:
        known = host_engine.answers_driver(client.world, client.host)
        raise _unable(parsed, Return.GROUP_IS_EMPTY if known else Return.NO_NVML)
    expected = parsed.text("expectedNumEntities").lower().removeprefix("gpu:")
    if expected and (not expected.isdecimal() or int(expected) not in (0, len(gpus))):
        raise _unable(parsed, Return.BAD_PARAMETER)
    if client.engine.diagnostic:
        raise _unable(parsed, Return.DIAG_RUNNING)
    try:
        chosen = tests(parsed.text("run") or "1", client.release)
    except UnknownTests as unknown:
        names = "".join(f"[{name}]" for name in unknown.names)
        raise _unable(parsed, Return.NO_TEST, f"{names} were not found among possible test choices. ") from None
    request = Request(
        tuple(chosen),
        parsed.text("run") or "1",
        Parameters(_parameters(parsed.lists.get("parameters", ()))),
        tuple(gpu.index for gpu in gpus),
        parsed.number("check-interval", 5) if "fail-early" in parsed else 0,
        parsed.number("timeout"),
        embedded,
    )
    try:
        return await diag_run.run(client, request)
    except Stopped as stopped:
        raise _unable(parsed, stopped.value, stopped.detail) from None


def _chosen(client: Client, parsed: Parsed) -> list[Reading]:
    """The GPUs that are asked for. Raises _Failed."""
    if "group" in parsed:
        group = client.group(parsed.number("group"))
        if group is None:
            raise _unable(parsed, Return.NOT_CONFIGURED)
        return client.gpus_of(group)
    try:
        members = entities(client, parsed.text("gpuList") or parsed.text("entity-id", _EVERYTHING))
    except BadEntities as bad:
        raise _Failed(f"Error: {bad}\n", Return.BAD_PARAMETER) from None
    found, chosen = client.gpus(), dict.fromkeys(number for kind, number in members if kind == host_engine.GPU)
    if any(kind not in (host_engine.GPU, "CPU") for kind, _ in members):
        raise _Failed("Error: Unsupported entities are indicated.", Return.BAD_PARAMETER)
    if any(number >= len(found) for number in chosen):
        raise _unable(parsed, Return.BAD_PARAMETER)
    return [found[number] for number in sorted(chosen)]


def _unable(parsed: Parsed, value: Return, detail: str = "") -> _Failed:
    entity_ids = parsed.text("gpuList") or parsed.text("entity-id", _EVERYTHING)
    what = f"group {parsed.number('group')}" if "group" in parsed else f"entities {entity_ids}"
    text = f"Error: Unable to complete diagnostic for {what}. Return: ({value.number}) : {value.text}\n{detail}"
    return _Failed(text, value)
