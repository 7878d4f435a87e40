"""JSONPath templates: `-o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`, `--sort-by`, custom columns.

Source: client-go util/jsonpath (parser.go, jsonpath.go). Text stands outside of braces; an expression gives a list of
values, which are printed with a space between them, objects and lists as JSON. Missing keys are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.kubernetes._kubectl import json_text

_END = frozenset(" .,[]$@{}\n\t")
_SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?$")
_FILTER = re.compile(r"^([^!<>=]+)([!<>=]+)(.+?)$")
_INTEGER = re.compile(r"[+-]?\d+$")


class PathError(Exception):
    """A template that cannot be read, or (`executing`) not be executed."""

    def __init__(self, text: str, executing: bool = False) -> None:
        super().__init__(text)
        self.executing = executing


@dataclass(frozen=True, slots=True)
class Step:
    """One step: field, wildcard, recursive, slice, union or filter, or a constant; `parts` are a union's branches."""

    kind: str
    text: str = ""
    start: int | None = None
    stop: int | None = None
    stride: int | None = None
    parts: tuple[Path, ...] = ()


Path = tuple[Step, ...]


@dataclass(slots=True)
class Node:
    """A part of a template: text, an expression, or a range with what stands in it."""

    kind: str
    text: str = ""
    path: Path = ()
    body: list[Node] = field(default_factory=list)


def relaxed(text: str) -> str:
    """An expression as columns and --sort-by take it: braces and the first dot may be missing. Raises PathError."""
    match = re.match(r"^\{\.?([^{}]+)\}$|^\.?([^{}]+)$", text)
    if not text:
        return text
    if match is None:
        raise PathError(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        )
    return f"{{.{match[1] or match[2]}}}"


def parse(text: str) -> list[Node]:
    """Read a template. Raises PathError."""
    stack: list[list[Node]] = [[]]
    for inside, part in _split(text):
        if not inside:
            stack[-1].append(Node("text", part))
            continue
        for node in _action(part):
            if node.kind == "end":
                if len(stack) == 1:
                    raise PathError("not in range, nothing to end", executing=True)
                stack.pop()
                continue
            stack[-1].append(node)
            if node.kind == "range":
                stack.append(node.body)
    return stack[0]


def _split(text: str) -> Iterator[tuple[bool, str]]:
    """Text and actions by turns; quotes inside an action hide braces."""
    at = 0
    while at < len(text):
        brace = text.find("{", at)
        if brace < 0:
            yield False, text[at:]
            return
        if brace > at:
            yield False, text[at:brace]
        end = _closing(text, brace + 1, "}")
        if end < 0:
            raise PathError("unclosed action")
        yield True, text[brace + 1 : end]
        at = end + 1


def _closing(text: str, at: int, closing: str) -> int:
    """Where a bracket closes, with quotes skipped; -1: nowhere."""
    quote = ""
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == closing:
            return at
        at += 1
    return -1


def _action(text: str) -> Iterator[Node]:
    """What stands in one pair of braces."""
    rest = text.strip()
    while rest:
        if rest[0] in "'\"":
            end = _closing(rest, 1, rest[0]) if rest[0] not in rest[1:] else _quoted(rest)
            yield Node("text", _unquoted(rest[: end + 1]))
            rest = rest[end + 1 :].strip()
            continue
        word = re.match(r"(range|end)\b", rest)
        if word and word[1] == "end":
            yield Node("end")
            rest = rest[3:].strip()
        elif word:
            yield Node("range", path=_path(rest[5:].strip()))
            rest = ""
        else:
            yield Node("path", path=_path(rest))
            rest = ""


def _quoted(text: str) -> int:
    at = 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == text[0]:
            return at
        at += 1
    raise PathError("unterminated quoted string")


def _unquoted(text: str) -> str:
    escapes = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
    return re.sub(r"\\(.)", lambda match: escapes.get(match[1], match[0]), text[1:-1])


