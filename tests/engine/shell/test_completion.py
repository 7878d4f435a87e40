"""Tab, and Ctrl-R's search."""

from __future__ import annotations

import asyncio

import pytest

from engine.shell.completion import Completion, complete
from engine.shell.history import History
from engine.shell.play import Play
from engine.simulation import open_site


@pytest.mark.parametrize(
    ("host", "line", "candidates"),
    [
        ("dgx-01", "nvidia-sm", ("nvidia-smi ",)),
        ("head-01", "nvid", ()),
        ("dgx-01", "nvidia-smi -i 3", ("3 ",)),
        ("dgx-01", "ssh dgx-0", ("dgx-01 ", "dgx-02 ", "dgx-03 ", "dgx-04 ")),
        ("dgx-01", "cat /etc/hostn", ("/etc/hostname ",)),
        ("dgx-01", "cd /etc/slu", ("/etc/slurm/",)),
        ("dgx-01", "sudo dmes", ("dmesg ",)),
        ("dgx-01", "ls | gre", ("grep ",)),
        ("dgx-01", "zz", ("zzz ",)),
        ("dgx-01", "echo $OLDP", ("$OLDPWD",)),
        ("dgx-01", "ibstat mlx5_1", ("mlx5_1 ", "mlx5_10 ", "mlx5_11 ")),
        ("dgx-01", "systemctl status nvidia-fab", ("nvidia-fabricmanager.service ",)),
        ("dgx-01", "cat /root/", ()),
    ],
)
def test_candidates(host: str, line: str, candidates: tuple[str, ...]) -> None:
    async def run() -> Completion:
        play = Play(open_site("dgx-h100-4"))
        terminal = play.open_terminal(host, "alex", interactive=True)
        await play.run_line(terminal, "alias zzz=ls; cd /; cd")
        found = complete(terminal.top, line, len(line))
        play.close()
        return found

    found = asyncio.run(run())
    assert found.candidates == candidates
    assert all(word.startswith(line[len(line) - found.length :]) for word in found.candidates)


def test_the_common_start_is_completed() -> None:
    assert Completion(0, ("dgx-01 ", "dgx-02 ")).common == "dgx-0"
    assert Completion(0, ()).common == ""


def test_search_goes_back_in_history() -> None:
    history = History(["sinfo", "squeue -u priya", "ssh dgx-01", "squeue"])
    assert history.search("squ") == 3
    assert history.search("squ", before=3) == 1
    assert history.search("nothing") is None
