"""kubectl apply, create -f, replace, patch, scale and delete: changes of objects.

Source: kubectl pkg/cmd/apply, create, replace, patch, scale, delete. A refusal bears what was tried and the
file's name.
"""

from __future__ import annotations

import json
from typing import Any

from engine.commands.kubernetes._kubectl import json_text, manifests, merging, printing, release, selecting, strictness
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error, of_server
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.printing import OUTPUT
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session, kind_name, name_of, namespace_of
from engine.control.kubernetes.api import Resource, StatusError
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import bad_request
from engine.kernel.units import SECOND

_FILES = (
    *OUTPUT, Flag("filename", "f", "list"), Flag("kustomize", "k"), Flag("dry-run", bare="unchanged"),
    Flag("field-manager"), Flag("validate", bare="strict"), Flag("selector", "l"), *flags("bool", "R/recursive"),
)  # fmt: skip
APPLY_FLAGS = (
    *_FILES, *flags("bool", "force overwrite prune all server-side force-conflicts openapi-patch wait"),
    Flag("cascade", bare="background"), Flag("grace-period", kind="int"), Flag("timeout", kind="duration"),
    Flag("prune-allowlist", kind="list"),
)  # fmt: skip
CREATE_FLAGS = (*_FILES, *flags("bool", "save-config edit"), Flag("raw"))
REPLACE_FLAGS = (*APPLY_FLAGS, *flags("bool", "save-config"), Flag("raw"), Flag("subresource"))
PATCH_FLAGS = (
    *_FILES,
    Flag("patch", "p"),
    Flag("type"),
    Flag("patch-file"),
    Flag("subresource"),
    *flags("bool", "local"),
)
SCALE_FLAGS = (
    *_FILES, Flag("replicas", kind="int"), Flag("current-replicas", kind="int"), Flag("resource-version"),
    Flag("timeout", kind="duration"), *flags("bool", "all"),
)  # fmt: skip
DELETE_FLAGS = (
    Flag("filename", "f", "list"), Flag("kustomize", "k"), Flag("selector", "l"), Flag("field-selector"),
    Flag("output", "o"), Flag("dry-run", bare="unchanged"), Flag("cascade", bare="background"), Flag("raw"),
    *flags("bool", "R/recursive all A/all-namespaces force ignore-not-found now wait i/interactive"),
    Flag("grace-period", kind="int"), Flag("timeout", kind="duration"),
)  # fmt: skip
_AT_ONCE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The "
    "resource may continue to run on the cluster indefinitely."
)
_WEEK = 168 * 3600 * SECOND
_MISSING = (
    "Warning: resource {} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required "
    "by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create "
    "--save-config or kubectl apply. The missing annotation will be patched automatically."
)
_FLAG_F = "must specify one of -f and -k"
_PATCHES = {"json": "json", "merge": "merge", "strategic": "strategic"}


def sourced(refusal: StatusError, verb: str, source: str) -> Failed:
    """A refusal with what was tried: `error when creating "pod.yaml": ...`."""
    if refusal.reason == "Invalid":
        return Failed(of_server(refusal))
    return Failed(of_server(refusal, f'error when {verb} "{source}": '))


def _needs_files(session: Session, text: str = _FLAG_F) -> None:
    if session.line.text("kustomize"):
        raise NotModelled(f"kubectl {session.verb} -k")
    if not session.line.all("filename"):
        raise error(text)


async def _each(session: Session, change: Any) -> None:
    """Do something with every object of the files; one that fails does not keep the others back."""
    for source, resource, thing in await selecting.from_files(session):
        try:
            change(session, source, resource, thing)
        except Failed as why:
            session.refuse(why.text)
        except StatusError as refusal:
            session.refuse(of_server(refusal))


async def apply(session: Session) -> None:
    """kubectl apply -f."""
    line = session.line
    if line.operands:
        raise NotModelled(f"kubectl apply {line.operands[0]}")
    _needs_files(session)
    for name in ("prune", "server-side"):
        if line.on(name):
            raise NotModelled(f"kubectl apply --{name}")
    await _each(session, _apply_one)


def _apply_one(session: Session, source: str, resource: Resource, thing: KubeDict) -> None:
    dry = printing.dry(session)
    wanted = merging.applied(thing)
    namespace, name = namespace_of(thing), name_of(thing)
    try:
        there = session.server.get(resource, namespace, name)
    except StatusError as refusal:
        if refusal.reason != "NotFound":
            raise
        try:
            made = wanted if dry == "client" else session.server.create(
                resource, namespace, wanted, dry_run=dry == "server", strict=strictness.strict(session, resource, thing)
            )  # fmt: skip
        except StatusError as refused:
            raise sourced(refused, "creating", source) from None
        printing.outcome(session, Found(resource, made), "created")
        return
    last = (there["metadata"].get("annotations") or {}).get(merging.LAST_APPLIED)
    if last is None:
        session.warn(_MISSING.format(f"{resource.plural}/{name}"))
    before = json.loads(last) if last else {}
    patch = merging.difference(there, merging.merged(before, wanted, there))
    if not patch:
        printing.outcome(session, Found(resource, there), "unchanged")
        return
    if dry != "client":
        try:
            there = session.server.patch(
                resource, namespace, name, "merge", patch, dry_run=dry == "server",
                strict=strictness.strict(session, resource, thing),
            )  # fmt: skip
        except StatusError as refused:
            raise _not_patched(refused, patch, resource, there, source) from None
    printing.outcome(session, Found(resource, there), "configured")


