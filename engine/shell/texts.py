"""bash's words: what the embedded interpreter says, turned into what GNU bash 5.2 says, letter by letter."""

from __future__ import annotations

import re

_LINE = re.compile(rb"^(?:bash|sh): line (\d+): ", re.MULTILINE)
_GUESS = re.compile(
    rb"(command not found(?=\. [^\n])|No such file or directory(?=\. Did you mean: ))\. [^\n]+$", re.MULTILINE
)
_PARSE = re.compile(
    rb"^(?:bash: )?(?:line \d+: )?(?:Execution error: )?parse error at line (\d+), column \d+: ([^\n]*)", re.MULTILINE
)
_LIMIT = re.compile(
    rb"^(?:bash: )?(?:line \d+: )?(?:Execution error: )?resource limit exceeded: ([^\n]*)$", re.MULTILINE
)
_OURS = re.compile(rb'\s*__epilogue \$\? "\$SHELLOPTS"')
_CANCELLED = b"execution cancelled"
_UNEXPECTED_END = b"syntax error: unexpected end of file"

SYNTAX_ERROR = 2


def rewrite(data: bytes, prefix: str | None, before: int) -> bytes:
    """Standard error of a text, as bash words it.

    `prefix` is `-bash: ` at a login prompt; None stands for `bash -c`, which names the line. `before` lines of ours
    precede the text, so line 1 can only be the word of another bash that the text started, and is left alone; line 0
    is what our own functions and builtins say.
    """

    def start_of(match: re.Match[bytes]) -> bytes:
        number = int(match[1])
        if number == 1:
            return match[0]
        return prefix.encode() if prefix else b"bash: line %d: " % max(number - before, 1)

    start = prefix.encode() if prefix else b"bash: line 1: "
    data = _GUESS.sub(rb"\1", data)
    data = _PARSE.sub(lambda match: start + _syntax(match[2]), data)
    data = _LIMIT.sub(lambda match: start + b"breakfix stopped this line: " + match[1], data)
    return _LINE.sub(start_of, _OURS.sub(b"", data)).replace(_CANCELLED, b"")


def is_syntax_error(data: bytes) -> bool:
    """Whether the interpreter refused to parse the line (bash: status 2)."""
    return _PARSE.search(data) is not None


def _syntax(text: bytes) -> bytes:
    text = text.strip()
    if text.startswith(b"syntax error") or b"unexpected EOF" in text:
        return text
    return _UNEXPECTED_END if b"end of input" in text or b"unexpected end" in text else b"syntax error: " + text
