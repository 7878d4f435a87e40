"""The shell against real bash: the shared lines, and more lines of our own, over the same files."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.shell.bash_cases import FOLDER, Outcome, ours_all, real

pytestmark = pytest.mark.xdist_group("real-bash")

# Lines that differ, each with the reason. Everything else must be equal.
KNOWN_DIFFERENCES = {
    "echo ${nope?missing}": "the interpreter ends such a line with status 1 where bash gives 127",
    "xargs -n1 -t": "the interpreter's xargs prints its -t trace after the outputs",
    "| bc -l": "the interpreter's bc pads products to the scale",
    "echo $(( 1 + ; echo x": "the interpreter finds this error when it runs, with status 1 where bash gives 2",
}

OUR_LINES = """
x=3; while ((x--)); do printf '%s ' "$x"; done; echo
for f in log/node*/messages; do awk -v f="$f" '/ERROR/{n++} END{print f, n+0}' "$f"; done
read -r first second <<< "alpha beta gamma"; echo "$second|$first"
printf '%5.1f|%-8s|%03d\\n' 3.14159 abc 7
grep -c '' nodes.txt passwd | sort -t: -k2 -n
cut -d: -f1,7 passwd --output-delimiter=' -> '
sort -t: -k3,3n passwd | head -2 | cut -d: -f1
a=(one two three); echo "${#a[@]} ${a[-1]} ${a[@]:1:2}"; unset 'a[0]'; echo "${!a[@]}"
case dgx-03 in dgx-0[1-2]) echo low;; dgx-*) echo high;; esac
[[ -s nodes.txt && ! -e nosuch ]] && echo fine || echo bad
echo "${PWD##*/}" | tr a-z A-Z
f() { return 9; }; f || echo "status $?"
(cd log && ls -1 | wc -l); pwd | sed 's#.*/##'
sed -n '/alice/,/bob/p' passwd | wc -l
tr -dc '0-9\\n' < nodes.txt | sort -n | uniq -c | awk '{print $2":"$1}'
seq 1 20 | awk 'NR%5==0' | paste -sd, -
jq -r '.items[] | select(.status.phase=="Failed") | .metadata.name' pods.json | sort | head -3
find . -name 'mess*' | wc -l
cat nodes.txt | while read -r n; do echo "${n^^}"; done | sort -u
diff <(sort nodes.txt) <(sort -u nodes.txt) >/dev/null; echo $?
v=$(printf 'a\\nb\\n'); echo "$v" | wc -l; echo ${#v}
trap 'echo cleanup' EXIT; false; echo "after $?"
set -e; if false; then :; fi; echo survived
set -o pipefail; grep nothing nodes.txt | cat; echo ${PIPESTATUS[0]} $?
echo $((16#ff)) $((1<<10)) $((7/2)) $((-7%3))
{ echo out; echo err >&2; } 2>/dev/null | cat
cat nosuch 2>&1 | sed 's/.*: //'
exec 2>&1; nosuchcommand 2>/dev/null; echo $?
let 'x = 5 * 3'; echo $x; (( x > 10 )) && echo big
date -u -d '2026-02-28 12:00:00 UTC' '+%A %d %B %Y %H:%M'
echo -e 'c\\na\\nb' | sort | head -n 1; echo done
xargs -a nodes.txt -n 2 echo
mapfile -t lines < nodes.txt; echo "${lines[1]} ${#lines[@]}"
column -t -s: passwd | head -2
nl -ba nodes.txt | tail -1; rev nodes.txt | head -1; tac nodes.txt | head -1
IFS=:; set -- a:b:c; echo $1; unset IFS; set -- $1; echo $#
echo "$((1 + 2))" '$((1 + 2))' \\$HOME
[ 3 -lt 10 ] && [ "3" \\< "10" ] || echo lexical
echo {dgx,head}-{01,02}
ls log | xargs -I{} basename {} | sort -r | head -1
"""


@pytest.fixture(scope="module")
def fixtures(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the lines use."""
    if not shutil.which("bash"):
        pytest.skip("no bash to compare with")
    folder = tmp_path_factory.mktemp("cases") / "files"
    folder.mkdir()
    subprocess.run([sys.executable, str(shared / "reference/shell/make_fixtures.py"), str(folder)], check=True)
    return folder


def differences(lines: list[str], fixtures: Path) -> dict[str, tuple[Outcome, Outcome]]:
    """Lines that differ, with what bash and we gave."""
    ours = asyncio.run(ours_all(lines, fixtures))
    theirs = [real(line, fixtures) for line in lines]
    return {line: (wanted, got) for line, wanted, got in zip(lines, theirs, ours, strict=True) if wanted != got}


def unexplained(found: dict[str, tuple[Outcome, Outcome]]) -> dict[str, tuple[Outcome, Outcome]]:
    return {line: pair for line, pair in found.items() if not any(known in line for known in KNOWN_DIFFERENCES)}


def test_shared_lines_are_equal_but_for_known_differences(shared: Path, fixtures: Path) -> None:
    text = (shared / "reference/shell/cases.txt").read_text("utf-8").replace("/root/fx", FOLDER)
    lines = [line.strip("\n") for line in text.split("\n---\n")]
    found = differences(lines, fixtures)
    assert unexplained(found) == {}
    assert len(found) <= 0.05 * len(lines)


def test_other_lines_are_equal(fixtures: Path) -> None:
    lines = [line.replace("\\\\", "\\") for line in OUR_LINES.strip().splitlines()]
    assert unexplained(differences(lines, fixtures)) == {}
