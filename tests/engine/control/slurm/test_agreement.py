"""Whatever happens to daemons, files, clocks, nodes and jobs: sinfo, squeue, scontrol, sacct and nvidia-smi tell one
story, and a node that new work may not be placed on gets none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.control import host_clock, systemd
from engine.control.slurm import jobs
from engine.control.slurm.administration import Reconfigure, UpdateNode
from engine.control.slurm.nodes import survey
from engine.control.slurm.queue import CancelJob
from engine.faults.fault import InjectFault
from engine.kernel.hostlist import expand
from tests.engine.control.slurm.scene import Sim, ask, opened, wait
from tests.support.run import run_command

HEAD = "head-01"
NODES = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")
WORK = "#!/bin/bash\nsrun python train.py\n"

Step = Callable[[Sim], None]


def _submit(gpus: int, node: str) -> Step:
    return lambda sim: void(ask(sim, gpus_per_node=gpus, script=WORK, node_list=(node,) if node else ()))


def _fault(name: str, node: str) -> Step:
    return lambda sim: void(sim.apply(InjectFault(name, node)))


def _set(node: str, state: str) -> Step:
    return lambda sim: void(sim.apply(UpdateNode(node, "root", state, "because" if state != "RESUME" else "")))


def _restart(node: str, unit: str) -> Step:
    return lambda sim: void(sim.apply(systemd.RestartUnit(node, unit, "root")))


def _cancel(position: int) -> Step:
    def cancel(sim: Sim) -> None:
        known = jobs.active(sim.world)
        if known:
            sim.apply(CancelJob(known[position % len(known)].id, "root"))

    return cancel


def void(value: object) -> None:
    """What an action answers is not asked here."""
    del value


node = st.sampled_from(NODES)
steps = st.one_of(
    st.builds(_submit, st.integers(0, 8), st.sampled_from(("", *NODES))),
    st.builds(_cancel, st.integers(0, 5)),
    st.builds(_set, node, st.sampled_from(("DRAIN", "RESUME", "DOWN", "RESUME"))),
    st.builds(
        _fault,
        st.sampled_from(
            (
                "slurm.slurmd_stopped", "slurm.gres_misconfigured", "munge.key_changed", "clock.skewed",
                "slurm.prolog_failing", "slurm.epilog_hanging", "slurm.devices_unconstrained", "slurm.reservation_left",
            )
        ),
        node,
    ),
    st.builds(_restart, node, st.sampled_from(("slurmd", "munge", "chrony"))),
    st.builds(_restart, st.just(HEAD), st.sampled_from(("slurmctld", "munge"))),
    st.just(lambda sim: void(sim.apply(Reconfigure("root")))),
    st.builds(lambda host, ahead: lambda sim: host_clock.step(sim, host, ahead * 10**9), node, st.integers(-900, 900)),
    st.builds(lambda seconds: lambda sim: wait(sim, seconds), st.sampled_from((1, 3, 40, 130, 400))),
)  # fmt: skip


def said(simulation: Sim, line: str, host: str = HEAD) -> list[str]:
    """The lines that a command prints."""
    result = run_command(simulation, host, "root", line)
    assert result.status == 0, result.stderr
    return result.stdout.splitlines()


def busy_without_leave(before: dict[str, bool], simulation: Sim, started: set[int]) -> list[str]:
    """Nodes that were barred before a step and after it, and that a job began on within it."""
    cluster = survey(simulation.world)
    begun = {name for job in cluster.active if job.id in started for name in job.nodes}
    return [name for name in begun if not before[name] and not cluster.condition(name).available]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=12))
def test_all_tools_tell_one_story(actions: list[Step]) -> None:
    simulation = opened()
    for action in actions:
        cluster = survey(simulation.world)
        before = {name: cluster.condition(name).available for name in NODES}
        running = {job.id for job in cluster.active if job.state == "RUNNING"}
        action(simulation)
        now = {job.id for job in jobs.active(simulation.world) if job.state == "RUNNING"}
        assert busy_without_leave(before, simulation, now - running) == []
    _agree(simulation)


def _agree(simulation: Sim) -> None:
    shown = [line.split("|") for line in said(simulation, "squeue -h -t R,CG,PD -o '%i|%t|%N|%b'")]
    running = {number: expand(names) for number, state, names, _ in shown if state == "R"}
    states = dict(line.split("|") for line in said(simulation, "sinfo -h -N -o '%N|%t'"))
    accounted = {
        line.split("|")[0] for line in said(simulation, "sacct -a -X -n -P -s R -o JobID,State") if "RUNNING" in line
    }
    assert accounted == set(running)
    for name in NODES:
        text = "\n".join(said(simulation, f"scontrol show node {name}"))
        here = [number for number, nodes in running.items() if name in nodes]
        base = re.search(r"State=(\w+)", text)
        assert base is not None
        assert (base[1] in ("MIXED", "ALLOCATED")) == bool(here) or base[1] == "DOWN", (name, text, here)
        short = states[name].rstrip("*$@^-+#~!%")
        assert ("DRAIN" in text.split("State=")[1].split()[0]) <= (
            short in ("drain", "drng", "inval", "maint", "boot", "down")
        )
        held = re.search(r"AllocTRES=.*gres/gpu=(\d+)", text)
        mine = [jobs.active_job(simulation.world, int(number)) for number in here]
        assert int(held[1]) if held else sum(job.gpus_per_node for job in mine) == 0
        _processes_agree(simulation, name, {job.id for job in mine})


def _processes_agree(simulation: Sim, name: str, here: set[int]) -> None:
    """Whatever computes on a GPU belongs to a job that runs there."""
    apps = said(simulation, "nvidia-smi --query-compute-apps=pid --format=csv,noheader", name)
    owners = {str(each.pid): each.job for each in simulation.world.systems[name].processes}
    assert {owners[pid.strip()] for pid in apps if pid.strip().isdigit()} <= here
