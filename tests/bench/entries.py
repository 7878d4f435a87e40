"""What the bench measures, with the goals of the design. An entry prepares itself and gives the action to be timed.

To measure something else, add a line to `ENTRIES`: `process(...)` for a whole command line, or an `Entry` whose
`prepare` builds what the action needs (a site, a login) and returns the action. Those within this process are made in
tests/bench/inside.py; their command lines are the table of tests/bench/lines.py.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench import full_screen, inside, network, slurm
from tests.bench.lines import LINES

PROJECT = Path(__file__).resolve().parent.parent.parent
BREAKFIX = Path(sys.executable).with_name("breakfix")

Action = Callable[[], object]


@dataclass(frozen=True)
class Entry:
    """A thing to measure; the goal is for the named figure of its runs, in milliseconds.

    With `megabytes` the action gives the figure itself, in megabytes; with `given` in that unit, and the goal is in it
    too. `most_runs` keeps slow ones to fewer runs.
    """

    name: str
    prepare: Callable[[], Action]
    goal_ms: float | None = None
    figure: str = "median_ms"
    whole_process: bool = False
    megabytes: bool = False
    given: str | None = None
    most_runs: int | None = None


def run_process(argv: tuple[str, ...]) -> None:
    """Runs a command line to its end; one that fails is an error and no figure."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")


def process(name: str, *argv: str, goal_ms: float | None = None) -> Entry:
    """An entry for a whole process, from its start to its end."""
    return Entry(name, lambda: lambda: run_process(argv), goal_ms, whole_process=True)


def breakfix(*arguments: str, goal_ms: float) -> Entry:
    """An entry for a breakfix command line."""
    shown = " ".join(f"'{word}'" if " " in word else word for word in ("breakfix", *arguments))
    return process(shown, str(BREAKFIX), *arguments, goal_ms=goal_ms)


BASELINE = process("python -c pass", sys.executable, "-c", "pass")

ENTRIES: tuple[Entry, ...] = (
    BASELINE,
    breakfix("--version", goal_ms=150),
    breakfix("shell", "--site", "dgx-h100-4", "-c", "ssh dgx-01 nvidia-smi", goal_ms=600),
    Entry("a line in the shell: echo hi", inside.shell_line, 16, "p99_ms"),
    *(
        Entry(f"{family}: {host} {line}", partial(inside.command, host, user, line), 20, "p99_ms")
        for family, lines in LINES.items()
        for host, user, line in lines
    ),
    *(Entry(f"proof of {name}, one seed", partial(inside.proof, name), 150) for name in inside.SCENARIOS),
    Entry("a recorded session of 100 lines taken up again", inside.resumption, 1000),
    Entry("collectives: 256 ranks on 32 nodes, 32 sizes", network.all_reduce_table, 20),
    Entry("traffic: 4,000 flows on 32 nodes with 8 rails", network.random_flows, 50),
    Entry("traffic: the same in two classes that contend everywhere", partial(network.random_flows, 2), 400),
    Entry("training: a run of 16 nodes looked at again", network.training_looked_at, 1),
    Entry("slurm: a job's event, 10,000 jobs on 2,048 nodes", slurm.job_event, 1),
    Entry("slurm: the same, a job submitted", slurm.submission, 2),
    Entry("slurm: the same, a look at the whole queue", slurm.whole_look, 1000),
    Entry("slurm: the same, squeue", partial(slurm.command, "squeue", slurm.JOBS), 250),
    Entry("slurm: the same, sinfo", partial(slurm.command, "sinfo", 3), 250),
    Entry("network: fabric of 16,384 adapters, site to first command", network.fabric_site, 3000, most_runs=3),
    *(
        Entry(f"network: {line} on it", partial(network.fabric_command, line, count), 50, most_runs=20)
        for line, count in (("perfquery 700 1", 20), ("ibtracert 1 5000", 4), ("iblinkinfo -S SWITCH", 65))
    ),
    Entry("network: ibnetdiscover on it", partial(network.fabric_command, "ibnetdiscover", 99_000), 4000, most_runs=3),
    *(
        Entry(f"network: tables of {size} adapters, {engine}", partial(network.sweep, units, engine), goal, most_runs=5)
        for units, size, goal in ((64, "16,384", 500), (30, "7,680", 150))
        for engine in ("minhop", "updn", "ftree")
    ),
    *(
        Entry(f"network: a spine of 512 lost, {engine}", partial(network.reroute, engine), 1000, most_runs=3)
        for engine in ("minhop", "updn", "ftree")
    ),
    Entry("2,048 nodes: site, world and first command", inside.large_site, 3000, most_runs=5),
    Entry("2,048 nodes: the same with work on half of them", partial(inside.large_site, jobs=True), 3000, most_runs=3),
    Entry("2,048 nodes: memory of a process with it (MB)", inside.large_site_memory, 600, megabytes=True, most_runs=1),
    Entry("2,048 nodes: clush -w with hostname", inside.large_fan_out, 6000, most_runs=3),
    Entry("2,048 nodes: sinfo", partial(inside.large_command, "sinfo"), 250, "p99_ms"),
    Entry("full screen: first paint", full_screen.first_paint, 650, given="ms", most_runs=10),
    Entry("full screen: key to paint, p50", partial(full_screen.key_to_paint, 50), 5, given="ms", most_runs=1),
    Entry("full screen: key to paint, p95", partial(full_screen.key_to_paint, 95), 16, given="ms", most_runs=1),
    Entry("full screen: 100,000 lines shown", full_screen.lines_shown, 1500, given="ms", most_runs=1),
    Entry("full screen: memory with them (MB)", full_screen.memory, 120, given="MB", most_runs=1),
    Entry("full screen: idle processor time (%)", full_screen.idle_percent, 2, given="%", most_runs=1),
)
