"""crictl of cri-tools 1.32: containerd of a node as the kubelet uses it. Forms and texts after its sources
(cmd/crictl) and users' transcripts; it talks to unix:///run/containerd/containerd.sock as root.
"""

from __future__ import annotations

import json

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.kubernetes._crictl import listing
from engine.commands.options import Option
from engine.control.kubernetes import cni, registries, runtime
from engine.control.kubernetes.kubelet import runs, sandbox
from engine.kernel.calendar import utc

VERSION = "v1.32.0"
_SOCKET = "unix:///run/containerd/containerd.sock"
_ALIASES = {
    "container": "ps", "img": "images", "image": "images", "sandbox": "pods", "p": "pods", "inspectpod": "inspectp",
}  # fmt: skip
_KNOWN = (
    "attach", "checkpoint", "config", "create", "events", "exec", "imagefsinfo", "metricsp", "port-forward", "rm",
    "rmi", "rmp", "run", "runp", "runtime-config", "start", "stats", "statsp", "stop", "stopp", "update",
)  # fmt: skip
_FLAGS = {"a": "all", "q": "quiet", "v": "verbose", "t": "timestamps", "p": "previous", "h": "help"}
_VALUED = {"name", "namespace", "state", "pod", "tail", "label", "image", "output", "last"}
_SHORT_VALUED = {"s": "state", "n": "last", "o": "output"}


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    words = list(ctx.arguments)
    while words[:1] and words[0] in ("-r", "--runtime-endpoint", "-i", "--image-endpoint", "-t", "--timeout", "-c"):
        words = words[2:]
    if not words or words[0] in ("-h", "--help", "help"):
        ctx.write(_usage())
        return 0
    if words[0] in ("-v", "--version"):
        ctx.line(f"crictl version {VERSION}")
        return 0
    verb = _ALIASES.get(words[0], words[0])
    if verb in _KNOWN:
        return ctx.not_modelled(f"crictl {verb}")
    if verb not in _VERBS:
        ctx.error(f"No help topic for '{words[0]}'")
        return 3
    why = _unreachable(ctx)
    if why:
        return _fatal(ctx, f"validate service connection: {why}")
    given, rest = _parse(words[1:])
    if verb == "pull":
        return await _pull(ctx, rest)
    return _do(ctx, verb, given, rest)


def _do(ctx: Context, verb: str, given: dict[str, str], rest: list[str]) -> int:
    if verb == "ps":
        return listing.ps(ctx, given)
    if verb == "pods":
        return listing.pods(ctx, given)
    if verb == "images":
        return listing.images(ctx, given, rest)
    if verb == "logs":
        return _logs(ctx, given, rest)
    if verb == "info":
        return _info(ctx)
    if verb == "version":
        return _version(ctx)
    return _inspect(ctx, verb, rest)


_VERBS = ("ps", "pods", "images", "logs", "info", "version", "inspect", "inspectp", "inspecti", "pull")


def _parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Flags, long and short, and what else was given."""
    given: dict[str, str] = {}
    rest: list[str] = []
    while words:
        word = words.pop(0)
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            rest.append(word)
        elif word.startswith("--"):
            given[name] = value if equals else words.pop(0) if name in _VALUED and words else "true"
        elif name in _SHORT_VALUED:
            given[_SHORT_VALUED[name]] = value or (words.pop(0) if words else "")
        else:
            given |= {_FLAGS.get(letter, letter): "true" for letter in name}
    return given, rest


def _unreachable(ctx: Context) -> str | None:
    """Why containerd cannot be asked, or None."""
    why = None
    if not runs.runtime_works(ctx.world, ctx.host):
        why = "connect: no such file or directory"
    elif not ctx.is_root:
        why = "connect: permission denied"
    if why is None:
        return None
    return (
        f'validate CRI v1 runtime API for endpoint "{_SOCKET}": rpc error: code = Unavailable desc = connection error: '
        f'desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: {why}"'
    )


def _fatal(ctx: Context, text: str) -> int:
    """A last line of logrus."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    ctx.error(f'time="{utc(ctx.epoch):%Y-%m-%dT%H:%M:%SZ}" level=fatal msg="{quoted}"')
    return 1


def _row(ctx: Context, name: str) -> listing.Row | None:
    """The container whose id begins so."""
    return next((row for row in listing.containers(ctx) if name and row.id.startswith(name)), None)


def _logs(ctx: Context, given: dict[str, str], rest: list[str]) -> int:
    if not rest:
        return _fatal(ctx, "ID cannot be empty")
    row = _row(ctx, rest[0])
    if row is None:
        return _fatal(ctx, _no_container(rest[0]))
    lines = [(time, text) for time, text in ctx.world.kube_logs[row.id].lines if time <= ctx.now]
    if given.get("tail", "").isdecimal():
        lines = lines[len(lines) - int(given["tail"]) :] if int(given["tail"]) else []
    for _, text in lines:
        ctx.error(text)
    return 0


def _no_container(name: str) -> str:
    text = f'an error occurred when try to find container "{name}": not found'
    return f"rpc error: code = NotFound desc = {text}"