def _not_patched(refusal: StatusError, patch: Any, resource: Resource, there: KubeDict, source: str) -> Failed:
    if refusal.reason == "Invalid":
        return Failed(of_server(refusal))
    group = f"{resource.group}/{resource.version}"
    where = (
        f'Resource: "{group}, Resource={resource.plural}", GroupVersionKind: "{group}, Kind={resource.kind}"\n'
        f'Name: "{name_of(there)}", Namespace: "{namespace_of(there)}"'
    )
    text = f"error when applying patch:\n{json_text.compact(patch)}\nto:\n{where}\n"
    return Failed(of_server(refusal, f'{text}for: "{source}": error when patching "{source}": '))


def create_one(session: Session, source: str, resource: Resource, thing: KubeDict) -> None:
    """Create an object from a file."""
    dry = printing.dry(session)
    if session.line.on("save-config"):
        thing = merging.applied(thing)
    try:
        strict = strictness.strict(session, resource, thing)
        made = thing if dry == "client" else session.server.create(
            resource, namespace_of(thing), thing, dry_run=dry == "server", strict=strict
        )  # fmt: skip
    except StatusError as refusal:
        raise sourced(refusal, "creating", source) from None
    printing.outcome(session, Found(resource, made), "created")


async def create_files(session: Session) -> None:
    """kubectl create -f."""
    _needs_files(session)
    await _each(session, create_one)


async def replace(session: Session) -> None:
    """kubectl replace -f."""
    _needs_files(session, "must specify one of -f and -k")
    if session.line.on("force"):
        raise NotModelled("kubectl replace --force")
    await _each(session, _replace_one)


def _replace_one(session: Session, source: str, resource: Resource, thing: KubeDict) -> None:
    dry = printing.dry(session)
    try:
        if dry != "client":
            strict = strictness.strict(session, resource, thing)
            where = (resource, namespace_of(thing), name_of(thing))
            thing = session.server.update(*where, thing, dry_run=dry == "server", strict=strict)
    except StatusError as refusal:
        raise sourced(refusal, "replacing", source) from None
    printing.outcome(session, Found(resource, thing), "replaced")


async def patch(session: Session) -> None:
    """kubectl patch."""
    line = session.line
    if line.text("patch") and line.text("patch-file"):
        raise error("cannot specify --patch and --patch-file together")
    if not line.text("patch") and not line.text("patch-file"):
        raise error("must specify --patch or --patch-file containing the contents of the patch")
    if line.on("local") or line.text("subresource"):
        raise NotModelled("kubectl patch --local or --subresource")
    kind = line.text("type", "strategic").lower()
    if kind not in _PATCHES:
        raise error(f'--type must be one of [json merge strategic], not "{kind}"')
    body = _patch_body(session)
    selection = await _chosen(session)
    dry = printing.dry(session)
    if not selection.found and not selection.errors:
        raise error("no objects passed to patch")
    for each in selection.found:
        if isinstance(body, dict):
            strictness.warn(session, each.resource, body)
        now = each.thing if dry == "client" else session.server.patch(
            each.resource, each.namespace, each.name, kind, body, dry_run=dry == "server"
        )  # fmt: skip
        same = {**now, "metadata": {**now["metadata"], "resourceVersion": ""}} == {
            **each.thing, "metadata": {**each.thing["metadata"], "resourceVersion": ""},
        }  # fmt: skip
        printing.outcome(session, Found(each.resource, now), "patched (no change)" if same else "patched")
    for text in selection.errors:
        session.refuse(text)


def _patch_body(session: Session) -> Any:
    from engine.hostfs.tree import FileError

    text, path = session.line.text("patch"), session.line.text("patch-file")
    if path:
        try:
            text = session.ctx.files.read(manifests.full_path(session.ctx, path)).decode("utf-8", "replace")
        except FileError as why:
            raise error(f"unable to read patch file: open {path}: {why.text.lower()}") from None
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            if _is_cut_off(text):
                raise bad_request("unexpected end of JSON input") from None
    try:
        return manifests.one(text, "patch")
    except Failed as why:
        detail = why.text.partition("yaml: ")[2]
        raise error(f'unable to parse "{text}": yaml: {detail}') from None


def _is_cut_off(text: str) -> bool:
    """Whether JSON ends before its brackets close."""
    return text.count("{") > text.count("}") or text.count("[") > text.count("]")


async def _chosen(session: Session, every: bool = False) -> selecting.Selection:
    """Objects by operands or files."""
    if session.line.all("filename"):
        found = [
            Found(resource, session.server.get(resource, namespace_of(thing), name_of(thing)))
            for _, resource, thing in await selecting.from_files(session)
        ]
        return selecting.Selection(found=found)
    return selecting.select(session, session.line.operands, every=every, need_name=True)


