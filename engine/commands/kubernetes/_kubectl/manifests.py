"""Objects that people write: YAML or JSON, several in a file, files in a folder, or standard input.

Source: cli-runtime pkg/resource (builder.go, visitor.go) for what is read and the texts of what is wrong.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from engine.commands.context import Context
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error
from engine.hostfs.tree import FileError, FileKind
from engine.kernel.documents import DocumentError, read_document

_SEPARATOR = re.compile(r"(?m)^---[ \t]*(?:#.*)?$\n?")
_EXTENSIONS = (".json", ".yaml", ".yml")


def one(text: str, name: str) -> Any:
    """The data of one document. Raises Failed."""
    try:
        return read_document(text, name).data
    except DocumentError as why:
        problem = why.problems[0]
        words = problem.text.partition(";")[0]
        raise error(
            f"error parsing {name}: error converting YAML to JSON: yaml: line {problem.location.line}: {words}"
        ) from None


def documents(text: str, name: str) -> Iterator[Any]:
    """The documents of a file that hold something; lists give what they hold. Raises Failed."""
    for part in _SEPARATOR.split(text):
        if not part.strip() or all(line.lstrip().startswith("#") or not line.strip() for line in part.splitlines()):
            continue
        data = one(part, name)
        if (
            isinstance(data, dict)
            and str(data.get("kind", "")).endswith("List")
            and isinstance(data.get("items"), list)
        ):
            yield from data["items"]
        elif data is not None:
            yield data


async def given(ctx: Context, names: list[str], recursive: bool = False) -> list[tuple[str, Any]]:
    """(name of the source, object) of everything that -f names. Raises Failed."""
    found: list[tuple[str, Any]] = []
    for name in names:
        if name == "-":
            text = (await ctx.stdin.read()).decode("utf-8", "replace")
            found += [("STDIN", each) for each in documents(text, "STDIN")]
        elif name.startswith(("http://", "https://")):
            raise NotModelled("kubectl -f with a URL")
        else:
            for path in _files(ctx, name, recursive):
                found += [(path, each) for each in documents(_text(ctx, path), path)]
    return found


def _files(ctx: Context, name: str, recursive: bool) -> list[str]:
    full = full_path(ctx, name)
    try:
        inside = ctx.files.entries(full) if ctx.files.stat(full).kind is FileKind.DIRECTORY else None
    except FileError:
        raise error(f'the path "{name}" does not exist') from None
    if inside is None:
        return [name]
    paths: list[str] = []
    for entry, status in sorted(inside, key=lambda pair: pair[0]):
        path = f"{name.rstrip('/')}/{entry}"
        if status.kind is FileKind.DIRECTORY:
            paths += _files(ctx, path, recursive) if recursive else []
        elif path.endswith(_EXTENSIONS):
            paths.append(path)
    if not paths:
        raise error(f"error reading [{name}]: recognized file extensions are [.json .yaml .yml]")
    return paths


def full_path(ctx: Context, name: str) -> str:
    """The absolute path of a name."""
    return posixpath.normpath(posixpath.join(ctx.directory, name))


def _text(ctx: Context, path: str) -> str:
    try:
        return ctx.files.read(full_path(ctx, path)).decode("utf-8", "replace")
    except FileError as why:
        raise Failed(f"error: open {path}: {why.text.lower()}") from None
