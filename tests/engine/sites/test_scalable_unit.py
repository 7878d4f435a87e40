"""The site of one scalable unit: cabled by rails, in racks as the architecture has them, with its jobs at work."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from engine.kernel.documents import DocumentError, read_document
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.simulation import new_simulation
from engine.sites.build import build_inventory, load_site
from engine.world.inventory import Inventory
from engine.world.world import World
from tests.support.sessions import last, type_lines

NODES = [f"dgx-{number:02d}" for number in range(1, 33)]
RAILS = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]


@pytest.fixture(scope="module")
def site() -> Inventory:
    return load_site("dgx-h100-su")


@pytest.fixture(scope="module")
def simulation(site: Inventory) -> Simulation[World]:
    return new_simulation(site, 1)


def test_each_rail_has_a_leaf_and_each_node_its_port_there(site: Inventory) -> None:
    for number, node in enumerate(NODES, 1):
        for rail, hca in enumerate(RAILS, 1):
            end = f"{node}/{hca}/1"
            assert site.cables[end].other(end) == f"leaf-{rail:02d}/{number}"


def test_the_rail_of_a_gpu_is_its_neighbour(site: Inventory) -> None:
    assert [gpu.rail for gpu in site.node("dgx-32").gpus] == RAILS


def test_eight_cables_join_a_leaf_and_a_spine_but_for_the_subnet_managers_port(site: Inventory) -> None:
    pairs = Counter(
        (near, far)
        for cable in site.make_cables()
        for near, far in [tuple(end.partition("/")[0] for end in cable.ends)]
        if near.startswith("leaf") and far.startswith("spine")
    )
    assert len(pairs) == 8 * 4
    assert {pair for pair, count in pairs.items() if count != 8} == {("leaf-01", "spine-04")}
    assert pairs["leaf-01", "spine-04"] == 7
    assert site.cables["head-01/mlx5_0/1"].other("head-01/mlx5_0/1") == "leaf-01/64"


def test_four_nodes_share_a_rack_and_switches_stand_in_one(site: Inventory) -> None:
    racks = Counter(site.node(node).rack for node in NODES)
    assert racks == {f"R{number:02d}": 4 for number in range(1, 9)}
    assert {switch.rack for switch in site.switches.values()} == {"M01"}
    units = [switch.unit for switch in site.switches.values()]
    assert len(set(units)) == len(units) == 12


def test_every_cabled_port_is_active(simulation: Simulation[World]) -> None:
    world = simulation.world
    states = {links.logical_state(world, f"{node}/{hca}/1").name for node in NODES for hca in RAILS}
    assert states == {"ACTIVE"}
    assert links.logical_state(world, "dgx-01/mlx5_1/1").name == "DOWN"


def test_the_fabric_is_discovered_whole(simulation: Simulation[World]) -> None:
    shown = last(simulation, ["sudo ibnetdiscover"])
    assert shown.count("\nSwitch\t65 ") == 12
    assert shown.count("\nCa\t1 ") == 8 * 32 + 1 + 12
    assert shown.count('"[65]\t\t# lid ') == 12


def test_all_standing_jobs_run_and_the_queue_waits(site: Inventory, simulation: Simulation[World]) -> None:
    shown = last(simulation, ["squeue -h -o '%T %j %D %R'"]).splitlines()
    running = [line.split() for line in shown if line.startswith("RUNNING")]
    waiting = [line.split() for line in shown if line.startswith("PENDING")]
    assert len(running) == len([job for job in site.standing_jobs if not job.waits_for])
    assert ["RUNNING", "moe-pretrain", "16", "dgx-[01-16]"] in running
    assert [(name, nodes) for _, name, nodes, _ in waiting] == [
        (job.name, str(job.waits_for)) for job in site.standing_jobs if job.waits_for
    ]
    assert [line[3] for line in waiting] == ["(Resources)", "(Priority)", "(Priority)", "(Priority)"]


def test_older_jobs_have_lower_numbers(simulation: Simulation[World], site: Inventory) -> None:
    numbers = [int(word) for word in last(simulation, ["squeue -h -o %i -S i"]).split()]
    assert len(set(numbers)) == len(site.standing_jobs)
    shown = last(simulation, ["squeue -h -t R -o '%i %M' -S i"]).splitlines()
    assert shown[0].endswith("2-07:40:00")


def test_some_nodes_are_idle(simulation: Simulation[World]) -> None:
    idle = last(simulation, ["sinfo -h -N -t idle -o %N"]).split()
    assert idle == ["dgx-28", "dgx-30", "dgx-31", "dgx-32"]


def test_the_controllers_log_tells_of_the_submission_of_what_waits(simulation: Simulation[World]) -> None:
    lines = ["squeue -h -t PD -o %i -S -i | head -1", "sudo journalctl -u slurmctld"]
    newest, log = (result.output.decode() for result in type_lines(simulation, lines))
    about = [line for line in log.splitlines() if f"JobId={newest.strip()} " in line]
    assert len(about) == 1 and "_slurm_rpc_submit_batch_job" in about[0]


def test_what_waits_starts_when_there_is_room(site: Inventory) -> None:
    simulation = new_simulation(site, 1)
    lines = ["sudo -u priya scancel -n moe-pretrain", "sleep 40", "squeue -h -t R -n moe-ablation -o %D"]
    assert last(simulation, lines) == "8\n"


def test_mistakes_in_the_queue_are_told() -> None:
    text = files("engine.sites").joinpath("dgx-h100-su.yaml").read_text("utf-8")
    source = text.replace("{name: moe-ablation, user: priya", "{name: moe-ablation, user: prya")
    source = source.replace(
        "{name: llama-dpo, user: wei, partition: batch", "{name: llama-dpo, user: wei, partition: bach"
    )
    with pytest.raises(DocumentError) as told:
        build_inventory(read_document(source, "su.yaml"), {})
    assert 'unknown user "prya"' in str(told.value) and 'unknown partition "bach"' in str(told.value)