def _path(text: str) -> Path:
    """The steps of an expression."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter in "@$" or letter.isspace():
            at += 1
        elif text.startswith("..", at):
            steps.append(Step("recursive"))
            at += 2
            if at < len(text) and text[at] not in "[.":
                at = _named(text, at, steps)
        elif letter == ".":
            at = _named(text, at + 1, steps)
        elif letter == "[":
            end = _bracket(text, at)
            steps.append(_in_brackets(text[at + 1 : end]))
            at = end + 1
        elif letter in "'\"":
            end = _quoted(text[at:]) + at
            steps.append(Step("constant", _unquoted(text[at : end + 1])))
            at = end + 1
        elif re.match(r"[-+\d]", letter):
            steps.append(Step("number", text[at:].strip()))
            at = len(text)
        elif (word := re.match(r"(true|false)\b", text[at:])) is not None:
            steps.append(Step("bool", word[1]))
            at += len(word[1])
        elif re.match(r"[A-Za-z_*]", letter) and not steps:
            word = re.match(r"[\w-]+", text[at:])
            raise PathError(f"unrecognized identifier {word[0] if word else letter}", executing=True)
        else:
            raise PathError(f"unrecognized character in action: {_character(letter)}")
    return tuple(steps)


def _character(letter: str) -> str:
    return f"U+{ord(letter):04X} '{letter}'"


def _named(text: str, at: int, steps: list[Step]) -> int:
    """A field after its dot; gives where it ends."""
    start = at
    while at < len(text) and text[at] not in _END:
        at += 2 if text[at] == "\\" else 1
    name = text[start:at]
    steps.append(Step("wildcard") if name == "*" else Step("field", name.replace("\\", "")))
    return at


def _bracket(text: str, at: int) -> int:
    depth, quote, place = 0, "", at
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "[":
            depth += 1
        elif letter == "]":
            depth -= 1
            if not depth:
                return place
        place += 1
    raise PathError("unterminated array")


def _in_brackets(text: str) -> Step:
    """`[*]`, `[0]`, `[1:3]`, `['name']`, a union, or a filter."""
    inner = text.strip()
    if inner == "*":
        return Step("wildcard")
    if inner.startswith("?(") and inner.endswith(")"):
        return _filter(inner[2:-1].strip())
    if re.fullmatch(r"'[^']*'(?:\s*,\s*'[^']*')*", inner):
        fields = [Step("field", name.replace("\\", "")) for name in re.findall(r"'([^']*)'", inner)]
        return fields[0] if len(fields) == 1 else Step("union", parts=tuple((each,) for each in fields))
    if "," in inner:
        return Step("union", parts=tuple((_in_brackets(part.strip()),) for part in inner.split(",")))
    match = _SLICE.match(inner)
    if match is None or not inner:
        raise PathError(f"invalid array index {text}")
    start = int(match[1]) if match[1] else None
    if match[2] is None:
        return Step("index", start=start)
    stop = int(match[2][1:]) if match[2][1:] else None
    return Step("slice", start=start, stop=stop, stride=int(match[3][1:]) if match[3] and match[3][1:] else None)


def _filter(text: str) -> Step:
    match = _FILTER.match(text)
    if match is None:
        return Step("filter", "exists", parts=(_path(text),))
    left, operator, right = match.groups()
    if operator not in _COMPARE:
        raise PathError(f"unrecognized filter operator {operator}")
    return Step("filter", operator, parts=(_path(left.strip()), _path(right.strip())))


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda one, other: bool(one == other),
    "!=": lambda one, other: bool(one != other),
    "<": lambda one, other: bool(one < other),
    ">": lambda one, other: bool(one > other),
    "<=": lambda one, other: bool(one <= other),
    ">=": lambda one, other: bool(one >= other),
}


def find(path: Path, value: Any) -> list[Any]:
    """The values of an expression. Raises PathError."""
    values = [value]
    for step in path:
        values = [found for each in values for found in _step(step, each)]
    return values


def _step(step: Step, value: Any) -> list[Any]:
    if step.kind == "field":
        if isinstance(value, dict):
            return [value[step.text]] if step.text in value else []
        return []
    if step.kind in ("constant", "bool", "number"):
        return [_constant(step)]
    if step.kind == "wildcard":
        return _children(value)
    if step.kind == "recursive":
        return _every(value)
    if step.kind == "union":
        return [found for part in step.parts for found in find(part, value)]
    if not isinstance(value, list):
        if value is None or step.kind == "filter":
            return []
        raise PathError(f"{_go_type(value)} is not array or slice", executing=True)
    if step.kind == "filter":
        return [each for each in value if _passes(step, each)]
    return _sliced(step, value)


def _go_type(value: Any) -> str:
    return {dict: "map[string]interface {}", str: "string", bool: "bool", int: "int64"}.get(type(value), "interface {}")


def _constant(step: Step) -> Any:
    if step.kind == "bool":
        return step.text == "true"
    if step.kind == "number":
        return int(step.text) if _INTEGER.match(step.text) else step.text
    return step.text


def _children(value: Any) -> list[Any]:
    if isinstance(value, list):
        return list(value)
    return [value[key] for key in sorted(value)] if isinstance(value, dict) else []


def _every(value: Any) -> list[Any]:
    """A value and all below it."""
    if not isinstance(value, dict | list):
        return []
    return [value, *(found for child in _children(value) for found in _every(child))]


def _sliced(step: Step, value: list[Any]) -> list[Any]:
    if step.kind == "index":
        place = step.start or 0
        place += len(value) if place < 0 else 0
        if not 0 <= place < len(value):
            raise PathError(f"array index out of bounds: index {place}, length {len(value)}", executing=True)
        return [value[place]]
    return value[step.start : step.stop : step.stride]


def _passes(step: Step, value: Any) -> bool:
    left = find(step.parts[0], value)
    if step.text == "exists":
        return bool(left)
    right = find(step.parts[1], value)
    if not left or not right:
        return False
    try:
        return _COMPARE[step.text](left[0], right[0])
    except TypeError:
        raise PathError("incompatible types for comparison", executing=True) from None


def render(nodes: Sequence[Node], value: Any) -> str:
    """What a template prints for a value. Raises PathError."""
    out = []
    for node in nodes:
        if node.kind == "text":
            out.append(node.text)
        elif node.kind == "range":
            out.extend(render(node.body, each) for each in find(node.path, value))
        else:
            out.append(" ".join(shown(found) for found in find(node.path, value)))
    return "".join(out)


def found_values(nodes: Sequence[Node], value: Any) -> list[Any]:
    """Every value that a template finds, for jsonpath-as-json."""
    values: list[Any] = []
    for node in nodes:
        if node.kind == "range":
            values.extend(inner for each in find(node.path, value) for inner in found_values(node.body, each))
        elif node.kind == "path":
            values.extend(find(node.path, value))
        else:
            values.append(node.text)
    return values


def go_text(value: Any) -> str:
    """A value as Go's fmt.Sprint writes it, in custom columns."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_text(each) for each in value)}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown(value: Any) -> str:
    """A value in a template's output."""
    if isinstance(value, dict | list):
        return json_text.compact(value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
