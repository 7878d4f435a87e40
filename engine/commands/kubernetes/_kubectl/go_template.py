"""Go templates of `-o go-template=...` in a first form: fields, range, if, with, variables, pipelines, comparisons.

Source: Go's text/template (parse/, exec.go, funcs.go) and kubectl's own functions (base64decode). define, template,
block, break and continue are not modelled.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.kubernetes._kubectl import jsonpath
from engine.commands.kubernetes._kubectl.failures import NotModelled, error

_PARTS = re.compile(r"\{\{(-\s)?(.*?)(\s-)?\}\}", re.DOTALL)
_TOKEN = re.compile(r"""\s*("(?:\\.|[^"\\])*"|`[^`]*`|:=|[|(),]|[^\s|(),]+)""")
_WORDS = ("define", "template", "block", "break", "continue")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
Names = dict[str, Any]


@dataclass(slots=True)
class _Node:
    """Text, an action, or a block with what stands in it."""

    kind: str
    text: str = ""
    body: list[_Node] = field(default_factory=list)
    otherwise: list[_Node] = field(default_factory=list)


def render(template: str, value: Any) -> str:
    """What a template prints for a value. Raises Failed, NotModelled."""
    nodes = _parse(template)
    return _all(nodes, value, {"$": value})


def _parse(template: str) -> list[_Node]:
    root: list[_Node] = []
    stack: list[tuple[_Node | None, list[_Node]]] = [(None, root)]
    at, trim = 0, False
    for match in _PARTS.finditer(template):
        text = template[at : match.start()]
        text = text.lstrip() if trim else text
        if match[1]:
            text = text.rstrip()
        if text:
            stack[-1][1].append(_Node("text", text))
        at, trim = match.end(), bool(match[3])
        _take(match[2].strip(), stack)
    rest = template[at:]
    if "{{" in rest:
        raise error(f"error parsing template {template}, template: output:1: unclosed action")
    stack[-1][1].append(_Node("text", rest.lstrip() if trim else rest))
    if len(stack) > 1:
        raise error(f"error parsing template {template}, template: output:1: unexpected EOF")
    return root


def _take(action: str, stack: list[tuple[_Node | None, list[_Node]]]) -> None:
    word, _, rest = action.partition(" ")
    if word in _WORDS:
        raise NotModelled(f"{{{{{word}}}}} in a Go template")
    if action.startswith("/*"):
        return
    if word in ("range", "if", "with"):
        node = _Node(word, rest.strip())
        stack[-1][1].append(node)
        stack.append((node, node.body))
    elif word == "else":
        node_or_none = stack.pop()[0]
        assert node_or_none is not None
        stack.append((node_or_none, node_or_none.otherwise))
        if rest.strip().startswith(("if ", "with ")):
            kind, _, text = rest.strip().partition(" ")
            inner = _Node(kind, text.strip())
            node_or_none.otherwise.append(inner)
            stack[-1] = (inner, inner.body)
    elif word == "end":
        if len(stack) == 1:
            raise error("error parsing template, template: output:1: unexpected {{end}}")
        stack.pop()
    else:
        stack[-1][1].append(_Node("action", action))


def _all(nodes: Sequence[_Node], dot: Any, names: Names) -> str:
    return "".join(_one(node, dot, names) for node in nodes)


def _one(node: _Node, dot: Any, names: Names) -> str:
    if node.kind == "text":
        return node.text
    if node.kind == "action":
        variables, text = _assigned(node.text)
        value = _pipeline(_tokens(text), dot, names)
        if variables:
            names[variables[0]] = value
            return ""
        return "<no value>" if value is None else _shown(value)
    variables, text = _assigned(node.text)
    value = _pipeline(_tokens(text), dot, names)
    inner = dict(names)
    if node.kind == "range":
        return _range(node, value, variables, dot, inner)
    if variables:
        inner[variables[0]] = value
    if not _true(value):
        return _all(node.otherwise, dot, inner)
    return _all(node.body, value if node.kind == "with" else dot, inner)


