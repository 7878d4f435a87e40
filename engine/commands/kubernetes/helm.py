"""helm v3.17: the releases of charts in the cluster, read.

Source: helm/helm v3.17 cmd/helm (list.go, status.go, history.go, get_values.go) and gosuri/uitable for the tables:
cells padded to the column and ended by a tab. Installing and changing releases is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.kubernetes._helm.releases import Release, merged, releases
from engine.commands.kubernetes._kubectl import json_text, kubeconfig, spans, yaml_text
from engine.commands.kubernetes._kubectl.failures import Failed, dialled
from engine.commands.kubernetes._kubectl.flags import Flag, FlagError, Line, flags, read
from engine.control.kubernetes.api import ApiServer
from engine.control.kubernetes.status_error import NoServer, StatusError

_VERSION = "v3.17.3"
_BUILD = 'GitCommit:"e4da49785aa6e6ee2b86efd5dd9e43400318262b", GitTreeState:"clean", GoVersion:"go1.23.7"'
_FLAGS = (
    Flag("namespace", "n"), Flag("output", "o"), *flags("string", "kubeconfig kube-context f/filter selector"),
    *flags("bool", "A/all-namespaces a/all deployed failed pending superseded uninstalled uninstalling q/short"),
    *flags("bool", "d/date r/reverse no-headers h/help debug show-desc show-resources client template"),
    *flags("int", "m/max offset revision"), Flag("time-format"),
)  # fmt: skip
_STATES = ("deployed", "failed", "superseded", "uninstalled", "uninstalling")
_PENDING = ("pending-install", "pending-upgrade", "pending-rollback")
_CHANGES = (
    "completion", "create", "dependency", "env", "install", "lint", "package", "plugin", "pull", "push", "registry",
    "repo", "rollback", "search", "show", "template", "test", "uninstall", "upgrade", "verify",
)  # fmt: skip
_OLDEST_SHOWN = 256


class _Refused(Exception):
    """helm ends with an error."""


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    words = list(ctx.arguments)
    if not words or words[0] in ("help", "-h", "--help"):
        ctx.write(_usage())
        return 0
    name, rest = words[0], words[1:]
    if name == "get" and rest:
        name, rest = f"get {rest[0]}", rest[1:]
    name = {"ls": "list", "hist": "history"}.get(name, name)
    verb = _VERBS.get(name)
    if verb is None:
        if name in _CHANGES or name.startswith("get"):
            return ctx.not_modelled(f"helm {name}")
        ctx.error(f'Error: unknown command "{words[0]}" for "helm"\nRun \'helm --help\' for usage.')
        return 1
    try:
        return verb(ctx, read(_FLAGS, rest)) or 0
    except (FlagError, _Refused) as why:
        ctx.error(f"Error: {why}")
    except Failed as why:
        ctx.error(f"Error: {why.text.removeprefix('error: ')}")
    except StatusError as refusal:
        ctx.error(f"Error: {refusal.message}")
    return 1


def _server(ctx: Context, line: Line) -> tuple[ApiServer, str]:
    """(the server, the namespace that is meant). Raises _Refused."""
    config = kubeconfig.load(ctx, line.text("kubeconfig"))
    target = kubeconfig.target(config, line.text("kube-context"))
    server = ApiServer(ctx.simulation, ctx.identity.name, ctx.host, kubeconfig.subject(ctx, target))
    try:
        if target.server.rstrip("/") != server.address:
            raise NoServer("connect: connection refused")
        server.resources()
    except NoServer as why:
        where = target.server.rstrip("/")
        text = dialled(where.replace("localhost", "127.0.0.1"), why)
        raise _Refused(f'Kubernetes cluster unreachable: Get "{where}/version": {text}') from None
    return server, line.text("namespace") or target.namespace


def _list(ctx: Context, line: Line) -> None:
    server, namespace = _server(ctx, line)
    try:
        found = releases(server, "" if line.on("all-namespaces") else namespace)
    except StatusError as refusal:
        raise _Refused(f"list: failed to list: {refusal.message}") from None
    last = {(each.name, each.namespace): each for each in found}
    wanted = [each for each in last.values() if line.on("all") or each.status in _wanted(line)]
    if line.on("date"):
        wanted.sort(key=lambda each: str(each.info.get("last_deployed", "")))
    if line.on("reverse"):
        wanted.reverse()
    wanted = wanted[line.number("offset", 0) :][: line.number("max", _OLDEST_SHOWN) or None]
    if line.on("short"):
        for each in wanted:
            ctx.line(each.name)
        return
    output = line.text("output", "table")
    if output == "table":
        headings = ["NAME", "NAMESPACE", "REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"]
        rows = [
            [each.name, each.namespace, str(each.revision), _moment(each), each.status, each.chart, each.app_version]
            for each in wanted
        ]
        ctx.write(_table(rows if line.on("no-headers") else [headings, *rows]))
        return
    _structured(ctx, output, [_element(each) for each in wanted])


def _wanted(line: Line) -> list[str]:
    """The states that options ask for; those that a user sees first without."""
    chosen = [state for state in _STATES if line.on(state)] + (list(_PENDING) if line.on("pending") else [])
    return chosen or ["deployed", "failed"]


def _element(each: Release) -> dict[str, str]:
    return {
        "app_version": each.app_version, "chart": each.chart, "name": each.name, "namespace": each.namespace,
        "revision": str(each.revision), "status": each.status, "updated": _moment(each),
    }  # fmt: skip


def _structured(ctx: Context, output: str, data: Any) -> None:
    if output == "json":
        ctx.line(json_text.compact(data))
    elif output == "yaml":
        ctx.write(yaml_text.dump(data))
    else:
        raise _Refused(f'invalid argument "{output}" for "-o, --output" flag: invalid format type')


def _table(rows: Sequence[Sequence[str]]) -> str:
    """uitable's columns: padded cells with tabs between."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["\t".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _moment(each: Release) -> str:
    """`2026-11-12 08:30:11.123456789 +0000 UTC`."""
    stamp = str(each.info.get("last_deployed", ""))
    day, _, clock = stamp.removesuffix("Z").removesuffix("+00:00").partition("T")
    return f"{day} {clock} +0000 UTC" if clock else "-"


