"""How the paper of an exam can be had once more: by a command, where its seed alone decided about it."""

from __future__ import annotations

import shlex

from exams.paper import Paper, Terms


def again_command(source: str, seed: int, terms: Terms | None) -> str:
    """The command that gives the paper of a seed that was drawn without looking at what was seen before."""
    asked = terms or Terms()
    words = ["breakfix", "exam", source, "--seed", str(seed)]
    for option, value in (("--items", asked.count), ("--labs", asked.labs), ("--extra-time", asked.extra or None)):
        words += [] if value is None else [option, str(value)]
    words += ["--assigned"] if asked.assigned else []
    words += ["--part-points"] if asked.rules.multiple == "part" else []
    return shlex.join(words)


def drawn_text(paper: Paper, again: str | None) -> str:
    """How a paper was drawn: by its seed, or by more than that. `again`: as a sitting has it."""
    return f"seed {paper.seed}" if again is None or again else f"drawn from unseen items, seed {paper.seed}"


def again_text(again: str | None) -> str:
    """How to get the same paper, or that the seed alone does not give it; empty where that is not known."""
    if again is None:
        return ""
    if again:
        return f"The same paper again: {again}"
    return "Items that you had not seen came first, so the seed alone does not give the same paper again."
