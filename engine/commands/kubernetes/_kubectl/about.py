"""kubectl version, cluster-info, api-resources, api-versions, auth, top and events.

Source: kubectl pkg/cmd/version, clusterinfo, apiresources, auth, top, events.
"""

from __future__ import annotations

from typing import Any

from engine.commands.kubernetes._kubectl import json_text, printing, release, spans, tab_writer, yaml_text
from engine.commands.kubernetes._kubectl.failures import NotModelled, error, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.quantities import Quantity, parse
from engine.commands.kubernetes._kubectl.session import Session, version
from engine.control.kubernetes.api import Resource
from engine.kernel.units import SECOND

VERSION_FLAGS = (Flag("output", "o"), *flags("bool", "client"))
RESOURCES_FLAGS = (
    Flag("output", "o"), *flags("string", "api-group sort-by"), *flags("list", "verbs categories"),
    *flags("bool", "no-headers namespaced cached"),
)  # fmt: skip
EVENTS_FLAGS = (
    *printing.OUTPUT, Flag("for"), Flag("types", kind="list"), Flag("chunk-size", kind="int"),
    *flags("bool", "A/all-namespaces w/watch no-headers"),
)  # fmt: skip
TOP_FLAGS = (
    Flag("selector", "l"), Flag("sort-by"), Flag("field-selector"),
    *flags("bool", "A/all-namespaces no-headers containers sum show-capacity use-protocol-buffers"),
)  # fmt: skip
AUTH_FLAGS = (*printing.OUTPUT, Flag("subresource"), *flags("bool", "A/all-namespaces list no-headers q/quiet"))
CLUSTER_FLAGS = (*printing.OUTPUT, Flag("namespaces", kind="list"), Flag("output-directory"))
_VERBS = frozenset(
    {
        "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "impersonate",
        "*", "approve", "sign", "escalate", "attest",
    }
)  # fmt: skip
_MEBI = 1 << 20


async def show_version(session: Session) -> None:
    """kubectl version."""
    client = f"v{version(session.ctx.inventory)}"
    output = session.line.text("output")
    if output not in ("", "yaml", "json"):
        raise error("--output must be 'yaml' or 'json'")
    server = None if session.line.on("client") else session.server.version()
    if output:
        kustomize = release.kustomize(session.minor)
        parts: dict[str, Any] = {"clientVersion": _client(session, client), "kustomizeVersion": kustomize}
        if server is not None:
            parts["serverVersion"] = server
        session.say(json_text.pretty(parts, 2) if output == "json" else yaml_text.dump(parts))
        if server is not None:
            _skew(session, server)
        return
    session.say(f"Client Version: {client}")
    session.say(f"Kustomize Version: {release.kustomize(session.minor)}")
    if server is not None:
        session.say(f"Server Version: {server['gitVersion']}")
        _skew(session, server)


def _skew(session: Session, server: dict[str, Any]) -> None:
    """A warning where the two are more than one minor release apart."""
    there = int(server["minor"])
    if abs(session.minor - there) > 1:
        word = "Warning" if session.minor >= release.QUIETER else "WARNING"
        versions = f"client (1.{session.minor}) and server (1.{there})"
        session.warn(f"{word}: version difference between {versions} exceeds the supported minor version skew of +/-1")


def _client(session: Session, git: str) -> dict[str, Any]:
    major, minor, _ = git.removeprefix("v").split(".")
    there = session.server.version() if not session.line.on("client") else {}
    return {**there, "gitVersion": git, "major": major, "minor": minor}


async def cluster_info(session: Session) -> None:
    """kubectl cluster-info: the addresses of what belongs to the cluster."""
    if session.line.operands:
        raise NotModelled(f"kubectl cluster-info {session.line.operands[0]}")
    url = session.server.address
    session.say(f"\x1b[0;32mKubernetes control plane\x1b[0m is running at \x1b[0;33m{url}\x1b[0m"
                if session.ctx.terminal else f"Kubernetes control plane is running at {url}")  # fmt: skip
    services = session.server.list(session.resource("services"), "kube-system", "kubernetes.io/cluster-service=true")[
        "items"
    ]
    for each in services:
        _service(session, url, each)
    session.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.")


def _service(session: Session, url: str, each: dict[str, Any]) -> None:
    metadata = each["metadata"]
    labels = metadata.get("labels") or {}
    title = labels.get("kubernetes.io/name") or metadata["name"]
    port = (each["spec"].get("ports") or [{}])[0].get("name", "")
    path = f"{url}/api/v1/namespaces/kube-system/services/{metadata['name']}{':' + port if port else ''}/proxy"
    session.say(f"\x1b[0;32m{title}\x1b[0m is running at \x1b[0;33m{path}\x1b[0m"
                if session.ctx.terminal else f"{title} is running at {path}")  # fmt: skip


