"""Several commands in one line: each gets its own part of the output where that is certain, and never another's."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.units import MINUTE
from tests.support.sessions import type_lines
from tests.tui.seen.looking import learnt, look, sandbox, told
from tests.tui.seen.test_recognizers import GPUS, LOST
from tui.look.glyphs import State
from tui.seen.portions import echoed, portions
from tui.seen.reading import Shape
from tui.seen.typed import Run

TEMPERATURES = "nvidia-smi --query-gpu=index,temperature.gpu,clocks.sm --format=csv"
CLOCKS = "nvidia-smi --query-gpu=index,clocks.sm,temperature.gpu --format=csv"
DRAIN = "sudo scontrol update nodename=dgx-04 state=drain reason='bad fan'"

COMMANDS = (
    TEMPERATURES, f"{CLOCKS},noheader", f"{TEMPERATURES} -i 7", CLOCKS.replace("index", "pci.bus_id"), "nvidia-smi",
    "nvidia-smi | head -14", "nvidia-smi | tail -20", "nvidia-smi -L", "nvidia-smi -L | grep 'GPU [1-3]'",
    "nvidia-smi -q -d TEMPERATURE", "nvidia-smi -q -i 1 | grep 'GPU Current'", "nvidia-smi -q -d TEMPERATURE -i 2",
    "squeue", "squeue -l", "squeue -h", "squeue -u wei", "squeue | grep R", "sinfo", "sinfo -R", "sinfo -N -l",
    "sinfo -h", "sinfo -o '%n %E'", "scontrol show node dgx-04 | grep State", "scontrol show node dgx-03 | grep State",
    "scontrol show node dgx-04", "lspci", "sudo dmesg -T | grep Xid", "ibstat mlx5_0", "ibstat", "uptime", "hostname",
    "date", "echo ---", "echo '== GPUs =='", "echo", "sudo ipmitool sdr", "sudo ipmitool sdr type fan",
    "sudo ipmitool -I lanplus -H dgx-03-bmc -U admin -P admin sdr type fan",
)  # fmt: skip


FAILURES = ("", "bash: line 1: command not found", "Mon Nov 30 09:05:00 2026\n")


@cache
def printed(host: str) -> dict[str, str]:
    """What each command prints, alone, on a node: with a drained node elsewhere, and a GPU lost on dgx-02."""
    simulation = sandbox(LOST, 5 * MINUTE)
    type_lines(simulation, [DRAIN])
    results = type_lines(simulation, COMMANDS, host=host, interactive=True)
    return {line: result.output.decode() for line, result in zip(COMMANDS, results, strict=True)}


STEPS = st.tuples(st.sampled_from(COMMANDS), st.sampled_from([None, None, None, *FAILURES]))


@settings(max_examples=300, deadline=None)
@given(steps=st.lists(STEPS, min_size=2, max_size=4), joint=st.sampled_from(["; ", " && ", " || "]))
def test_nothing_is_learnt_that_a_command_alone_would_not_teach(
    steps: list[tuple[str, str | None]], joint: str
) -> None:
    outputs = [printed("dgx-02")[line] if failure is None else failure for line, failure in steps]
    alone = [told(learnt(line, output, "dgx-02")) for (line, _), output in zip(steps, outputs, strict=True)]
    together = learnt(joint.join(line for line, _ in steps), "".join(map(with_end, outputs)), "dgx-02")
    assert told(together) <= set().union(*alone)


@settings(max_examples=200, deadline=None)
@given(lines=st.lists(st.tuples(st.sampled_from(["dgx-01", "dgx-02"]), STEPS), min_size=2, max_size=3))
def test_nor_of_another_host(lines: list[tuple[str, tuple[str, str | None]]]) -> None:
    steps = [(f'ssh {host} "{line}"', printed(host)[line] if failure is None else failure)
             for host, (line, failure) in lines]  # fmt: skip
    alone = [told(learnt(line, output)) for line, output in steps]
    together = learnt("; ".join(line for line, _ in steps), "".join(with_end(output) for _, output in steps))
    assert told(together) <= set().union(*alone)


def with_end(output: str) -> str:
    """The output with a line's end."""
    return output if output.endswith("\n") or not output else f"{output}\n"