def _inspect(ctx: Context, verb: str, rest: list[str]) -> int:
    if not rest:
        return _fatal(ctx, "ID cannot be empty")
    if verb == "inspecti":
        held = registries.find_held(ctx.world, ctx.host, rest[0])
        if held is None:
            return _fatal(ctx, f'no such image "{rest[0]}" present')
        status = {
            "id": f"sha256:{held.image.id}", "repoTags": [held.reference],
            "repoDigests": [f"{held.repository}@{held.digest}"], "size": str(held.bytes), "pinned": False,
        }  # fmt: skip
        return _json(ctx, {"status": status})
    if verb == "inspectp":
        return _inspect_pod(ctx, rest[0])
    row = _row(ctx, rest[0])
    if row is None:
        return _fatal(ctx, _no_container(rest[0]))
    return _json(ctx, {"status": _container_status(ctx, row)})


def _container_status(ctx: Context, row: listing.Row) -> dict[str, object]:
    namespace, _, pod = row.key.partition("/")
    record = next((each for each in ctx.world.container_hosts[ctx.host].containers if each.id == row.id), None)
    end = row.each.ended or row.each.last
    found: dict[str, object] = {
        "id": row.id,
        "metadata": {"attempt": row.attempt, "name": row.each.name},
        "state": f"CONTAINER_{row.state.upper()}",
        "startedAt": _time(ctx, row.started),
        "image": {"image": record.image if record else ""},
        "labels": {
            "io.kubernetes.container.name": row.each.name, "io.kubernetes.pod.name": pod,
            "io.kubernetes.pod.namespace": namespace,
        },
    }  # fmt: skip
    if row.state == "Exited" and end:
        found |= {"finishedAt": _time(ctx, end.finished), "exitCode": end.exit_code, "reason": end.reason}
    return found


def _inspect_pod(ctx: Context, name: str) -> int:
    for key, run_ in runs.of_node(ctx.world, ctx.host):
        identifier = sandbox.identifier(ctx.world, key, run_)
        if run_.sandbox and name and identifier.startswith(name):
            namespace, _, pod = key.partition("/")
            status = {
                "id": identifier, "metadata": {"attempt": 0, "name": pod, "namespace": namespace},
                "state": "SANDBOX_READY", "createdAt": _time(ctx, run_.taken or 0), "network": {"ip": run_.address},
            }  # fmt: skip
            return _json(ctx, {"status": status})
    text = f'an error occurred when try to find sandbox "{name}": not found'
    return _fatal(ctx, f"rpc error: code = NotFound desc = {text}")


def _time(ctx: Context, time: int) -> str:
    moment = ctx.inventory.start + time
    return f"{utc(moment):%Y-%m-%dT%H:%M:%S}.{moment % 10**9:09d}Z"


def _json(ctx: Context, thing: object) -> int:
    ctx.line(json.dumps(thing, indent=2))
    return 0


def _info(ctx: Context) -> int:
    """The runtime's conditions, and its configuration as it was read at its start."""
    world, host = ctx.world, ctx.host
    ready = cni.configured(world, host)
    words = {"message": "", "reason": ""}
    if not ready:
        text = "Network plugin returns error: cni plugin not initialized"
        words = {"message": text, "reason": "NetworkPluginNotReady"}
    conditions = [
        {"message": "", "reason": "", "status": True, "type": "RuntimeReady"},
        {**words, "status": ready, "type": "NetworkReady"},
    ]
    handlers = {name: {"runtimeType": "io.containerd.runc.v2"} for name in sorted(runtime.handlers(world, host))}
    config = {
        "containerd": {
            "defaultRuntimeName": runtime.usual(world, host), "runtimes": handlers, "snapshotter": "overlayfs",
        },
        "registry": {"configPath": registries.CERTIFICATES},
    }  # fmt: skip
    return _json(ctx, {"config": config, "lastCNILoadStatus": "OK", "status": {"conditions": conditions}})


def _version(ctx: Context) -> int:
    release = ctx.world.software.get("containerd", "1.7.27")
    rows = (("Version", "0.1.0"), ("RuntimeName", "containerd"), ("RuntimeVersion", release))
    for name, value in (*rows, ("RuntimeApiVersion", "v1")):
        ctx.line(f"{name}:  {value}")
    return 0


async def _pull(ctx: Context, rest: list[str]) -> int:
    """crictl pull: the same pull as the kubelet's."""
    if not rest:
        return _fatal(ctx, "image name cannot be empty")
    reference = registries.canonical(rest[0])
    await ctx.sleep(registries.attempt_time(ctx.world, ctx.host, reference))
    refused = ctx.simulation.apply(registries.PullImage(ctx.host, reference))
    if refused is not None:
        return _fatal(ctx, f"pulling image: {refused}")
    held = registries.find_held(ctx.world, ctx.host, reference)
    ctx.line(f"Image is up to date for sha256:{held.image.id if held else ''}")
    return 0


def _usage() -> str:
    verbs = "\n".join(f"   {name}" for name in sorted(_VERBS))
    return (
        "NAME:\n   crictl - client for CRI\n\nUSAGE:\n   crictl [global options] command [command options]\n\n"
        f"VERSION:\n   {VERSION}\n\nCOMMANDS:\n{verbs}\n"
    )


COMMAND = Command(
    "crictl",
    "containers, pods and images of containerd on this node",
    run,
    "crictl [global options] command [command options] [arguments...]",
    (Option("v", "version", help="print the version"),),
    """Verbs: ps, pods, images, logs, inspect, inspectp, inspecti, pull, info, version.

    sudo crictl ps -a --name coredns
    sudo crictl pods --namespace kube-system
    sudo crictl pull registry.example:5000/team/app:1.0

It shows what the kubelet's runtime has, whether or not the API server can be asked.""",
)
