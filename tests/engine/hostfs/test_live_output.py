"""Output files of jobs that write them all the time: seen from every host, and what people do to them."""

from __future__ import annotations

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.units import MINUTE
from tests.engine.workloads.training.scene import STANDING, Sim, opened, text

PATH = f"/home/priya/llama-sft/slurm-{STANDING}.out"
TABLE = f"/home/priya/llama-sft/ranks-{STANDING}.tsv"


def tree(simulation: Sim, host: str, user: str = "priya") -> HostTree:
    return HostTree(simulation, host, identity(simulation.world.inventory, user))


def test_every_host_sees_it_grow() -> None:
    simulation = opened()
    before = tree(simulation, "dgx-04").read(PATH)
    simulation.advance(MINUTE)
    here, there = (tree(simulation, host) for host in ("head-01", "dgx-02"))
    assert here.read(PATH) == there.read(PATH) == text(simulation).encode()
    assert here.read(PATH).startswith(before) and len(here.read(PATH)) > len(before)
    found = here.stat(PATH)
    assert (found.size, found.uid) == (len(here.read(PATH)), identity(simulation.world.inventory, "priya").uid)
    age = simulation.world.inventory.start + simulation.now - found.modified
    assert 0 <= age < MINUTE // 2
    assert b"dgx-02" in here.read(TABLE)


def test_a_copy_stays_as_it_was_and_a_moved_file_goes_on() -> None:
    simulation = opened()
    files = tree(simulation, "head-01")
    files.copy(PATH, "/home/priya/copy")
    files.rename(PATH, "/home/priya/moved")
    at_first = files.read("/home/priya/copy")
    simulation.advance(MINUTE)
    assert files.read("/home/priya/copy") == at_first
    assert files.read("/home/priya/moved") == text(simulation).encode()


def test_what_people_write_into_it_stands() -> None:
    simulation = opened()
    files = tree(simulation, "head-01")
    before = files.read(PATH)
    files.append(PATH, b"note\n")
    assert files.read(PATH) == before + b"note\n"
    files.remove(TABLE, recursive=False)
    assert not files.exists(TABLE)
