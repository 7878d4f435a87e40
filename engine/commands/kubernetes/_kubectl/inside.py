"""kubectl logs, exec and cp: what goes on in pods' containers.

Source: kubectl pkg/cmd/logs, pkg/cmd/exec, pkg/polymorphichelpers/logsforobject.go, pkg/cmd/util/podcmd.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.commands._containers import inside as places
from engine.commands.kubernetes._kubectl import selecting, spans
from engine.commands.kubernetes._kubectl.failures import Failed, error, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session, name_of, namespace_of
from engine.control.accounts import identity
from engine.control.kubernetes.api import StatusError
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.random import Stream
from engine.kernel.units import SECOND

LOGS_FLAGS = (
    *flags("bool", "f/follow p/previous timestamps all-containers all-pods prefix ignore-errors"),
    *flags("bool", "insecure-skip-tls-verify-backend"), Flag("tail", kind="int"), Flag("since", kind="duration"),
    Flag("since-time"), Flag("container", "c"), Flag("selector", "l"), Flag("limit-bytes", kind="int"),
    Flag("max-log-requests", kind="int"), Flag("pod-running-timeout", kind="duration"),
)  # fmt: skip
EXEC_FLAGS = (
    *flags("bool", "i/stdin t/tty q/quiet"), Flag("container", "c"), Flag("filename", "f", "list"),
    Flag("pod-running-timeout", kind="duration"),
)  # fmt: skip
_LOGS_USAGE = (
    "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
    "POD or TYPE/NAME is a required argument for the logs command"
)
_TAIL_OF_SELECTED = 10
_DEFAULT = "kubectl.kubernetes.io/default-container"
_SHELLS = (["bash"], ["/bin/bash"], ["sh"], ["/bin/sh"])


async def logs(session: Session) -> None:
    """kubectl logs."""
    _check_logs(session)
    selected = bool(session.line.text("selector"))
    streams = [(pod, name) for pod in _log_pods(session) for name in _log_containers(session, pod)]
    most = session.line.number("max-log-requests", 5)
    if session.line.on("follow") and len(streams) > max(1, most):
        raise error(
            f"you are attempting to follow {len(streams)} log streams, but maximum allowed concurrency is {most}, use "
            "--max-log-requests to increase the limit"
        )
    tail = session.line.number("tail", _TAIL_OF_SELECTED if selected else -1)
    if session.line.on("follow"):
        await _follow(session, streams, tail)
        return
    for pod, name in streams:
        try:
            lines = _lines(session, pod, name, tail)
        except StatusError as refusal:
            if not session.line.on("ignore-errors"):
                raise
            session.say(f"error: {refusal.message}")
            continue
        _print(session, pod, name, lines)


def _check_logs(session: Session) -> None:
    line = session.line
    words = line.operands
    if (not words and not line.text("selector")) or len(words) > 2:
        raise usage("logs", _LOGS_USAGE)
    if words and line.text("selector"):
        raise usage("logs", "only a selector (-l) or a POD name is allowed")
    if line.text("since-time") and line.text("since"):
        raise error("at most one of `sinceTime` or `sinceSeconds` may be specified")
    container = line.text("container") or (words[1] if len(words) == 2 else "")
    if line.on("all-containers") and container:
        raise error(f"--all-containers=true should not be specified with container name {container}")
    if line.text("container") and len(words) == 2:
        raise error("only one of -c or an inline [CONTAINER] arg is allowed")
    if line.number("tail", -1) < -1:
        raise error("--tail must be greater than or equal to -1")


def _log_pods(session: Session) -> list[KubeDict]:
    """The pods that are meant. Raises Failed, StatusError."""
    line = session.line
    pods = session.resource("pods")
    if line.text("selector"):
        found: list[KubeDict] = session.server.list(pods, session.namespace, line.text("selector"))["items"]
        if not found:
            session.warn(f"No resources found in {session.namespace} namespace.")
        return found
    try:
        each = selecting.select(session, line.operands[:1], default="pods").found[0]
    except StatusError as refusal:
        if refusal.reason != "NotFound":
            raise
        raise error(f'error from server (NotFound): {refusal.message} in namespace "{session.namespace}"') from None
    return pods_of(session, each, line.on("all-pods"))


def pods_of(session: Session, each: Found, every: bool = False) -> list[KubeDict]:
    """The pod that stands for an object: itself, or the first of those that its selector fits. Raises Failed."""
    if each.resource.plural == "pods":
        return [each.thing]
    spec = each.thing.get("spec") or {}
    selector = spec.get("selector") or {}
    wanted = selector if each.resource.plural == "services" else selector.get("matchLabels") or {}
    if not wanted:
        raise error(f"cannot get the logs from *{each.resource.kind}: selector is empty")
    text = ",".join(f"{key}={wanted[key]}" for key in sorted(wanted))
    found: list[KubeDict] = session.server.list(session.resource("pods"), each.namespace, text)["items"]
    if not found:
        raise error("timed out waiting for the condition")
    found.sort(key=lambda pod: (_rank(pod), name_of(pod)))
    if every or len(found) == 1:
        return found
    session.warn(f"Found {len(found)} pods, using pod/{name_of(found[0])}")
    return found[:1]


def _rank(pod: KubeDict) -> int:
    """Running pods first (podutils.ByLogging, in short)."""
    return ("Running", "Unknown", "Pending").index((pod.get("status") or {}).get("phase", "")) if (
        (pod.get("status") or {}).get("phase") in ("Running", "Unknown", "Pending")
    ) else 3  # fmt: skip


def _names(pod: KubeDict) -> list[str]:
    """Every container: init containers first."""
    spec = pod["spec"]
    parts = ("initContainers", "containers", "ephemeralContainers")
    return [str(each["name"]) for part in parts for each in spec.get(part) or ()]


def all_names(pod: KubeDict) -> str:
    """`trainer, sidecar, setup (init)`."""
    spec = pod["spec"]
    names = [str(each["name"]) for each in spec["containers"]]
    names += [f"{each['name']} (ephem)" for each in spec.get("ephemeralContainers") or ()]
    return ", ".join([*names, *(f"{each['name']} (init)" for each in spec.get("initContainers") or ())])


def _log_containers(session: Session, pod: KubeDict) -> list[str]:
    line = session.line
    if line.on("all-containers"):
        return _names(pod)
    name = line.text("container") or (line.operands[1] if len(line.operands) == 2 else "")
    if name and name not in _names(pod):
        raise error(f"container {name} is not valid for pod {name_of(pod)}")
    return [name or defaulted(session, pod)]


def defaulted(session: Session, pod: KubeDict, quiet: bool = False) -> str:
    """The container that is meant where none is named."""
    chosen = (pod["metadata"].get("annotations") or {}).get(_DEFAULT)
    if chosen in _names(pod):
        return str(chosen)
    first = str(pod["spec"]["containers"][0]["name"])
    if len(_names(pod)) > 1 and not quiet:
        session.warn(f'Defaulted container "{first}" out of: {all_names(pod)}')
    return first


def _lines(session: Session, pod: KubeDict, name: str, tail: int) -> list[str]:
    line = session.line
    since = None
    if line.text("since"):
        since = session.ctx.now - line.duration("since", 0)
    elif line.text("since-time"):
        moment = spans.parse(line.text("since-time"))
        if moment is None:
            raise error(f'parsing time "{line.text("since-time")}" as "2006-01-02T15:04:05Z07:00": cannot parse')
        since = moment - session.ctx.inventory.start
    return session.server.logs(
        namespace_of(pod), name_of(pod), name, previous=line.on("previous"), since=since,
        tail=None if tail < 0 else tail, timestamps=line.on("timestamps"),
    )  # fmt: skip


def _print(session: Session, pod: KubeDict, name: str, lines: Sequence[str]) -> None:
    prefix = f"[pod/{name_of(pod)}/{name}] " if session.line.on("prefix") or session.line.on("all-pods") else ""
    text = "".join(f"{prefix}{line}\n" for line in lines)
    limit = session.line.number("limit-bytes", 0)
    session.ctx.write(text.encode()[:limit] if limit else text)


async def _follow(session: Session, streams: Sequence[tuple[KubeDict, str]], tail: int) -> None:
    """What is there, then what comes, until the containers have ended."""
    shown: dict[int, int] = {}
    first = True
    while True:
        going = False
        for index, (pod, name) in enumerate(streams):
            everything = _lines(session, pod, name, -1)
            start = shown.get(index, max(0, len(everything) - tail) if first and tail >= 0 else 0)
            _print(session, pod, name, everything[start:])
            shown[index] = len(everything)
            going = going or _runs(session, pod, name)
        first = False
        if not going:
            return
        await session.ctx.sleep(SECOND)


def _runs(session: Session, pod: KubeDict, name: str) -> bool:
    """Whether a container runs still."""
    try:
        now = session.server.get(session.resource("pods"), namespace_of(pod), name_of(pod))
    except StatusError:
        return False
    status = now.get("status") or {}
    states: list[dict[str, Any]] = [
        each for part in ("initContainerStatuses", "containerStatuses") for each in status.get(part) or ()
    ]
    return any(each["name"] == name and (each.get("state") or {}).get("running") is not None for each in states)


async def follow_to_the_end(session: Session, namespace: str, name: str) -> None:
    """The output of a pod's first container until it has ended."""
    pod = session.server.get(session.resource("pods"), namespace, name)
    await _follow(session, [(pod, str(pod["spec"]["containers"][0]["name"]))], -1)


