"""Compares what our commands print with captures of the real ones, line by line.

    python tests/fidelity/compare.py --corpus ../shared/corpus --cases tests/fidelity/cases/nvidia_smi.yaml [-v]

For each case a world in the capture's condition is set up, the command run, both texts masked and compared. The score
of a capture is equal lines / lines, where a line that only one side has counts as unequal. Empty lines at the ends of a
text are left out, since captures lost theirs. -v shows the lines that differ, as they are after masking; --json is for
programs.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
if str(PROJECT) not in sys.path:
    sys.path.insert(0, str(PROJECT))

from engine.kernel.errors import BreakfixError  # noqa: E402
from tests.fidelity.cases import CaseModel, read_cases  # noqa: E402
from tests.fidelity.condition import run_case  # noqa: E402
from tests.fidelity.masks import masked  # noqa: E402

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A capture against ours: both texts as compared, and how many lines are equal of how many."""

    case: CaseModel
    theirs: tuple[str, ...]
    ours: tuple[str, ...]
    equal: int
    total: int

    @property
    def percent(self) -> float:
        return 100 * self.equal / self.total if self.total else 100.0

    def differences(self) -> Iterator[str]:
        """The lines that differ: `-` the capture's, `+` ours."""
        lines = difflib.unified_diff(self.theirs, self.ours, "capture", "ours", lineterm="", n=0)
        return (line for line in lines if not line.startswith(("---", "+++", "@@")))


def compare(case: CaseModel, corpus: Path) -> Comparison:
    """Run a case. Raises BreakfixError where the capture is missing or the case asks for what there is not."""
    path = capture_path(case, corpus)
    theirs = path.read_text("utf-8", "replace").splitlines()
    command = case.command.replace("{fields}", _fields(theirs))
    result = run_case(case, command)
    ours = (result.stdout + result.stderr).splitlines()
    return matched(case, prepared(case, _range(theirs, case.lines)), prepared(case, _range(ours, case.own_lines)))


def capture_path(case: CaseModel, corpus: Path) -> Path:
    """Where a capture is: in the folder given, or in the one that the file of cases names, beside it or in it."""
    folders = (corpus, corpus / case.captures, corpus.parent / case.captures)
    for path in (folder / case.capture for folder in folders):
        if path.is_file():
            return path
    raise BreakfixError(f"there is no capture {corpus / case.capture}")


def _fields(lines: Sequence[str]) -> str:
    """The names in a csv header, without their units, with commas between."""
    return ",".join(re.sub(r" \[[^]]*\]$", "", name) for name in lines[0].split(", ")) if lines else ""


def _range(lines: Sequence[str], bounds: Sequence[int] | None) -> Sequence[str]:
    return lines[bounds[0] - 1 : bounds[1]] if bounds else lines


def prepared(case: CaseModel, lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that count, masked, without empty ones at the ends."""
    if case.expand_tabs:
        lines = [_ESCAPES.sub("", line).expandtabs(8).rstrip() for line in lines]
    if case.only:
        lines = [line for line in lines if re.search(case.only, line)]
    if case.skip:
        lines = [line for line in lines if not re.search(case.skip, line)]
    if case.split:
        lines = [part for line in lines for part in line.split(case.split)]
    if case.extract:
        lines = [match for line in lines for match in re.findall(case.extract, line)]
    shown = [masked(line, case.masks) for line in lines]
    if case.extract:
        shown = sorted(set(shown))
    while shown and not shown[-1].strip():
        shown.pop()
    while shown and not shown[0].strip():
        shown.pop(0)
    return tuple(shown)


def matched(case: CaseModel, theirs: tuple[str, ...], ours: tuple[str, ...]) -> Comparison:
    """The comparison of two prepared texts."""
    blocks = difflib.SequenceMatcher(a=theirs, b=ours, autojunk=False).get_matching_blocks()
    equal = sum(block.size for block in blocks)
    return Comparison(case, theirs, ours, equal, max(len(theirs), len(ours)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases of the files given; status 1 if a capture scores less than its file records."""
    options = _options(arguments)
    try:
        cases = [case for path in options.cases for case in read_cases(path)]
        results = [compare(case, options.corpus) for case in cases if options.only in case.capture]
    except (BreakfixError, OSError, re.error) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    print(_json(results) if options.json else "\n".join(_report(results, options.verbose)))
    return int(any(result.equal < (result.case.score or 0) for result in results))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="compare.py", description="Compare our commands with captures of the real ones."
    )
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of captures")
    parser.add_argument("--cases", type=Path, required=True, nargs="+", help="YAML files of cases")
    parser.add_argument("--only", default="", metavar="TEXT", help="only captures with TEXT in their name")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the lines that differ")
    parser.add_argument("--json", action="store_true", help="write JSON")
    return parser.parse_args(arguments)


def _report(results: Sequence[Comparison], verbose: bool) -> Iterator[str]:
    for result in results:
        fallen = result.case.score is not None and result.equal < result.case.score
        note = f"  below the recorded {result.case.score}" if fallen else ""
        score = f"{result.percent:6.1f} %  {result.equal:>4}/{result.total:<4}"
        yield f"{score} {result.case.capture}: {result.case.command}{note}"
        if verbose:
            yield from (f"          {line}" for line in result.differences())
    equal, total = sum(result.equal for result in results), sum(result.total for result in results)
    yield f"{100 * equal / total if total else 100:6.1f} %  {equal:>4}/{total:<4} in {len(results)} captures"


def _json(results: Sequence[Comparison]) -> str:
    captures = [
        {
            "capture": result.case.capture,
            "command": result.case.command,
            "equal": result.equal,
            "lines": result.total,
            "recorded": result.case.score,
            "differences": list(result.differences()),
        }
        for result in results
    ]
    total = {"equal": sum(result.equal for result in results), "lines": sum(result.total for result in results)}
    return json.dumps({"captures": captures, "total": total}, indent=2)


if __name__ == "__main__":
    sys.exit(main())
