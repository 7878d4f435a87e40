"""What a command is connected to: its streams, the terminal it writes to, and where it may open a login."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.commands.context import Input, Logins, Output, Terminal


@dataclass(frozen=True)
class Wiring:
    """The connections of one command.

    `terminal` is given if standard output goes to one, `logins` if the command may put a login on top of the one that
    typed it. `bash_files` is the file system of the bash that runs it, which alone has its process substitutions.
    """

    stdin: Input
    stdout: Output
    stderr: Output
    terminal: Terminal | None = None
    logins: Logins | None = None
    bash_files: Any = None

    def redirected(self, stdin: Input | None, stdout: Output | None, stderr: Output | None) -> Wiring:
        """These connections with some streams put elsewhere; output that goes elsewhere has no terminal."""
        changed = replace(self, stdin=stdin or self.stdin, stdout=stdout or self.stdout, stderr=stderr or self.stderr)
        return changed if stdout is None else replace(changed, terminal=None, logins=None)