async def scale(session: Session) -> None:
    """kubectl scale."""
    line = session.line
    if "replicas" not in line:
        raise Failed('error: required flag(s) "replicas" not set')
    replicas = line.number("replicas", 0)
    if replicas < 0:
        raise error("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    selection = await _chosen(session, line.on("all"))
    dry = printing.dry(session)
    if not selection.found and not selection.errors:
        raise error("no objects passed to scale")
    for each in selection.found:
        if "replicas" not in (each.thing.get("spec") or {}):
            raise Failed("Error from server (NotFound): the server could not find the requested resource")
        expected = line.number("current-replicas", -1)
        there = each.thing["spec"]["replicas"]
        if expected not in (-1, there):
            raise error(f"Expected replicas to be {expected}, was {there}")
        thing = each.thing if dry == "client" else session.server.scale(
            each.resource, each.namespace, each.name, replicas, dry_run=dry == "server"
        )  # fmt: skip
        printing.outcome(session, Found(each.resource, thing), "scaled")
    for text in selection.errors:
        session.refuse(text)


async def delete(session: Session) -> None:
    """kubectl delete: ask, then wait until the objects are gone."""
    line = session.line
    output = line.text("output")
    if output not in ("", "name"):
        raise error(f"unexpected -o output mode: {output}. We only support '-o name'")
    if line.on("all") and line.text("selector"):
        raise error("cannot set --all and --selector at the same time")
    if line.on("interactive") or line.text("raw"):
        raise NotModelled("kubectl delete --interactive or --raw")
    grace = _grace(session)
    selection = await _to_delete(session)
    gone: list[Found] = []
    warned = False
    for each in selection.found:
        if not each.resource.namespaced and "namespace" in line and not warned:
            session.warn("Warning: deleting cluster-scoped resources, not scoped to the provided namespace")
            warned = True
        _delete_one(session, each, grace)
        gone.append(each)
    for text in selection.errors:
        session.refuse(text)
    if not selection.found and not selection.errors and not selection.one:
        session.say("No resources found")
    if line.on("wait", True) and printing.dry(session) == "none":
        await _until_gone(session, gone)


def _grace(session: Session) -> int | None:
    line = session.line
    grace = line.number("grace-period", -1)
    if line.on("now"):
        if "grace-period" in line:
            raise error("--now and --grace-period cannot be specified together")
        return 1
    if line.on("force"):
        if grace > 0:
            raise error("--force and --grace-period greater than 0 cannot be specified together")
        session.warn(_AT_ONCE)
        return 0
    if grace == 0:
        return 1
    return grace if grace > 0 else None


async def _to_delete(session: Session) -> selecting.Selection:
    line = session.line
    ignore = line.on("ignore-not-found", line.on("all"))
    if line.all("filename"):
        selection = selecting.Selection()
        for source, resource, thing in await selecting.from_files(session):
            try:
                there = session.server.get(resource, namespace_of(thing), name_of(thing))
            except StatusError as refusal:
                if refusal.reason != "NotFound" or not ignore:
                    selection.errors.append(of_server(refusal, f'error when deleting "{source}": '))
                continue
            selection.found.append(Found(resource, there))
        return selection
    if not line.operands:
        raise error("You must provide one or more resources by argument or filename.\n"
                    "Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n"
                    "   '<resource> <name>'\n   '<resource>'")  # fmt: skip
    try:
        selection = selecting.select(session, line.operands, every=line.on("all"), need_name=True)
    except StatusError as refusal:
        if refusal.reason == "NotFound" and ignore:
            return selecting.Selection(one=True)
        raise
    if ignore:
        selection.errors = [text for text in selection.errors if "(NotFound)" not in text]
    return selection


def _delete_one(session: Session, each: Found, grace: int | None) -> None:
    dry = printing.dry(session)
    propagation = {"orphan": "Orphan", "foreground": "Foreground"}.get(session.line.text("cascade"), "Background")
    if dry != "client":
        session.server.delete(each.resource, each.namespace, each.name, grace, propagation, dry_run=dry == "server")
    if session.line.text("output") == "name":
        session.say(f"{kind_name(each.resource)}/{each.name}")
        return
    operation = "force deleted" if grace == 0 else "deleted"
    if session.minor >= release.DELETED_FROM and each.resource.namespaced:
        operation += f" from {each.namespace} namespace"
    session.say(f'{kind_name(each.resource)} "{each.name}" {operation}{printing.dry_words(session)}')


async def _until_gone(session: Session, found: list[Found]) -> None:
    timeout = session.line.duration("timeout", 0) or _WEEK
    end = session.ctx.now + timeout
    for each in found:
        uid = each.thing["metadata"].get("uid")
        while True:
            try:
                now = session.server.get(each.resource, each.namespace, each.name)
            except StatusError:
                break
            if now["metadata"].get("uid") != uid:
                break
            if session.ctx.now >= end:
                raise error(f"timed out waiting for the condition on {each.resource.plural}/{each.name}")
            await session.ctx.sleep(SECOND)