def _plainly(stamp: str) -> str:
    """`Wed Nov 12 08:30:11 2026` (Go's ANSIC)."""
    parts = spans.long(stamp[:19] + "Z").replace(",", "").split()
    weekday, day, month, year, clock = parts[:5]
    return f"{weekday} {month} {int(day):2d} {clock} {year}"


def _revisions(ctx: Context, line: Line, usage: str) -> list[Release]:
    if len(line.operands) != 1:
        raise _Refused(f'"helm {usage}" requires 1 argument\n\nUsage:  helm {usage} RELEASE_NAME [flags]')
    server, namespace = _server(ctx, line)
    found = releases(server, namespace, line.operands[0])
    if not found:
        raise _Refused("release: not found")
    return found


def _one(ctx: Context, line: Line, usage: str) -> Release:
    """The revision that is meant. Raises _Refused."""
    found = _revisions(ctx, line, usage)
    wanted = line.number("revision", 0)
    chosen = [each for each in found if not wanted or each.revision == wanted]
    if not chosen:
        raise _Refused("release: not found")
    return chosen[-1]


def _status(ctx: Context, line: Line) -> None:
    each = _one(ctx, line, "status")
    output = line.text("output", "table")
    if output != "table":
        _structured(ctx, output, {**each.data, "chart": (each.data.get("chart") or {}).get("metadata")})
        return
    ctx.line(f"NAME: {each.name}")
    ctx.line(f"LAST DEPLOYED: {_plainly(str(each.info.get('last_deployed', '')))}")
    ctx.line(f"NAMESPACE: {each.namespace}")
    ctx.line(f"STATUS: {each.status}")
    ctx.line(f"REVISION: {each.revision}")
    if line.on("show-desc"):
        ctx.line(f"DESCRIPTION: {each.info.get('description', '')}")
    ctx.line("TEST SUITE: None")
    notes = str(each.info.get("notes", "")).strip()
    if notes:
        ctx.line(f"NOTES:\n{notes}")


def _history(ctx: Context, line: Line) -> None:
    found = _revisions(ctx, line, "history")[-line.number("max", _OLDEST_SHOWN) :]
    rows = [["REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION", "DESCRIPTION"]]
    for each in found:
        moment = _plainly(str(each.info.get("last_deployed", "")))
        text = str(each.info.get("description", ""))
        rows.append([str(each.revision), moment, each.status, each.chart, each.app_version, text])
    ctx.write(_table(rows))


def _values(ctx: Context, line: Line) -> None:
    each = _one(ctx, line, "get values")
    values = merged(each.defaults, each.values) if line.on("all") else each.values
    output = line.text("output", "table")
    if output != "table":
        _structured(ctx, output, values)
        return
    ctx.line("COMPUTED VALUES:" if line.on("all") else "USER-SUPPLIED VALUES:")
    ctx.write(yaml_text.dump(values) if values else "null\n")


def _manifest(ctx: Context, line: Line) -> None:
    ctx.line(str(_one(ctx, line, "get manifest").data.get("manifest", "")))


def _notes(ctx: Context, line: Line) -> None:
    ctx.line(f"NOTES:\n{_one(ctx, line, 'get notes').info.get('notes', '')}")


def _version(ctx: Context, line: Line) -> None:
    if line.on("short"):
        ctx.line(f"{_VERSION}+ge4da497")
    else:
        ctx.line(f'version.BuildInfo{{Version:"{_VERSION}", {_BUILD}}}')


_VERBS: dict[str, Callable[[Context, Line], int | None]] = {
    "list": _list, "status": _status, "history": _history, "get values": _values, "get manifest": _manifest,
    "get notes": _notes, "version": _version,
}  # fmt: skip


def _usage() -> str:
    verbs = "".join(f"  {name}\n" for name in ("get", "history", "list", "status", "version"))
    return f"The Kubernetes package manager\n\nUsage:\n  helm [command]\n\nAvailable Commands:\n{verbs}"


COMMAND = Command(
    "helm",
    "the Kubernetes package manager",
    run,
    "helm [command]",
    path="/usr/sbin",
    manual="""Verbs: list (ls), status, history, get values|manifest|notes, version. They read
the releases of the cluster.

    helm list -A
    helm get values gpu-operator -n gpu-operator""",
)
