"""kubectl diff: what apply would change, as `diff -u -N` shows two folders.

Source: kubectl pkg/cmd/diff: the live object and the one that a dry run of the server gives, as YAML without
managedFields; status 1 says that there are differences. The folders' random ends are made of the moment.
"""

from __future__ import annotations

import difflib
import json

from engine.commands.kubernetes._kubectl import merging, selecting, yaml_text
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error, of_server
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.session import Session, name_of, namespace_of
from engine.control.kubernetes.api import Resource, StatusError
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.calendar import utc
from engine.kernel.random import Stream

FLAGS = (
    Flag("filename", "f", "list"), Flag("kustomize", "k"), Flag("selector", "l"), Flag("field-manager"),
    Flag("concurrency", kind="int"), Flag("prune-allowlist", kind="list"),
    *flags("bool", "R/recursive server-side force-conflicts prune show-managed-fields"),
)  # fmt: skip
_DIFFERENT, _TROUBLE = 1, 2


async def run(session: Session) -> None:
    """kubectl diff -f."""
    line = session.line
    if line.text("kustomize") or line.on("server-side") or line.on("prune"):
        raise NotModelled("kubectl diff with -k, --server-side or --prune")
    if not line.all("filename"):
        raise error("must specify one of -f and -k")
    stream = Stream(session.ctx.world.seed, f"kubectl diff/{session.ctx.now}")
    folders = tuple(f"/tmp/{word}-{stream.integer(10**8, 4 * 10**9)}" for word in ("LIVE", "MERGED"))
    for source, resource, thing in await selecting.from_files(session):
        try:
            _one(session, folders, resource, thing)
        except StatusError as refusal:
            raise Failed(of_server(refusal, f'error when patching "{source}": '), _TROUBLE) from None


def _one(session: Session, folders: tuple[str, ...], resource: Resource, thing: KubeDict) -> None:
    namespace, name = namespace_of(thing), name_of(thing)
    live: KubeDict | None = None
    try:
        live = session.server.get(resource, namespace, name)
    except StatusError as refusal:
        if refusal.reason != "NotFound":
            raise
    if live is None:
        merged = session.server.create(resource, namespace, thing, dry_run=True, strict=True)
    else:
        last = (live["metadata"].get("annotations") or {}).get(merging.LAST_APPLIED)
        before = json.loads(last) if last else {}
        patch = merging.difference(live, merging.merged(before, merging.applied(thing), live))
        merged = session.server.patch(resource, namespace, name, "merge", patch, dry_run=True) if patch else live
        _keep_mark(merged, last)
    group = f"{resource.group}." if resource.group else ""
    file = f"{group}{resource.version}.{resource.kind}.{namespace}.{name}"
    _show(session, [f"{folder}/{file}" for folder in folders], live, merged)


def _keep_mark(merged: KubeDict, last: str | None) -> None:
    """The note of what was applied is as it was: diff asks without one of its own."""
    marks = merged["metadata"].get("annotations") or {}
    marks.pop(merging.LAST_APPLIED, None)
    if last is not None:
        merged["metadata"]["annotations"] = {**marks, merging.LAST_APPLIED: last}
    elif not marks:
        merged["metadata"].pop("annotations", None)


def _show(session: Session, paths: list[str], live: KubeDict | None, merged: KubeDict) -> None:
    before, after = _lines(live), _lines(merged)
    if before == after:
        return
    moment = f"{utc(session.now):%Y-%m-%d %H:%M:%S.%f}000 +0000"
    session.say(f"diff -u -N {paths[0]} {paths[1]}")
    found = difflib.unified_diff(before, after, paths[0], paths[1], moment, moment, lineterm="")
    for line in found:
        session.say(line)
    session.status = _DIFFERENT


def _lines(thing: KubeDict | None) -> list[str]:
    return yaml_text.dump(thing).splitlines() if thing is not None else []