async def execute(session: Session) -> None:
    """kubectl exec."""
    line = session.line
    words = line.after or []
    if not line.operands:
        raise error("pod, type/name or --filename must be specified")
    if line.after is None and len(line.operands) > 1:
        raise usage("exec", "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead")
    if not words:
        raise error("you must specify at least one command for the container")
    each = selecting.select(session, line.operands[:1], default="pods").found[0]
    pod = pods_of(session, each)[0]
    phase = (pod.get("status") or {}).get("phase", "")
    if phase in ("Succeeded", "Failed"):
        raise error(f"cannot exec into a container in a completed pod; current phase is {phase}")
    container = line.text("container")
    if container and container not in _names(pod):
        raise error(f"container {container} not found in pod {name_of(pod)}")
    name = container or defaulted(session, pod, line.on("quiet"))
    if line.on("tty") and session.ctx.terminal is None and line.on("stdin"):
        session.warn("Unable to use a TTY - input is not a terminal or the right kind of file")
    session.status = await _run_inside(session, pod, name, words)


def place(session: Session, pod: KubeDict, name: str) -> Any:
    """Where a command in a container of a pod runs. Raises StatusError."""
    from engine.control.containers import inside as laws

    host, identifier = session.server.container(namespace_of(pod), name_of(pod), name)
    each = laws.of_id(session.ctx.world, host, identifier)
    assert each is not None
    return _place(session, host, each)


