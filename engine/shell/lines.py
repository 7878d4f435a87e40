"""What can be said of a line before it runs: whether it goes on, which parts run in the background, what writes to the
terminal.

The parts come from tree-sitter's grammar of bash, which is imported only when a line has an `&`, or runs at a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.kernel.quick_dataclass import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_HEREDOC = re.compile(r"<<(-?)\s*(['\"]?)([A-Za-z_][\w.-]*)\2")
_TOGETHER = ("<<", "trap", "PIPESTATUS")
_INCOMPLETE = ("unexpected end", "unexpected eof", "end of input", "unterminated", "unclosed", "missing")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a line, run in turn; `background` parts are not waited for."""

    text: str
    background: bool


def needs_more(text: str, analyze: Callable[[str], Any]) -> bool:
    """Whether bash would show its second prompt: an open quote, `for` without `done`, a here-document, a trailing `|`,
    `&&` or backslash.
    """
    if not text.strip():
        return False
    trailing = len(text) - len(text.rstrip("\\"))
    if trailing % 2 or (text.rstrip().endswith(("&&", "||", "|")) and not _comment(text)):
        return True
    if open_heredocs(text):
        return True
    try:
        analyze(text)
    except Exception as error:
        return any(word in str(error).lower() for word in _INCOMPLETE)
    return False


def parts(text: str) -> list[Part]:
    """The line cut into what runs one after the other; parts before an `&` run in the background.

    Statements that follow each other (`a; b`) are parts of their own, so that what one says on standard error is seen
    before the next one begins; not where the pieces of a line know of each other.
    """
    several = ";" in text and not any(word in text for word in _TOGETHER)
    if not several and "&" not in text.replace("&&", "").replace(">&", "").replace("&>", ""):
        return [Part(text, False)]
    root = _parser().parse(text.encode()).root_node
    if root.has_error:
        return [Part(text, False)]
    if several and not any(child.type == "&" for child in root.children):
        return [Part((child.text or b"").decode(), False) for child in root.children if child.is_named]
    return list(_cut(text.encode(), root))


def _cut(source: bytes, root: Node) -> Iterator[Part]:
    """Consecutive foreground statements stay one part."""
    start = 0
    previous: Node | None = None
    for child in root.children:
        if child.type == "&" and previous is not None:
            before = source[start : previous.start_byte].decode().strip().rstrip(";").strip()
            if before:
                yield Part(before, False)
            yield Part(source[previous.start_byte : previous.end_byte].decode(), True)
            start = child.end_byte
        elif child.is_named:
            previous = child
    rest = source[start:].decode().strip()
    if rest.lstrip(";").strip():
        yield Part(rest, False)


def forks(text: str) -> bool:
    """Whether something in `text` goes on beside the rest, such as `program &` in a loop."""
    if "&" not in text:
        return False
    waiting = [_parser().parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "&":
            return True
        waiting += node.children
    return False


def terminal_commands(text: str) -> frozenset[str]:
    """Names of commands in `text` whose output goes to the terminal: last of their pipeline, not redirected, not
    substituted.
    """
    root = _parser().parse(text.encode()).root_node
    named: dict[str, bool] = {}
    for node, visible in _commands(root, True):
        name = node.child_by_field_name("name")
        word = (name.text or b"").decode() if name else ""
        named[word] = named.get(word, True) and visible
    return frozenset(name for name, visible in named.items() if visible)


def _commands(node: Node, visible: bool) -> Iterator[tuple[Node, bool]]:
    if node.type == "command":
        yield node, visible
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        hidden = any(child.type == "file_redirect" and b">" in (child.text or b"") for child in node.children)
        for child in node.children:
            yield from _commands(child, visible and (child != body or not hidden))
        return
    last = [child for child in node.children if child.is_named][-1:]
    for child in node.children:
        inside = visible and not (node.type == "pipeline" and [child] != last)
        yield from _commands(child, inside and child.type not in ("command_substitution", "process_substitution"))


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _comment(text: str) -> bool:
    return text.splitlines()[-1].lstrip().startswith("#")


def open_heredocs(text: str) -> list[str]:
    """The words that would end the here-documents which the text leaves open."""
    waiting: list[tuple[str, bool]] = []
    for _ in _lines_and_bodies(text, waiting):
        pass
    return [word for word, _ in waiting]


def heredoc_bodies(text: str) -> list[bool]:
    """For each line of the text whether it stands in a here-document."""
    return [body for _, body in _lines_and_bodies(text, [])]


def _lines_and_bodies(text: str, waiting: list[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands in a here-document; `waiting` holds the words that end those which are open, and
    whether tabs may stand before them.
    """
    for line in text.split("\n"):
        if waiting:
            yield line, True
            word, tabs = waiting[0]
            if (line.lstrip("\t") if tabs else line) == word:
                waiting.pop(0)
            continue
        yield line, False
        if "<<<" not in line:
            waiting += [(match[3], bool(match[1])) for match in _HEREDOC.finditer(line)]