async def api_resources(session: Session) -> None:
    """kubectl api-resources."""
    line = session.line
    if line.operands:
        raise usage("api-resources", f"unexpected arguments: [{' '.join(line.operands)}]")
    output, order = line.text("output"), line.text("sort-by")
    if output not in ("", "wide", "name"):
        raise error(f"--output {output} is not available")
    if order not in ("", "name", "kind"):
        raise error("--sort-by accepts only name or kind")
    found = sorted((each for each in session.server.resources() if _wanted(session, each)), key=_sorting(order))
    if output == "name":
        for each in found:
            session.say(each.qualified)
        return
    headings = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]
    rows = [] if line.on("no-headers") else [headings + (["VERBS", "CATEGORIES"] if output == "wide" else [])]
    for each in found:
        row = [
            each.plural, ",".join(each.short_names), each.api_version, str(each.namespaced).lower(), each.kind,
        ]  # fmt: skip
        rows.append(row + ([",".join(each.verbs), ",".join(each.categories)] if output == "wide" else []))
    session.ctx.write(tab_writer.table(rows))


def _wanted(session: Session, each: Resource) -> bool:
    line = session.line
    return (
        ("api-group" not in line or each.group == line.text("api-group"))
        and ("namespaced" not in line or each.namespaced == line.on("namespaced"))
        and all(verb in each.verbs for verb in line.all("verbs"))
        and all(category in each.categories for category in line.all("categories"))
    )


def _sorting(order: str) -> Any:
    if order == "name":
        return lambda each: (each.plural, each.plural)
    if order == "kind":
        return lambda each: (each.kind, each.plural)
    return lambda each: (each.group, each.plural)


async def api_versions(session: Session) -> None:
    """kubectl api-versions."""
    for text in sorted({each.api_version for each in session.server.resources()}):
        session.say(text)


async def auth(session: Session) -> None:
    """kubectl auth can-i and whoami."""
    words = session.line.operands
    if words[:1] == ["whoami"]:
        who = session.server.subject
        rows = [["ATTRIBUTE", "VALUE"], ["Username", who.name], ["Groups", f"[{' '.join(who.groups)}]"]]
        session.ctx.write(tab_writer.table(rows))
        return
    if words[:1] != ["can-i"] or session.line.on("list"):
        raise NotModelled(f"kubectl auth {' '.join(words[:1])}{' --list' if session.line.on('list') else ''}".rstrip())
    if len(words) not in (3, 4) and not (len(words) == 3 and words[2].startswith("/")):
        raise error("you must specify two arguments: verb resource or verb resource/resourceName.\n"
                    "See 'kubectl auth can-i -h' for help and examples")  # fmt: skip
    _warn_of(session, words[1], words[2])
    may = _may(session, words[1], words[2], words[3] if len(words) > 3 else "")
    if not session.line.on("quiet"):
        session.say("yes" if may else "no")
    session.status = 0 if may else 1


def _may(session: Session, verb: str, what: str, name: str) -> bool:
    """The server's answer; everything (*) and URLs are for who may do all."""
    kind, _, rest = what.partition("/")
    found = session.server.resource(kind)
    if found is None:
        found = Resource(kind, kind, (), "*" if kind == "*" else "", "v1", True, kind)
    where = "" if session.everywhere else session.namespace
    return session.server.allows(verb, found, where, name or rest, session.line.text("subresource"))


def _warn_of(session: Session, verb: str, name: str) -> None:
    """Warnings of questions that have no meaning."""
    plain = name.partition("/")[0]
    found = session.server.resource(plain)
    if name.startswith("/"):
        return
    if found is None and plain != "*":
        session.warn(f"Warning: the server doesn't have a resource type '{plain}'\n")
    elif found is not None and not found.namespaced and not session.everywhere:
        group = f" in group '{found.group}'" if found.group else ""
        session.warn(f"Warning: resource '{found.plural}' is not namespace scoped{group}\n")
    if verb not in _VERBS:
        session.warn(f"Warning: verb '{verb}' is not a known verb\n")


