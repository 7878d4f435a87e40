"""kubectl rollout and wait: changes under way.

Source: kubectl pkg/cmd/rollout, pkg/polymorphichelpers (rollout_status.go, history.go, rollback.go), pkg/cmd/wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.commands.kubernetes._kubectl import jsonpath, merging, printing, release, selecting, tab_writer
from engine.commands.kubernetes._kubectl.describing import pods
from engine.commands.kubernetes._kubectl.describing.workloads import replica_sets
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.failures import NotModelled, error, of_server, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session, name_of
from engine.control.kubernetes.api import StatusError
from engine.kernel.units import MILLISECOND, SECOND

ROLLOUT_FLAGS = (
    *printing.OUTPUT, Flag("selector", "l"), Flag("filename", "f", "list"), Flag("revision", kind="int"),
    Flag("to-revision", kind="int"), Flag("timeout", kind="duration"), Flag("dry-run", bare="unchanged"),
    *flags("bool", "w/watch R/recursive"), Flag("field-manager"),
)  # fmt: skip
WAIT_FLAGS = (
    *printing.OUTPUT, Flag("for", kind="list"), Flag("timeout", kind="duration"), Flag("selector", "l"),
    Flag("field-selector"), Flag("filename", "f", "list"), *flags("bool", "all A/all-namespaces R/recursive local"),
)  # fmt: skip
_REVISION = "deployment.kubernetes.io/revision"
_CAUSE = "kubernetes.io/change-cause"
_WEEK = 168 * 3600 * SECOND
_STILL_APPLIED = (
    "Warning: resource {} was previously managed with 'kubectl apply'. Rolling back will not update the "
    "kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected behavior on future "
    "'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead."
)
_KINDS = ("Deployment", "DaemonSet", "StatefulSet")


async def rollout(session: Session) -> None:
    """kubectl rollout VERB."""
    words = session.line.operands
    if not words:
        raise NotModelled("the help of kubectl rollout")
    do = _VERBS.get(words[0])
    if do is None:
        raise usage("rollout", f'unknown command "{words[0]}"')
    if len(words) < 2:
        raise error("required resource not specified")
    selection = selecting.select(session, words[1:])
    for each in selection.found:
        if each.resource.kind not in _KINDS:
            raise error(_WRONG_KIND[words[0]].format(each.resource.kind, each.resource.plural))
        await do(session, each)
    for text in selection.errors:
        session.refuse(text)


_WRONG_KIND = {
    "status": 'no status viewer has been implemented for {0}', "restart": "{1} restarting is not supported",
    "history": 'no history viewer has been implemented for "{0}"',
    "undo": 'no rollbacker has been implemented for "{0}"',
    "pause": "{1} pausing is not supported", "resume": "{1} resuming is not supported",
}  # fmt: skip


def state(thing: dict[str, Any]) -> tuple[str, bool]:
    """What `rollout status` says of an object, and whether its rollout is through. Raises Failed."""
    name, spec, status = name_of(thing), thing["spec"], thing.get("status") or {}
    kind = {"Deployment": "deployment", "DaemonSet": "daemon set"}.get(thing["kind"], "statefulset")
    if thing["metadata"].get("generation", 1) > status.get("observedGeneration", 0):
        return f"Waiting for {kind} spec update to be observed...", False
    if thing["kind"] == "Deployment":
        return _deployment(name, spec, status)
    if thing["kind"] == "DaemonSet":
        return _daemon_set(name, status)
    wanted, ready = spec.get("replicas", 1), status.get("readyReplicas", 0)
    if ready < wanted:
        return f"Waiting for {wanted - ready} pods to be ready...", False
    updated = status.get("updatedReplicas", 0)
    if spec.get("updateStrategy", {}).get("rollingUpdate") is not None:
        return f"partitioned roll out complete: {updated} new pods have been updated...", True
    revision = status.get("currentRevision", "")
    count = status.get("currentReplicas", 0)
    return f"statefulset rolling update complete {count} pods at revision {revision}...", True


def _deployment(name: str, spec: dict[str, Any], status: dict[str, Any]) -> tuple[str, bool]:
    progress: dict[str, Any] = next(
        (each for each in status.get("conditions") or () if each["type"] == "Progressing"), {}
    )
    if progress.get("reason") == "ProgressDeadlineExceeded":
        raise error(f'deployment "{name}" exceeded its progress deadline')
    begin = f'Waiting for deployment "{name}" rollout to finish:'
    wanted, updated = spec.get("replicas", 1), status.get("updatedReplicas", 0)
    total, available = status.get("replicas", 0), status.get("availableReplicas", 0)
    if updated < wanted:
        return f"{begin} {updated} out of {wanted} new replicas have been updated...", False
    if total > updated:
        return f"{begin} {total - updated} old replicas are pending termination...", False
    if available < updated:
        return f"{begin} {available} of {updated} updated replicas are available...", False
    return f'deployment "{name}" successfully rolled out', True


def _daemon_set(name: str, status: dict[str, Any]) -> tuple[str, bool]:
    begin = f'Waiting for daemon set "{name}" rollout to finish:'
    wanted = status.get("desiredNumberScheduled", 0)
    updated, available = status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0)
    if updated < wanted:
        return f"{begin} {updated} out of {wanted} new pods have been updated...", False
    if available < wanted:
        return f"{begin} {available} of {wanted} updated pods are available...", False
    return f'daemon set "{name}" successfully rolled out', True


async def _status(session: Session, each: Found) -> None:
    """Say how far it is, and again whenever that changes."""
    timeout = session.line.duration("timeout", 0)
    end = session.ctx.now + timeout if timeout else None
    last = ""
    while True:
        thing = session.server.get(each.resource, each.namespace, each.name)
        text, done = state(thing)
        if text != last:
            session.say(text)
        last = text
        if done or not session.line.on("watch", True):
            return
        if end is not None and session.ctx.now >= end:
            raise error("timed out waiting for the condition")
        await session.ctx.sleep(500 * MILLISECOND)


async def _restart(session: Session, each: Found) -> None:
    from engine.kernel.calendar import utc

    if (each.thing["spec"]).get("paused"):
        raise error(f'{each.resource.plural} "{each.name}" can\'t restart paused deployment (run rollout resume first)')
    stamp = f"{utc(session.now):%Y-%m-%dT%H:%M:%SZ}"
    annotation = {"kubectl.kubernetes.io/restartedAt": stamp}
    _patch(session, each, {"spec": {"template": {"metadata": {"annotations": annotation}}}}, "restarted")


async def _pause(session: Session, each: Found) -> None:
    if each.thing["spec"].get("paused"):
        raise error(f'{each.resource.plural}.{each.resource.group} "{each.name}" is already paused')
    _patch(session, each, {"spec": {"paused": True}}, "paused")


async def _resume(session: Session, each: Found) -> None:
    if not each.thing["spec"].get("paused"):
        raise error(f'{each.resource.plural}.{each.resource.group} "{each.name}" is not paused')
    _patch(session, each, {"spec": {"paused": None}}, "resumed")


def _patch(session: Session, each: Found, body: dict[str, Any], word: str) -> None:
    dry = printing.dry(session)
    thing = each.thing
    if dry != "client":
        thing = session.server.patch(each.resource, each.namespace, each.name, "merge", body, dry_run=dry == "server")
    printing.outcome(session, Found(each.resource, thing), word)


def _revisions(session: Session, each: Found) -> dict[int, dict[str, Any]]:
    if each.resource.kind != "Deployment":
        raise NotModelled(f"the rollout history of a {each.resource.kind}")
    older, newest = replica_sets(session, each.thing)
    found = {}
    for one in [*older, *([newest] if newest else [])]:
        number = (one["metadata"].get("annotations") or {}).get(_REVISION, "")
        if number.isdecimal():
            found[int(number)] = one
    return found


async def _history(session: Session, each: Found) -> None:
    found = _revisions(session, each)
    wanted = session.line.number("revision", 0)
    if wanted:
        if wanted not in found:
            raise error("unable to find the specified revision")
        out = Writer(session.minor)
        pods.template(out, found[wanted]["spec"]["template"])
        session.say(f"{printing.named(each.resource, each.name)} with revision #{wanted}")
        session.ctx.write(out.text() + "\n")
        return
    session.say(f"{printing.named(each.resource, each.name)} ")
    rows = ["REVISION\tCHANGE-CAUSE\n"]
    for number in sorted(found):
        cause = (found[number]["metadata"].get("annotations") or {}).get(_CAUSE) or "<none>"
        rows.append(f"{number}\t{cause}\n")
    session.ctx.write(tab_writer.aligned("".join(rows)) + "\n")


async def _undo(session: Session, each: Found) -> None:
    found = _revisions(session, each)
    wanted = session.line.number("to-revision", 0)
    if not wanted:
        if len(found) < 2:
            raise error(f'no rollout history found for deployment "{each.name}"')
        wanted = sorted(found)[-2]
    if wanted not in found:
        raise error(f"unable to find specified revision {wanted} in history")
    template = dict(found[wanted]["spec"]["template"])
    labels = dict(template["metadata"].get("labels") or {})
    labels.pop("pod-template-hash", None)
    template["metadata"] = {**template["metadata"], "labels": labels}
    if wanted == max(found):
        session.say(f"{printing.named(each.resource, each.name)} skipped rollback (current template already matches "
                    f"revision {wanted})")  # fmt: skip
        return
    dry = printing.dry(session)
    if dry != "client":
        body = [{"op": "replace", "path": "/spec/template", "value": template}]
        session.server.patch(each.resource, each.namespace, each.name, "json", body, dry_run=dry == "server")
    marks = each.thing["metadata"].get("annotations") or {}
    if session.minor >= release.UNDO_WARNING and merging.LAST_APPLIED in marks:
        session.warn(_STILL_APPLIED.format(f"{each.resource.plural}/{each.name}"))
    printing.outcome(session, each, "rolled back")


_VERBS = {
    "status": _status, "restart": _restart, "history": _history, "undo": _undo, "pause": _pause, "resume": _resume,
}  # fmt: skip
Test = Callable[[dict[str, Any]], bool]


async def wait(session: Session) -> None:
    """kubectl wait."""
    conditions = session.line.raw("for")
    if not conditions:
        raise error("unrecognized condition: []")
    timeout = session.line.duration("timeout", 30 * SECOND)
    end = session.ctx.now + (_WEEK if timeout < 0 else timeout)
    deleting = any(each.lower() == "delete" for each in conditions)
    if any(each.lower() == "create" for each in conditions):
        await _until_created(session, end)
    try:
        selection = selecting.select(session, session.line.operands, every=session.line.on("all"), need_name=True)
    except StatusError as refusal:
        if deleting and refusal.reason == "NotFound":
            return
        raise
    if not selection.found and not selection.errors and not deleting:
        raise error("no matching resources found")
    for each in selection.found:
        for condition in conditions:
            await _wait_one(session, each, condition, end, timeout)
    for text in selection.errors:
        session.refuse(text)


async def _until_created(session: Session, end: int) -> None:
    while True:
        try:
            if selecting.select(session, session.line.operands, every=session.line.on("all"), need_name=True).found:
                return
        except StatusError as refusal:
            if refusal.reason != "NotFound":
                raise
        if session.ctx.now >= end:
            raise error("timed out waiting for the condition")
        await session.ctx.sleep(500 * MILLISECOND)


async def _wait_one(session: Session, each: Found, condition: str, end: int, timeout: int) -> None:
    deleting, test = _test(condition)
    uid = each.thing["metadata"].get("uid")
    while True:
        try:
            now = session.server.get(each.resource, each.namespace, each.name)
        except StatusError as refusal:
            if not deleting:
                session.refuse(of_server(refusal))
                return
            now = None
        if deleting and (now is None or now["metadata"].get("uid") != uid):
            break
        if not deleting and now is not None and test(now):
            break
        if timeout == 0:
            session.refuse(f"error: condition not met for {each.resource.plural}/{each.name}")
            return
        if session.ctx.now >= end:
            session.refuse(f"error: timed out waiting for the condition on {each.resource.plural}/{each.name}")
            return
        await session.ctx.sleep(500 * MILLISECOND)
    printing.outcome(session, each, "condition met")


def _test(condition: str) -> tuple[bool, Test]:
    """(whether deletion is waited for, the test of an object). Raises Failed."""
    word = condition.lower()
    if word == "delete":
        return True, lambda _: False
    if word == "create":
        return False, lambda _: True
    if condition.startswith("condition="):
        name, _, value = condition.removeprefix("condition=").partition("=")
        return False, lambda thing: _has(thing, name, value or "true")
    if condition.startswith("jsonpath="):
        return False, _path_test(condition.removeprefix("jsonpath="))
    raise error(f'unrecognized condition: "{condition}"')


def _has(thing: dict[str, Any], name: str, value: str) -> bool:
    for each in (thing.get("status") or {}).get("conditions") or ():
        if str(each.get("type", "")).lower() == name.lower():
            seen = each.get("observedGeneration") or (thing.get("status") or {}).get("observedGeneration")
            if seen is not None and seen < thing["metadata"].get("generation", 0):
                return False
            return str(each.get("status", "")).lower() == value.lower()
    return False


def _path_test(text: str) -> Test:
    path, value = _split_path(text)
    try:
        nodes = jsonpath.parse(jsonpath.relaxed(path))
    except jsonpath.PathError as why:
        raise error(str(why)) from None

    def test(thing: dict[str, Any]) -> bool:
        try:
            found = jsonpath.found_values(nodes, thing)
        except jsonpath.PathError:
            return False
        if len(found) > 1:
            raise error("given jsonpath expression matches more than one value")
        if not found:
            return False
        return value is None or jsonpath.shown(found[0]) == value

    return test


def _split_path(text: str) -> tuple[str, str | None]:
    """The expression and the value after a single `=`."""
    parts = text.replace("==", "\0").split("=")
    if len(parts) > 2:
        raise error("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
                    "--for=jsonpath='{.status.readyReplicas}'")  # fmt: skip
    path = parts[0].replace("\0", "==")
    if len(parts) == 1:
        return path, None
    value = parts[1].replace("\0", "==").strip("'\"")
    if not value:
        raise error("jsonpath wait has to have a value after equal sign, like "
                    "--for=jsonpath='{.status.readyReplicas}'=3")  # fmt: skip
    return path, value