def _range(node: _Node, value: Any, variables: list[str], dot: Any, names: Names) -> str:
    pairs = [(key, value[key]) for key in sorted(value)] if isinstance(value, dict) else list(enumerate(value or ()))
    if not pairs:
        return _all(node.otherwise, dot, names)
    out = []
    for key, each in pairs:
        if len(variables) == 2:
            names[variables[0]], names[variables[1]] = key, each
        elif variables:
            names[variables[0]] = each
        out.append(_all(node.body, each, names))
    return "".join(out)


def _assigned(text: str) -> tuple[list[str], str]:
    """Variables before `:=`, and the rest."""
    match = re.match(r"((?:\$\w+\s*,\s*)?\$\w+)\s*:?=\s*(.*)$", text, re.DOTALL)
    if match is None:
        return [], text
    return [name.strip() for name in match[1].split(",")], match[2]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _pipeline(tokens: list[str], dot: Any, names: Names) -> Any:
    commands: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == "|" and not depth:
            commands.append([])
        else:
            commands[-1].append(token)
    value: Any = None
    for place, command in enumerate(commands):
        value = _command(command, dot, names, [value] if place else [])
    return value


def _command(tokens: list[str], dot: Any, names: Names, last: list[Any]) -> Any:
    values: list[Any] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "(":
            end = _closing(tokens, at)
            values.append(_pipeline(tokens[at + 1 : end], dot, names))
            at = end
        elif at == 0 and token in _FUNCTIONS:
            values.append(_FUNCTIONS[token])
        else:
            values.append(_operand(token, dot, names))
        at += 1
    if not values:
        raise error("error parsing template, template: output:1: missing value for command")
    if callable(values[0]):
        try:
            return values[0](*values[1:], *last)
        except (TypeError, IndexError, ValueError) as why:
            raise error(f"error executing template: template: output:1: error calling {tokens[0]}: {why}") from None
    return values[0]


def _closing(tokens: list[str], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place] == "(") - (tokens[place] == ")")
        if not depth:
            return place
    raise error("error parsing template, template: output:1: unclosed left paren")


def _operand(token: str, dot: Any, names: Names) -> Any:
    if token[0] == '"':
        return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), token[1:-1])
    if token[0] == "`":
        return token[1:-1]
    if re.match(r"-?\d+$", token):
        return int(token)
    if token in ("true", "false", "nil"):
        return {"true": True, "false": False, "nil": None}[token]
    if token[0] == "$":
        name, _, path = token.partition(".")
        if name not in names:
            raise error(f'error parsing template, template: output:1: undefined variable "{name}"')
        return _field(names[name], path)
    if token[0] == ".":
        return _field(dot, token[1:])
    raise error(f'error parsing template, template: output:1: function "{token}" not defined')


def _field(value: Any, path: str) -> Any:
    for name in [part for part in path.split(".") if part]:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _true(value: Any) -> bool:
    return bool(value)


def _shown(value: Any) -> str:
    return jsonpath.go_text(value)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif value is not None:
            value = value[key]
    return value


def _printf(form: str, *values: Any) -> str:
    parts = iter(values)

    def put(match: re.Match[str]) -> str:
        if match[2] == "%":
            return "%"
        value = next(parts)
        text = f'"{_shown(value)}"' if match[2] == "q" else _shown(value)
        wide = match[1] or "0"
        return text.ljust(int(wide[1:])) if wide.startswith("-") else text.rjust(int(wide))

    return re.sub(r"%(-?\d*)([sdvq%])", put, form)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "index": _index,
    "len": lambda value: len(value or ()),
    "printf": _printf,
    "print": lambda *values: "".join(_shown(value) for value in values),
    "println": lambda *values: " ".join(_shown(value) for value in values) + "\n",
    "eq": lambda one, *others: any(one == other for other in others),
    "ne": lambda one, other: one != other,
    "lt": lambda one, other: one < other,
    "le": lambda one, other: one <= other,
    "gt": lambda one, other: one > other,
    "ge": lambda one, other: one >= other,
    "not": lambda value: not _true(value),
    "and": lambda *values: next((value for value in values if not _true(value)), values[-1]),
    "or": lambda *values: next((value for value in values if _true(value)), values[-1]),
    "base64decode": lambda value: base64.b64decode(value).decode("utf-8", "replace"),
}