def test_rows_below_their_heading_are_known_among_other_output() -> None:
    known = look(
        sandbox(wait=5 * MINUTE),
        f"sudo dmesg -T | grep 'Xid'; nvidia-smi -q -i 1 | grep -A2 'Volatile'; {TEMPERATURES}",
        host="dgx-02",
    )
    assert [known.value(gpu, "temperature") is not None for gpu in GPUS] == [True] * 8
    assert known.value("dgx-02/gpu1", "Xid 13") and not known.value("dgx-02/gpu2", "Xid 13")


def test_two_tables_of_rows_are_told_apart() -> None:
    known = look(sandbox(wait=5 * MINUTE), f"{TEMPERATURES}; {CLOCKS}", host="dgx-02")
    assert known.value("dgx-02/gpu2", "temperature") == "60 C" and known.value("dgx-02/gpu2", "SM clock") == "1980 MHz"


@pytest.mark.parametrize("line", ["squeue; sinfo -R", "squeue -l; echo; sinfo -l", "squeue; echo --- && nvidia-smi",
                                  "ssh dgx-02 'lspci; nvidia-smi; squeue'", "sinfo; squeue"])  # fmt: skip
def test_the_queue_is_whole_beside_what_tells_itself(line: str) -> None:
    known = look(sandbox(), DRAIN, line)
    assert known.value("dgx-01", "jobs") == "48283 (priya)" and known.value("dgx-04", "jobs") == "none"
    assert known.value("dgx-04", "Slurm reason") in ("bad fan", None)


@pytest.mark.parametrize(
    "line", ["squeue; hostname", "squeue; squeue -h", "squeue; echo {a,b}", "squeue; nosuchcommand"]
)
def test_it_is_not_where_its_end_is_in_doubt(line: str) -> None:
    assert look(sandbox(), line).value("dgx-01", "jobs") is None


def test_a_missing_gpu_is_seen_beside_other_output() -> None:
    for line in ("nvidia-smi -L 2>/dev/null; squeue", "sinfo; nvidia-smi 2>/dev/null", "lspci && nvidia-smi"):
        assert look(sandbox(LOST), line, host="dgx-02").state("dgx-02/gpu5") is State.DOWN, line
    shared = look(sandbox(LOST), "clush -bw dgx-[01-02] 'uptime; nvidia-smi'")
    assert shared.value("dgx-02/gpu5", "nvidia-smi") == "not listed" and shared.state("dgx-01/gpu5") is State.OK


def test_each_machine_keeps_its_own() -> None:
    both = look(sandbox(), DRAIN, "scontrol show node dgx-04 | grep State; scontrol show node dgx-02 | grep State")
    assert not both.of("dgx-02")
    bmc = "sudo ipmitool -I lanplus -H {}-bmc -U admin -P admin sdr type fan"
    fans = look(sandbox("cooling.fan_failed target=dgx-02/fan3"), f"{bmc.format('dgx-01')}; {bmc.format('dgx-02')}")
    assert fans.state("dgx-01/fan3") is not State.DOWN


def test_text_is_cut_only_where_each_beginning_has_one_owner() -> None:
    runs = [Run("dgx-01", (name,)) for name in ("a", "b", "c")]
    heads = [re.compile("A"), None, re.compile("C")]
    cut = portions(runs, heads, "A1\nx\n\nC1\nC2")
    assert [(one.text, one.shape) for one in cut] == [("A1\nx\n\nC1\nC2", Shape.PIECE)] * 3  # two beginnings, one run
    cut = portions(runs, heads, "A1\nx\n\nC1\n2")
    assert [(one.text, one.shape) for one in cut] == [
        ("A1\nx", Shape.PIECE),
        ("A1\nx", Shape.PIECE),
        ("\nC1\n2", Shape.WHOLE),
    ]
    assert portions(runs, heads, "C1\nA1")[2].text == "C1\nA1"
    assert [one.shape for one in portions(runs[:1], [None], "x")] == [Shape.WHOLE]


def test_echo_prints_its_words() -> None:
    head = echoed(("echo", "==", "GPUs", "=="))
    assert head is not None and head.match("== GPUs ==") and not head.match("== GPUs == and more")
    assert echoed(("echo", "-n", "x")) is None and echoed(("date",)) is None