async def events(session: Session) -> None:
    """kubectl events: by the time at which they were last seen."""
    line = session.line
    types = [each.lower() for each in line.all("types")]
    if any(each not in ("normal", "warning") for each in types):
        raise error("valid --types are Normal or Warning")
    selector = ""
    if line.text("for"):
        kind, slash, name = line.text("for").partition("/")
        if not slash:
            raise error("--for must be in resource/name form")
        resource = session.resource(kind)
        selector = f"involvedObject.kind={resource.kind},involvedObject.apiVersion={resource.api_version},"
        selector += f"involvedObject.name={name}"
    seen: set[str] = set()
    widths: list[int] = []
    while True:
        found = session.server.list(session.resource("events"), session.scope, "", selector)["items"]
        wanted = [each for each in found if not types or str(each.get("type", "")).lower() in types]
        new = [each for each in wanted if _key(each) not in seen]
        new.sort(key=lambda each: str((each.get("series") or {}).get("lastObservedTime") or each.get("lastTimestamp") or
                                      each.get("eventTime") or ""))  # fmt: skip
        if not line.on("watch") and not new:
            everywhere = "No events found."
            session.warn(everywhere if session.everywhere else f"No events found in {session.namespace} namespace.")
            return
        _print_events(session, new, widths, first=not seen)
        seen |= {_key(each) for each in new}
        if not line.on("watch"):
            return
        await session.ctx.sleep(SECOND)


def _key(event: dict[str, Any]) -> str:
    return f"{event['metadata'].get('uid')}/{event.get('count', 1)}"


def _print_events(session: Session, found: list[dict[str, Any]], widths: list[int], first: bool) -> None:
    chosen = printing.form(session)
    if chosen.word:
        session.ctx.write(printing.machine(chosen, {"apiVersion": "v1", "items": found, "kind": "EventList",
                                                    "metadata": {}}))  # fmt: skip
        return
    rows = []
    if first and not session.line.on("no-headers"):
        rows.append(
            [*(["NAMESPACE"] if session.everywhere else []), "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
        )
    for each in found:
        about = each.get("involvedObject") or {}
        row = [
            _seen(each, session.now), str(each.get("type", "")), str(each.get("reason", "")),
            f"{about.get('kind', '')}/{about.get('name', '')}", str(each.get("message", "")).strip(),
        ]  # fmt: skip
        rows.append([*([each["metadata"].get("namespace", "")] if session.everywhere else []), *row])
    session.ctx.write(tab_writer.table(rows, widths))


def _seen(event: dict[str, Any], now: int) -> str:
    first = spans.since(event.get("eventTime") or event.get("firstTimestamp"), now)
    if (event.get("count") or 0) > 1:
        return f"{spans.since(event.get('lastTimestamp'), now)} (x{event['count']} over {first})"
    return first


async def top(session: Session) -> None:
    """kubectl top: needs a metrics server in the cluster."""
    words = session.line.operands
    if not words or words[0] not in ("node", "nodes", "no", "pod", "pods", "po"):
        raise NotModelled("the help of kubectl top")
    metrics = next((each for each in session.server.resources() if each.group == "metrics.k8s.io"), None)
    if metrics is None:
        raise error("Metrics API not available")
    kind = "nodes" if words[0].startswith("no") else "pods"
    resource = session.resource(f"{kind}.metrics.k8s.io")
    found = session.server.list(resource, session.scope if kind == "pods" else "", session.line.text("selector"))[
        "items"
    ]
    found = [each for each in found if not words[1:] or each["metadata"]["name"] == words[1]]
    rows = _of_nodes(session, found) if kind == "nodes" else _of_pods(session, found)
    session.ctx.write(tab_writer.table(rows))


def _usage(each: dict[str, Any], name: str) -> Quantity:
    total = Quantity()
    for part in each.get("containers") or [each]:
        total = total + parse((part.get("usage") or {}).get(name))
    return total


def _of_nodes(session: Session, found: list[dict[str, Any]]) -> list[list[str]]:
    rows = [["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)", ""]]
    for each in found:
        node = session.server.get(session.resource("nodes"), "", each["metadata"]["name"])
        room = (node.get("status") or {}).get("allocatable") or {}
        cpu, memory = _usage(each, "cpu"), _usage(each, "memory")
        shares = [int(used.milli / parse(room.get(name)).milli * 100)
                  for used, name in ((cpu, "cpu"), (memory, "memory"))]  # fmt: skip
        rows.append([each["metadata"]["name"], f"{cpu.milli}m", f"{shares[0]}%", f"{memory.value // _MEBI}Mi",
                     f"{shares[1]}%", ""])  # fmt: skip
    return rows


def _of_pods(session: Session, found: list[dict[str, Any]]) -> list[list[str]]:
    begin = ["NAMESPACE"] if session.everywhere else []
    rows = [[*begin, "NAME", "CPU(cores)", "MEMORY(bytes)", ""]]
    for each in found:
        namespace = [each["metadata"]["namespace"]] if session.everywhere else []
        cpu, memory = _usage(each, "cpu").milli, _usage(each, "memory").value // _MEBI
        rows.append([*namespace, each["metadata"]["name"], f"{cpu}m", f"{memory}Mi", ""])
    return rows
