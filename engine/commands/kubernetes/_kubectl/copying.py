"""kubectl cp: files between this host and a container.

Source: kubectl pkg/cmd/cp: tar in the container, fed over exec. Single files are copied; folders are not modelled.
"""

from __future__ import annotations

import shlex

from engine.commands.kubernetes._kubectl import inside, manifests
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.session import Session
from engine.commands.streams import BytesInput, Capture
from engine.hostfs.tree import FileError
from engine.kernel.quick_dataclass import dataclass

FLAGS = (Flag("container", "c"), Flag("retries", kind="int"), *flags("bool", "no-preserve"))


@dataclass(frozen=True, slots=True)
class End:
    """One end of a copy: a path here, or (with a pod) in a container."""

    path: str
    pod: str = ""
    namespace: str = ""


def _end(text: str, namespace: str) -> End:
    """`pod:path`, `namespace/pod:path` or a path of this host. Raises Failed."""
    place, colon, path = text.partition(":")
    if not colon or text.startswith(("/", ".")):
        return End(text)
    parts = place.split("/")
    if len(parts) > 2 or not parts[-1]:
        raise error("filespec must match the canonical format: [[namespace/]pod:]file/path")
    return End(path, parts[-1], parts[0] if len(parts) > 1 else namespace)


async def run(session: Session) -> None:
    """kubectl cp."""
    words = session.line.operands
    if len(words) != 2:
        raise error("source and destination are required")
    source, target = (_end(word, session.namespace) for word in words)
    if bool(source.pod) == bool(target.pod):
        raise error("one of src or dest must be a local file specification")
    if not source.path or not target.path:
        raise error("filepath can not be empty")
    if source.pod:
        await _fetch(session, source, target)
    else:
        await _bring(session, source, target)


async def _in_container(session: Session, end: End, script: str, data: bytes = b"") -> tuple[int, bytes]:
    """Run a line in the container that is meant. Gives its status and output."""
    pod = session.server.get(session.resource("pods"), end.namespace, end.pod)
    name = session.line.text("container") or inside.defaulted(session, pod)
    place = inside.place(session, pod, name)
    output = Capture()
    status = await session.ctx.runner.script(script, place, stdin=BytesInput(data), stdout=output, stderr=Capture())
    return status, bytes(output.data)


async def _fetch(session: Session, source: End, target: End) -> None:
    """From a container to here."""
    quoted = shlex.quote(source.path)
    status, _ = await _in_container(session, source, f"test -d {quoted}")
    if status == 0:
        raise NotModelled("kubectl cp of a folder")
    status, data = await _in_container(session, source, f"cat {quoted}")
    if status:
        session.warn(f"tar: {source.path}: Cannot stat: No such file or directory")
        session.warn("tar: Exiting with failure status due to previous errors")
        raise Failed("error: command terminated with exit code 2", 1)
    if source.path.startswith("/"):
        session.warn("tar: Removing leading `/' from member names")
    path = manifests.full_path(session.ctx, target.path)
    try:
        session.ctx.files.write(path, data)
    except FileError as why:
        raise error(f"open {target.path}: {why.text.lower()}") from None


async def _bring(session: Session, source: End, target: End) -> None:
    """From here into a container."""
    path = manifests.full_path(session.ctx, source.path)
    try:
        data = session.ctx.files.read(path)
    except FileError as why:
        if "directory" in why.text.lower() and "no such" not in why.text.lower():
            raise NotModelled("kubectl cp of a folder") from None
        raise error(f"{source.path} doesn't exist in local filesystem") from None
    inner = target.path if not target.path.endswith("/") else target.path + source.path.rpartition("/")[2]
    is_folder, _ = await _in_container(session, target, f"test -d {shlex.quote(inner)}")
    if is_folder == 0:
        inner = f"{inner.rstrip('/')}/{source.path.rpartition('/')[2]}"
    status, _ = await _in_container(session, target, f"cat > {shlex.quote(inner)}", data)
    if status:
        session.warn(f"tar: {inner}: Cannot open: No such file or directory")
        session.warn("tar: Exiting with failure status due to previous errors")
        raise Failed("error: command terminated with exit code 2", 1)
