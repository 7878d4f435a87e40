"""kubectl of the cluster's own release (1.32): objects of a Kubernetes cluster as its API server shows and changes
them.

Source: kubernetes/kubectl v0.32 (pkg/cmd); compared with the real clients 1.32.4 and 1.37.1 (tests/differential).
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.kubernetes._kubectl import listing, release
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, dialled, of_server, unreachable
from engine.commands.kubernetes._kubectl.flags import Flag, FlagError, read
from engine.commands.kubernetes._kubectl.session import GLOBAL, Session
from engine.control.kubernetes.status_error import NoServer, StatusError
from engine.kernel.calendar import utc
from engine.kernel.random import hash64

_PARTS = "engine.commands.kubernetes._kubectl."
_WORDS = (
    'memcache.go:265] "Unhandled Error" err="couldn\'t get current server API group list: {}"',
    'memcache.go:381] "Couldn\'t get current server API group list" err="{}"',
)
_TRIES = 5  # how often client-go asks for the discovery before it gives up


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb is done: module, function and name of its flags there."""

    module: str
    function: str = "run"
    flags: str = "FLAGS"


_VERBS = {
    "get": Verb("get"), "describe": Verb("describe"), "cordon": Verb("cordoning", "cordon", "CORDON_FLAGS"),
    "uncordon": Verb("cordoning", "uncordon", "CORDON_FLAGS"), "drain": Verb("cordoning", "drain", "DRAIN_FLAGS"),
    "taint": Verb("tainting", "taint", "TAINT_FLAGS"), "label": Verb("tainting", "label", "MARK_FLAGS"),
    "annotate": Verb("tainting", "annotate", "MARK_FLAGS"), "apply": Verb("applying", "apply", "APPLY_FLAGS"),
    "create": Verb("creating", "create", "CREATE_FLAGS"), "run": Verb("creating", "run", "RUN_FLAGS"),
    "replace": Verb("applying", "replace", "REPLACE_FLAGS"), "patch": Verb("applying", "patch", "PATCH_FLAGS"),
    "scale": Verb("applying", "scale", "SCALE_FLAGS"), "delete": Verb("applying", "delete", "DELETE_FLAGS"),
    "logs": Verb("inside", "logs", "LOGS_FLAGS"), "exec": Verb("inside", "execute", "EXEC_FLAGS"),
    "rollout": Verb("rolling", "rollout", "ROLLOUT_FLAGS"), "wait": Verb("rolling", "wait", "WAIT_FLAGS"),
    "edit": Verb("editing"), "config": Verb("configuring"), "events": Verb("about", "events", "EVENTS_FLAGS"),
    "top": Verb("about", "top", "TOP_FLAGS"), "auth": Verb("about", "auth", "AUTH_FLAGS"),
    "version": Verb("about", "show_version", "VERSION_FLAGS"),
    "cluster-info": Verb("about", "cluster_info", "CLUSTER_FLAGS"),
    "api-resources": Verb("about", "api_resources", "RESOURCES_FLAGS"),
    "explain": Verb("explaining"), "diff": Verb("diffing"), "cp": Verb("copying"),
    "debug": Verb("debugging"),
    "api-versions": Verb("about", "api_versions", "VERSION_FLAGS"),
}  # fmt: skip
_GROUPS = ("config", "rollout", "auth", "top", "create", "set", "certificate")
_SPELT_OTHERWISE = {"log": "logs", "rm": "", "clusterinfo": "cluster-info"}


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    name, words, before = _verb(ctx.arguments)
    if not name:
        return await _without_verb(ctx, before)
    verb = _VERBS.get(_SPELT_OTHERWISE.get(name) or name)
    if verb is None:
        return _unknown(ctx, name)
    try:
        known = _flags(verb)
        line = read((*known, *GLOBAL), [*before, *words])
    except FlagError as wrong:
        ctx.error(f"error: {wrong}\nSee 'kubectl {_path(name, words)} --help' for usage.")
        return 1
    if line.on("help"):
        ctx.write(listing.help_of(name, known))
        return 0
    session = Session(ctx, name, line)
    return await _guarded(session, getattr(importlib.import_module(_PARTS + verb.module), verb.function))


