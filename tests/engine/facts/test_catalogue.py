"""The packaged facts: what they say of a site as it opens, and how faults and remedies change it."""

from __future__ import annotations

from functools import cache

import pytest

from engine.control.slurm.administration import UpdateNode
from engine.facts.fact import catalogue
from engine.facts.facts import Facts, listing
from engine.facts.values import Value
from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.simulation import open_site
from engine.world.world import World


@cache
def _site() -> Simulation[World]:
    return open_site("dgx-h100-4", 5)


def site(*faults: str, after: int = HOUR) -> Simulation[World]:
    """A site, some time after faults began."""
    simulation = _site().fork()
    for fault in faults:
        simulation.apply(parse_fault(fault))
    simulation.advance(after)
    return simulation


def ask(simulation: Simulation[World], text: str) -> Value:
    return Facts().evaluate(simulation.world, simulation.now, text, {})


def test_every_fact_is_documented() -> None:
    for row in listing():
        assert row["doc"].endswith(".") and row["doc"][0].isupper(), row["name"]
        assert row["signature"].startswith(row["name"] + "(")
    assert [row["name"] for row in listing()] == sorted(catalogue())


@pytest.mark.parametrize(
    "text",
    [
        "all gpu where gpu.visible(gpu) and not gpu.lost(gpu) and not gpu.replaced(gpu)",
        "all gpu where not gpu.xid(gpu, 79)",
        "all gpu where gpu.temperature(gpu) > 20C and gpu.temperature(gpu) < 80C",
        "all gpu where gpu.memory_temperature(gpu) > 20C and gpu.power(gpu) > 50W and gpu.power_limit(gpu) == 700W",
        "all gpu in dgx-01 where gpu.busy(gpu) > 90% and gpu.sm_clock(gpu) > 1GHz and gpu.memory_used(gpu) > 1GiB",
        "all gpu in dgx-04 where gpu.busy(gpu) == 0% and gpu.slowed(gpu, idle)",
        "all gpu where gpu.recovery(gpu) == None and gpu.persistence(gpu)",
        "all node where driver.matched(node) and driver.gpus(node) == 8",
        "all node where driver.loaded_version(node) == driver.library_version(node)",
        "all host where node.up(host) and node.powered(host) and node.uptime(host) > 1d",
        "all host where not node.booted_since_start(host) and node.power(host) > 100W",
        "all node where node.inlet_temperature(node) > 20C and not node.filter_clogged(node)",
        "all fan where not fan.failed(fan) and fan.rpm(fan) > 1000rpm",
        "all fan in dgx-01 where fan.cools(fan) == system",
        "module.loaded(dgx-01, nvidia) and not module.loaded(head-01, nvidia)",
        "service.active(dgx-01, slurmd) and service.enabled(dgx-01, slurmd) and not service.failed(dgx-01, slurmd)",
        "not service.active(dgx-01, slurmctld) and service.active(head-01, slurmctld.service)",
        "slurm.nodes.available() == 4 and slurm.node.state(dgx-01) == alloc and slurm.node.state(dgx-04) == idle",
        "all node where slurm.node.available(node) and not slurm.node.drained(node) and slurm.node.reason(node) == ''",
        "jobs.running(dgx-01) == 1 and jobs.of(priya) == 1 and jobs.of(alex) == 0",
        "all job where slurm.job.state(job) == RUNNING",
        "any job in dgx-01 where slurm.job.user(job) == priya",
        "jobs.time_left(dgx-01) > 1h",
        "port.up(dgx-01/mlx5_0/1) and port.cabled(leaf-01/1) and port.enabled(leaf-01/64)",
        "not port.cabled(dgx-01/mlx5_1/1) and not port.up(dgx-01/mlx5_1/1)",
        "harm.total() == 0 and jobs.killed() == 0 and not hands.ordered(replace, dgx-01/gpu0)",
        "any gpu where gpu.crashed_job_of(gpu, wei) and gpu.xid_logged(gpu, 43)",
        "not any gpu where gpu.crashed_job_of(gpu, alex)",
        "user.is_in(priya, research) and not user.is_in(alex, research)",
        "not file.text_contains(dgx-01, /etc/motd, x) and not file.removed(dgx-01, '/etc/motd')",
        "nccl.bandwidth(dgx-01, dgx-02) > 340GB/s and nccl.bandwidth(dgx-01, dgx-01) < 370GB/s",
        "all user where login.memory_unlimited(dgx-01, user)",
    ],
)
def test_a_healthy_site(text: str) -> None:
    assert ask(site(after=0), text.replace("/etc/motd, x", "'/etc/motd', x")) is True


