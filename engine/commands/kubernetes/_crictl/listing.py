"""Lists of crictl: containers, pods and images (cmd/crictl/container.go, sandbox.go, image.go of cri-tools 1.32).

Columns are at least 20 wide with three blanks after the text (text/tabwriter, 20, 1, 3); ids are cut to 13 characters;
ages are Docker's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.commands.context import Context
from engine.control.kubernetes import registries, store
from engine.control.kubernetes.kubelet import runs, sandbox
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import SECOND
from engine.world.records import ContainerRun, PodRun

_ID, _LEAST, _APART = 13, 20, 3
_UNITS = ((31_536_000, "years"), (2_592_000, "months"), (604_800, "weeks"), (86_400, "days"), (3_600, "hours"))


@dataclass(frozen=True, slots=True)
class Row:
    """A container in containerd's store: its id, the pod's key, what the kubelet has of both, and which run it is."""

    id: str
    key: str
    pod: PodRun
    each: ContainerRun
    attempt: int
    state: str
    started: int


def age(ctx: Context, time: int) -> str:
    """`8 days ago`, as docker/go-units has it."""
    seconds = (ctx.now - time) // SECOND
    if seconds < 1:
        return "Less than a second ago"
    if seconds < 60:
        return "1 second ago" if seconds == 1 else f"{seconds} seconds ago"
    if seconds < 120:
        return "About a minute ago"
    if seconds < 3600:
        return f"{seconds // 60} minutes ago"
    if seconds < 7200:
        return "About an hour ago"
    size, word = next(each for each in _UNITS if seconds >= 2 * each[0])
    return f"{seconds // size} {word} ago"


def table(ctx: Context, head: list[str], rows: list[list[str]]) -> None:
    """A table as tabwriter aligns it."""
    widths = [max(_LEAST, *(len(row[place]) + _APART for row in [head, *rows])) for place in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        ctx.line("".join([*cells, row[-1]]))


def containers(ctx: Context) -> list[Row]:
    """All containers of the node, the newest first."""
    found: list[Row] = []
    for key, run in runs.of_node(ctx.world, ctx.host):
        for each in (*run.init, *run.containers):
            if each.last and each.last.id and each.last.id != each.id:
                found.append(Row(each.last.id, key, run, each, max(0, each.restarts - 1), "Exited", each.last.started))
            if each.id:
                state = "Exited" if each.state != "running" else "Running"
                started = each.ended.started if each.ended else each.started
                found.append(Row(each.id, key, run, each, each.restarts, state, started))
    return sorted(found, key=lambda row: (-row.started, row.id))


def ps(ctx: Context, given: Mapping[str, str]) -> int:
    """crictl ps."""
    rows = [row for row in containers(ctx) if _wanted(ctx, row, given)]
    if "quiet" in given:
        for row in rows:
            ctx.line(row.id)
        return 0
    head = ["CONTAINER", "IMAGE", "CREATED", "STATE", "NAME", "ATTEMPT", "POD ID", "POD", "NAMESPACE"]
    table(ctx, head, [_cells(ctx, row, whole="no-trunc" in given) for row in rows])
    return 0


def _wanted(ctx: Context, row: Row, given: Mapping[str, str]) -> bool:
    if "all" not in given and "state" not in given and row.state != "Running":
        return False
    if "state" in given and row.state.lower() != given["state"].lower():
        return False
    if "name" in given and given["name"] not in row.each.name:
        return False
    return "pod" not in given or sandbox.identifier(ctx.world, row.key, row.pod).startswith(given["pod"])


def _cells(ctx: Context, row: Row, *, whole: bool) -> list[str]:
    world = ctx.world
    namespace, _, pod = row.key.partition("/")
    image = _image(ctx, row)
    own, above = row.id, sandbox.identifier(world, row.key, row.pod)
    if not whole:
        own, above, image = own[:_ID], above[:_ID], image[:_ID]
    return [own, image, age(ctx, row.started), row.state, row.each.name, str(row.attempt), above, pod, namespace]


def _image(ctx: Context, row: Row) -> str:
    """The id of a container's image."""
    pod = store.find(ctx.world, store.PODS, row.key)
    spec = runs.spec_of(pod, row.each.name) if pod else {}
    held = registries.find_held(ctx.world, ctx.host, spec.get("image", ""))
    return held.image.id if held else ""


def pods(ctx: Context, given: Mapping[str, str]) -> int:
    """crictl pods."""
    rows = []
    for key, run, pod in sorted(_sandboxes(ctx), key=lambda each: -(each[1].taken or 0)):
        namespace, _, name = key.partition("/")
        state = "Ready" if run.phase in ("Pending", "Running") else "NotReady"
        if ("name" in given and given["name"] not in name) or (
            "namespace" in given and given["namespace"] != namespace
        ):
            continue
        identifier = sandbox.identifier(ctx.world, key, run)
        runtime = pod["spec"].get("runtimeClassName") or "(default)"
        shown = identifier if "no-trunc" in given else identifier[:_ID]
        rows.append([shown, age(ctx, run.taken or 0), state, name, namespace, "0", runtime])
    if "quiet" in given:
        for row in rows:
            ctx.line(row[0])
        return 0
    table(ctx, ["POD ID", "CREATED", "STATE", "NAME", "NAMESPACE", "ATTEMPT", "RUNTIME"], rows)
    return 0


def _sandboxes(ctx: Context) -> Iterator[tuple[str, PodRun, KubeDict]]:
    for key, run in runs.of_node(ctx.world, ctx.host):
        pod = store.find(ctx.world, store.PODS, key)
        if run.sandbox and pod is not None:
            yield key, run, pod


def images(ctx: Context, given: Mapping[str, str], words: list[str]) -> int:
    """crictl images."""
    held = sorted(registries.held(ctx.world, ctx.host), key=lambda each: each.reference)
    wanted = registries.canonical(words[0]) if words else ""
    chosen = [each for each in held if not wanted or each.reference == wanted or each.repository == words[0]]
    if "quiet" in given:
        for each in chosen:
            ctx.line(f"sha256:{each.image.id}")
        return 0
    head = ["IMAGE", "TAG", "IMAGE ID", "SIZE"]
    rows = [[each.repository, each.image.tag, each.image.id[:_ID], size(each.bytes)] for each in chosen]
    table(ctx, head, rows)
    return 0


def size(number: int) -> str:
    """A size in powers of 1000 with three digits (go-units HumanSizeWithPrecision): 98.1MB, 9.1GB, 250MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if number >= factor:
            hundredths = (number * 100 + factor // 2) // factor
            whole, rest = divmod(hundredths, 100)
            digits = 0 if whole >= 100 else 1 if whole >= 10 else 2
            text = f"{whole}.{rest:02d}"[: len(str(whole)) + 1 + digits] if digits else str(whole)
            return (text.rstrip("0").rstrip(".") if digits else text) + unit
    return f"{number}B"