async def _run_inside(session: Session, pod: KubeDict, name: str, words: list[str]) -> int:
    ctx, where = session.ctx, place(session, pod, name)
    if not await _has(session, where, words[0]):
        raise Failed(_no_program(session, words[0]))
    if words in _SHELLS and session.line.on("stdin") and ctx.logins is not None:
        return await ctx.logins.login(where)
    await ctx.flush()
    status = await places.run(ctx, where, words)
    if status:
        session.warn(f"command terminated with exit code {status}")
    return status


async def _has(session: Session, where: Any, word: str) -> bool:
    """Whether a container has a program, as its own shell sees it."""
    if not places.has(session.ctx.world, where, word):
        return False
    nothing = _Nothing()
    test = f"command -v {shlex.quote(word)} >/dev/null"
    return await session.ctx.runner.script(test, where, stdout=nothing, stderr=nothing) == 0


class _Nothing:
    """An output that keeps nothing."""

    def write(self, data: bytes) -> None:
        del data

    async def flush(self) -> None:
        return


def _no_program(session: Session, word: str) -> str:
    """What the container runtime says, through kubelet and server (users' transcripts of containerd)."""
    identifier = Stream(session.ctx.world.seed, f"kubectl exec {session.ctx.now} {word}").hexadecimal(64)
    reason = f"stat {word}: no such file or directory" if "/" in word else "executable file not found in $PATH"
    return (
        "error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec "
        f'in container: failed to start exec "{identifier}": OCI runtime exec failed: exec failed: unable to start '
        f'container process: exec: "{word}": {reason}: unknown'
    )


def _place(session: Session, host: str, each: Any) -> Any:
    inner = places.place_in(session.ctx, each, {"PS1": f"root@{each.hostname}:\\w# "})
    return replace(inner, host=host, identity=identity(session.ctx.inventory, "root"))


async def shell(session: Session, namespace: str, name: str) -> int:
    """A shell in a pod's first container."""
    pod = session.server.get(session.resource("pods"), namespace, name)
    container = str(pod["spec"]["containers"][0]["name"])
    return await _run_inside(session, pod, container, ["sh"])
