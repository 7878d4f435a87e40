"""kubectl edit: an object in an editor, and back to the server.

Source: kubectl pkg/cmd/util/editor/editoptions.go. The editor is KUBE_EDITOR, EDITOR or vi.
"""

from __future__ import annotations

from engine.commands.kubernetes._kubectl import manifests, merging, printing, selecting, yaml_text
from engine.commands.kubernetes._kubectl.applying import DELETE_FLAGS as _DELETE
from engine.commands.kubernetes._kubectl.failures import Failed, error, of_server
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import StatusError
from engine.hostfs.tree import FileError
from engine.kernel.random import hash64

FLAGS = (
    *printing.OUTPUT, *(flag for flag in _DELETE if flag.name in ("filename", "kustomize", "recursive")),
    Flag("validate", bare="strict"), Flag("field-manager"), Flag("subresource"),
    *flags("bool", "windows-line-endings output-patch save-config"),
)  # fmt: skip
_HEAD = (
    "# Please edit the object below. Lines beginning with a '#' will be ignored,\n"
    "# and an empty file will abort the edit. If an error occurs while saving this file will be\n"
    "# reopened with the relevant failures.\n#\n"
)


async def run(session: Session) -> None:
    """kubectl edit."""
    if not session.line.operands:
        raise error("must specify one of -f and -k" if session.line.all("filename") else
                    "You must provide one or more resources by argument or filename.")  # fmt: skip
    selection = selecting.select(session, session.line.operands, need_name=True)
    for each in selection.found:
        await _edit(session, each)
    for text in selection.errors:
        session.refuse(text)


async def _edit(session: Session, each: Found) -> None:
    ctx = session.ctx
    before = yaml_text.dump(each.thing)
    path = f"/tmp/kubectl-edit-{hash64('kubectl edit', str(ctx.now), each.name) % 10**10}.yaml"
    text = _HEAD + before
    while True:
        ctx.files.write(path, text.encode())
        editor = ctx.environment.get("KUBE_EDITOR") or ctx.environment.get("EDITOR") or "vi"
        if await ctx.runner.script(f"{editor} {path}", ctx.place):
            raise error(f'there was a problem with the editor "{editor}"')
        after = _read(session, path)
        if _without_comments(after) == _without_comments(text):
            session.warn("Edit cancelled, no changes made.")
            return
        if not _without_comments(after).strip():
            session.warn("Edit cancelled, saved file was empty.")
            return
        try:
            _save(session, each, after, path)
            return
        except StatusError as refusal:
            text = _failed(each, of_server(refusal)) + _without_comments(after)
            if ctx.terminal is None:
                raise


def _read(session: Session, path: str) -> str:
    try:
        return session.ctx.files.read(path).decode("utf-8", "replace")
    except FileError:
        return ""


def _without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def _failed(each: Found, text: str) -> str:
    reasons = "".join(f"# {line}\n" for line in text.splitlines())
    return f'{_HEAD}# {each.resource.plural} "{each.name}" was not valid:\n{reasons}#\n'


def _save(session: Session, each: Found, text: str, path: str) -> None:
    try:
        thing = manifests.one(_without_comments(text), path)
    except Failed as why:
        raise error(f"The edited file had a syntax error: {why.text.removeprefix('error: ')}") from None
    patch = merging.difference(each.thing, thing)
    patch.pop("status", None)
    saved = session.server.patch(each.resource, each.namespace, each.name, "merge", patch)
    printing.outcome(session, Found(each.resource, saved), "edited")
