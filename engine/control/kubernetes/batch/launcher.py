"""mpirun in an MPIJob's launcher: it reaches the workers if they run. What the program that it starts prints is not
modelled; two minutes are a guess.
"""

from __future__ import annotations

from engine.control.kubernetes import pod_status, store
from engine.control.kubernetes.batch.training_jobs import JOB_NAME, ROLE
from engine.control.kubernetes.objects import labels_of, name_of, namespace_of
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World

_RUNS = 120 * SECOND


def program(simulation: Simulation[World], launch: Launch) -> Program:
    """It ends at once where a worker's name leads nowhere yet."""
    job, world = labels_of(launch.pod).get(JOB_NAME), simulation.world
    for pod in store.objects(world, store.PODS, namespace_of(launch.pod)):
        marks = labels_of(pod)
        if marks.get(JOB_NAME) == job and marks.get(ROLE) == "worker" and not pod_status.is_pod_ready(world, pod):
            host = f"{name_of(pod)}.{job}.{namespace_of(pod)}.svc"
            said = f"ssh: Could not resolve hostname {host}: Name or service not known"
            return Program(runs=2 * SECOND, status=1, lines=((SECOND, said),))
    return Program(runs=_RUNS)
