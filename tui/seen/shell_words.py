"""A typed line as pipelines of words, read with tree-sitter's grammar of bash, or nothing where it is more than that.

Loops, conditions, functions, here-documents and background jobs are more; so is a word that only the shell can work
out, which is read as `DYNAMIC`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_BRACES = re.compile(r"(?<!\\)\{[^}]*(,|\.\.)[^}]*\}")

DYNAMIC = "\0"
"""Stands for a word whose text is not known: it has variables, substitutions or braces in it."""

Words = tuple[str, ...]


class TooMuch(Exception):
    """The line is more than pipelines of plain words."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`. `shown`: the last one writes to the screen."""

    commands: tuple[Words, ...]
    shown: bool = True


def pipelines(line: str) -> list[Pipeline]:
    """The pipelines of a line, one after the other. Raises TooMuch."""
    root = _parser().parse(line.encode("utf-8", "replace")).root_node
    if root.has_error:
        raise TooMuch
    return list(_statements(root))


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _statements(node: Node) -> Iterator[Pipeline]:
    if any(child.type == "&" for child in node.children):
        raise TooMuch
    for child in node.children:
        if child.is_named and child.type not in ("comment", "variable_assignment", "variable_assignments"):
            yield from _pipelines(child)


def _pipelines(node: Node) -> Iterator[Pipeline]:
    if node.type == "list":
        yield from _statements(node)
    elif node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        if body is None:
            raise TooMuch
        *before, last = _pipelines(body)
        yield from before  # a redirection behind a list is its last command's
        yield Pipeline(last.commands, last.shown and not _redirects_output(node))
    elif node.type == "pipeline":
        parts = [part for child in node.children if child.is_named for part in _pipelines(child)]
        if not all(part.shown for part in parts[:-1]):
            raise TooMuch
        yield Pipeline(tuple(command for part in parts for command in part.commands), parts[-1].shown)
    elif node.type == "command":
        yield Pipeline((tuple(_words(node)),))
    elif node.type in ("test_command", "declaration_command", "unset_command"):
        yield Pipeline((("true",),))
    else:
        raise TooMuch


def _redirects_output(node: Node) -> bool:
    """Whether standard output goes elsewhere than to the screen."""
    elsewhere = False
    for child in node.children:
        if child.type in ("heredoc_redirect", "herestring_redirect"):
            raise TooMuch
        if child.type == "file_redirect":
            text = _text(child)
            elsewhere |= re.match(r"(1|&)?>[>|]?(?!&)", text) is not None or re.match(r"1?>&[^12]", text) is not None
    return elsewhere


def _words(node: Node) -> Iterator[str]:
    for child in node.children:
        if child.type == "command_name":
            yield _word(child.children[0]) if child.children else DYNAMIC
        elif child.is_named:
            if child.type in ("variable_assignment", "herestring_redirect", "file_redirect"):
                raise TooMuch
            yield _word(child)


def _word(node: Node) -> str:
    text = _text(node)
    if node.type in ("word", "number"):
        return DYNAMIC if node.named_children or _BRACES.search(text) else re.sub(r"\\(.)", r"\1", text)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        plain = all(child.type == "string_content" for child in node.named_children)
        return re.sub(r'\\([\\"$`])', r"\1", text[1:-1]) if plain else DYNAMIC
    if node.type == "concatenation":
        parts = [_word(child) for child in node.children]
        return DYNAMIC if DYNAMIC in parts or _BRACES.search(text) else "".join(parts)
    return text if not node.is_named else DYNAMIC


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
