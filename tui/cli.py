"""The command line: `breakfix VERB ...`. A verb is a module of `tui/commands/` with `add_arguments(parser)` and
`run(arguments) -> int`.

stdout is data, stderr is diagnostics. Exit status: 0, 1 (a check failed), 2 (usage). Nothing but the verb's own module
is imported, so that
`--version` and `--help` answer at once.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence

VERBS = {
    "shell": "a cluster to play with: a shell on its login host",
    "drill": "a hidden fault to find, repair and be scored on",
    "lab": "steps to follow and questions to answer on a cluster",
    "exam": "a practice exam against the clock, marked at its end",
    "study": "exam questions one by one, each explained at once",
    "review": "the questions that are due today",
    "glossary": "what the words of the field mean, and what shows them",
    "progress": "where you stand, by exam and domain",
    "report": "the last result again, or a list of results",
    "list": "what there is: drills, exams, sessions, sites, faults, facts, commands, hands",
    "import": "a fabric that ibnetdiscover printed, questions from learning platforms",
    "serve-api": "a site's Kubernetes API on a loopback port, for a real kubectl",
    "export": "a session as a recording, a fabric for ibsim, exam items for learning platforms",
    "pack": "scenarios of others: add, list, remove; build your own",
    "data": "what is kept of you here: export, erase",
    "author": "write, check and prove scenarios and question banks",
    "serve": "the full-screen program in a browser",
    "doctor": "whether this machine has what breakfix needs",
}

USAGE_STATUS, INTERRUPTED_STATUS = 2, 130
_OBJECTS_BEFORE_COLLECTION = 50_000

_OVERVIEW = """breakfix: practise repairing AI GPU clusters, offline.

  breakfix [--plain]        the full-screen program; --plain: line by line
  breakfix VERB --help      what a verb takes

verbs:
{verbs}
  --version                 print the version
"""


def main() -> int:
    """Run the command line of this process. Returns the exit status; whatever goes wrong is a sentence on stderr."""
    # Nearly all that is made while modules are imported stays; looking through it again and again for garbage would
    # take a tenth of the start.
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION, 20, 20)
    _open_streams()
    try:
        return _run([word.encode("utf-8", "replace").decode() for word in sys.argv[1:]])
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        # The reader has gone (`breakfix list drills | head -1`); keep Python from complaining about it once more at
        # exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _open_streams() -> None:
    """Closed standard streams lead nowhere; text that is not UTF-8 is read as far as it is."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _run(words: Sequence[str]) -> int:
    if words[:1] in (["-h"], ["--help"], ["help"]):
        print(_OVERVIEW.format(verbs="\n".join(f"  {name:<25} {text}" for name, text in VERBS.items())), end="")
        return 0
    if words[:1] == ["--version"]:
        from importlib.metadata import version

        print(f"breakfix {version('breakfix')}")
        return 0
    verb, rest = ("home", words) if words in ([], ["--plain"]) else (words[0], words[1:])
    if verb not in VERBS and verb != "home":
        from engine.kernel.names import unknown

        print(f"breakfix: {unknown('verb', verb, VERBS)}\n`breakfix --help` shows them all.", file=sys.stderr)
        return USAGE_STATUS
    return _run_verb(verb, rest)


def _run_verb(verb: str, words: Sequence[str]) -> int:
    from engine.kernel.errors import BreakfixError

    module = importlib.import_module(f"tui.commands.{verb.replace('-', '_')}")
    parser = argparse.ArgumentParser(
        prog=f"breakfix {verb}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    module.add_arguments(parser)
    try:
        status: int = module.run(parser.parse_args(words))
        sys.stdout.flush()
    except BreakfixError as error:
        print(f"breakfix: {error}", file=sys.stderr)
        return USAGE_STATUS
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        print(
            f"breakfix: {error.strerror or error}{': ' + str(error.filename) if error.filename else ''}",
            file=sys.stderr,
        )
        return 1
    return status