def _path(name: str, words: Sequence[str]) -> str:
    """A verb with the verb below it, if it has such."""
    below = words[0] if name in _GROUPS and words and not words[0].startswith("-") else ""
    return f"{name} {below}".strip()


def _flags(verb: Verb) -> tuple[Flag, ...]:
    found: tuple[Flag, ...] = getattr(importlib.import_module(_PARTS + verb.module), verb.flags)
    return found


def _verb(words: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """(verb, what follows, global options before it)."""
    takes = {f"--{flag.name}" for flag in GLOBAL if flag.kind != "bool"} | {
        f"-{flag.short}" for flag in GLOBAL if flag.short and flag.kind != "bool"
    }
    before: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        before.append(word)
        if word in takes and rest:
            before.append(rest.pop(0))
    return (rest[0], rest[1:], before) if rest else ("", [], before)


async def _without_verb(ctx: Context, words: list[str]) -> int:
    try:
        read(GLOBAL, words)
    except FlagError as wrong:
        ctx.error(f"error: {wrong}\nSee 'kubectl --help' for usage.")
        return 1
    ctx.write(listing.main())
    return 0


def _unknown(ctx: Context, name: str) -> int:
    if name in ("help", "options"):
        ctx.write(listing.main())
        return 0
    if name in listing.verbs():
        return ctx.not_modelled(f"kubectl {name}")
    ctx.error(f'error: unknown command "{name}" for "kubectl"')
    close = [verb for verb in listing.verbs() if listing.distance(name, verb) <= 2 or verb.startswith(name)]
    if close:
        ctx.error("\nDid you mean this?\n" + "\n".join(f"\t{verb}" for verb in sorted(close)))
    return 1


async def _guarded(session: Session, do: Callable[[Session], Awaitable[Any]]) -> int:
    """Run a verb, and say what went wrong as kubectl does."""
    ctx = session.ctx
    try:
        await do(session)
    except Failed as why:
        if why.text:
            ctx.error(why.text)
        return why.status
    except StatusError as refusal:
        ctx.error(of_server(refusal))
        return 1
    except NoServer as why:
        return _no_server(session, why)
    except NotModelled as what:
        return ctx.not_modelled(str(what))
    return session.status


def _no_server(session: Session, why: NoServer) -> int:
    """The lines of client-go, and the last one."""
    server = session.target.server.rstrip("/")
    text = dialled(server.replace("localhost", "127.0.0.1"), why)
    if session.verb != "version":
        for attempt in range(_TRIES):
            begin = _log_begin(session, attempt)
            complaint = f'Get \\"{server}/api?timeout=32s\\": {text}'
            session.warn(f"{begin} {_WORDS[session.minor >= release.DISCOVERY_WORDS].format(complaint)}")
    session.warn(unreachable(server, why))
    return 1


def _log_begin(session: Session, attempt: int) -> str:
    """`E1130 14:11:25.224871   30375`: time and process of a line of klog."""
    noise = hash64("kubectl klog", str(session.ctx.now), str(attempt))
    moment = session.now // 1000 + attempt * 1400 + noise % 400
    process = 20000 + hash64("kubectl process", session.ctx.host, str(session.ctx.now)) % 15000
    return f"E{utc(moment * 1000):%m%d %H:%M:%S}.{moment % 1_000_000:06d} {process:7d}"


def _complete(ctx: Context, words: Sequence[str]) -> list[str]:
    """Verbs, then resource types."""
    if len(words) < 2:
        return [name for name in _VERBS]
    if len(words) == 2 and ctx.inventory.kubernetes is not None:
        from engine.control.kubernetes.resources import built_in

        return [each.plural for each in built_in()]
    return []


COMMAND = Command(
    "kubectl",
    "controls the Kubernetes cluster manager",
    run,
    "kubectl [flags] [options]",
    manual="""Verbs: get, describe, explain, logs, exec, cp, debug, events, top, apply, diff, create, run, edit,
delete, patch, replace, scale, rollout, wait,
cordon, uncordon, drain, taint, label, annotate, auth, config, api-resources,
api-versions, cluster-info, version.

    kubectl get pods -A -o wide
    kubectl describe node gpu-01
    kubectl drain gpu-01 --ignore-daemonsets

The server and the user come from ~/.kube/config, $KUBECONFIG or --kubeconfig.""",
    complete=_complete,
)