def test_a_gpu_off_the_bus_is_lost_until_another_board_is_in() -> None:
    simulation = site("gpu.fell_off_bus target=dgx-04/gpu5 cause=board holds=0")
    assert ask(simulation, "gpu.lost(dgx-04/gpu5) and gpu.xid(dgx-04/gpu5, 79) and not gpu.present(dgx-04/gpu5)")
    assert ask(simulation, "not gpu.temperature(dgx-04/gpu5) < 200C and driver.gpus(dgx-04) == 7")
    simulation.apply(OrderHands("replace", "dgx-04/gpu5", "alex"))
    assert ask(simulation, "hands.ordered(replace, dgx-04/gpu5) and not hands.done(replace, dgx-04/gpu5)")
    simulation.advance(3 * HOUR)
    assert ask(
        simulation, "hands.done(replace, dgx-04/gpu5) and gpu.replaced(dgx-04/gpu5) and gpu.visible(dgx-04/gpu5)"
    )
    assert ask(simulation, "node.booted_since_start(dgx-04) and harm.count(node_down) == 1 and harm.done_to(dgx-04)")


def test_an_upgrade_under_the_module() -> None:
    simulation = site("driver.library_mismatch target=dgx-03 version=590.99.01")
    assert ask(simulation, "not driver.matched(dgx-03) and driver.library_version(dgx-03) == '590.99.01'")
    assert ask(
        simulation, "driver.loaded_version(dgx-03) != driver.library_version(dgx-03) and driver.gpus(dgx-03) == 0"
    )
    assert ask(simulation, "all gpu in dgx-03 where gpu.present(gpu) and not gpu.visible(gpu)")


def test_a_stopped_fan() -> None:
    simulation = site("cooling.fan_failed target=dgx-01/fan5", "cooling.inlet_hot target=R01 degrees=10")
    assert ask(simulation, "fan.failed(dgx-01/fan5) and fan.rpm(dgx-01/fan5) == 0rpm")
    assert ask(simulation, "any gpu in dgx-01 where gpu.slowed(gpu, thermal)")
    assert ask(simulation, "not any gpu in dgx-01 where gpu.slowed(gpu, power_cap)")
    assert ask(
        simulation, "node.inlet_temperature(dgx-02) > 30C and not any gpu in dgx-02 where gpu.slowed(gpu, thermal)"
    )


def test_a_drained_node() -> None:
    simulation = site(after=MINUTE)
    simulation.apply(UpdateNode("dgx-04", "alex", "DRAIN", "Xid 79 on gpu5"))
    assert ask(simulation, "slurm.node.drained(dgx-04) and slurm.node.has_reason_with(dgx-04, 'xid 79')")
    assert ask(simulation, "slurm.node.state(dgx-04) == drain and slurm.nodes.available() == 3")
    assert ask(simulation, "slurm.node.reason(dgx-04) contains gpu5")


def test_what_nccl_would_reach_and_is_told() -> None:
    narrow = site("pcie.link_degraded target=dgx-01/mlx5_3")
    assert ask(narrow, "nccl.bandwidth(dgx-01, dgx-02) < 250GB/s and nccl.bandwidth(dgx-02, dgx-03) > 340GB/s")
    told = site("nccl.ib_disabled target=dgx-01", "nccl.ib_disabled target=dgx-02")
    assert ask(told, "nccl.setting(dgx-01, NCCL_IB_DISABLE) == '1' and nccl.bandwidth(dgx-01, dgx-02) < 10GB/s")
    assert ask(told, "nccl.setting(dgx-03, NCCL_IB_DISABLE)") is None
    assert ask(told, "nccl.bandwidth(dgx-01, dgx-03)") is None


def test_what_a_login_may_lock() -> None:
    simulation = site("limits.memory_lock_low target=dgx-01")
    assert ask(simulation, "not login.memory_unlimited(dgx-01, priya) and login.memory_unlimited(dgx-02, priya)")
