"""Whatever happens to a cluster: no device is held twice, what the API calls running runs, and everything can be
shown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from engine.control import processes, systemd
from engine.control.boot import Reboot
from engine.control.kubernetes import devices
from engine.control.kubernetes.device_plugins import mig
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.status_error import NoServer, StatusError
from engine.faults.fault import catalogue, parse_fault
from engine.kernel.random import Stream
from engine.physics.load import gpu_processes
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.run import run_command

NODES = ("gpu-01", "gpu-02", "gpu-03", "cp-01")
SHOWN = ("nodes", "pods", "deploy", "rs", "ds", "ep", "endpointslices", "events", "pdb", "jobs", "leases")
COMMANDS = (["sleep", "100"], ["false"], ["python3", "train.py"], ["/nothing"])
IMAGES = ("busybox:1.36", "nvcr.io/nvidia/pytorch:25.10-py3", "nginx:nope")


def reboot(cluster: Cluster, chance: Stream) -> None:
    cluster.simulation.apply(Reboot(chance.choice(NODES), "alex"))


def service(cluster: Cluster, chance: Stream) -> None:
    verb = chance.choice((systemd.StopUnit, systemd.StartUnit, systemd.RestartUnit))
    cluster.simulation.apply(verb(chance.choice(NODES), chance.choice(("kubelet", "containerd")), "alex"))


def pod(cluster: Cluster, chance: Stream) -> None:
    policy = chance.choice(("Always", "Never", "OnFailure"))
    name = f"p{chance.integer(0, 999)}"
    cluster.pod(
        name, chance.choice(IMAGES), chance.choice(COMMANDS), chance.choice((0, 1, 2, 4, 8)), restartPolicy=policy
    )


def delete(cluster: Cluster, chance: Stream) -> None:
    chosen = chance.choice(cluster.items("pods"))["metadata"]
    grace = chance.choice((None, 0, 5))
    cluster.api.delete(cluster.resource("pods"), chosen["namespace"], chosen["name"], grace)


def scale(cluster: Cluster, chance: Stream) -> None:
    cluster.api.scale(cluster.resource("deploy"), "serving", "embed", chance.integer(0, 6))


def cordon(cluster: Cluster, chance: Stream) -> None:
    spec = {"unschedulable": chance.choice((True, None))}
    cluster.api.patch(cluster.resource("nodes"), "", chance.choice(NODES), "merge", {"spec": spec})


def kill(cluster: Cluster, chance: Stream) -> None:
    node = chance.choice(NODES)
    there = [process.pid for process in cluster.world.systems[node].processes]
    if there:
        cluster.simulation.apply(processes.Kill(node, chance.choice(there), 9, "root"))


def fault(cluster: Cluster, chance: Stream) -> None:
    name = chance.choice([each for each in catalogue() if each.startswith("kubernetes.")])
    node = chance.choice(NODES[:3])
    (kind,) = catalogue()[name].targets
    target = {"kube_control": "cp-01", "kube_gpu": f"{node}/gpu{chance.integer(0, 7)}"}.get(kind, node)
    cluster.simulation.apply(parse_fault(f"{name} target={target}"))


def lose_gpu(cluster: Cluster, chance: Stream) -> None:
    gpu = f"{chance.choice(NODES[:3])}/gpu{chance.integer(0, 7)}"
    cluster.simulation.apply(parse_fault(f"gpu.fell_off_bus target={gpu}"))


ACTS: tuple[Callable[[Cluster, Stream], None], ...] = (
    reboot, service, service, pod, pod, delete, scale, cordon, kill, fault, lose_gpu,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_invariants(seed: int) -> None:
    cluster, chance = Cluster(), Stream(seed, "kubernetes/invariants")
    for _ in range(20):
        with suppress(StatusError, NoServer):
            chance.choice(ACTS)(cluster, chance)
        cluster.wait(chance.integer(1, 200))
        check_devices(cluster)
        check_containers(cluster)
        check_gpus(cluster)
        show(cluster)
    agree(cluster)


def check_devices(cluster: Cluster) -> None:
    table = cluster.world.kube_pods
    living = [table[key] for key in table.changed() if table[key].phase in ("Pending", "Running")]
    held = [(run.node, device) for run in living for device in run.devices]
    assert len(held) == len(set(held))


def check_containers(cluster: Cluster) -> None:
    """Containers that run have a process, and are those that the kubelet thinks run."""
    world = cluster.world
    known = [
        (run.node, each)
        for key in world.kube_pods.changed()
        for run in (world.kube_pods[key],)
        for each in (*run.init, *run.containers)
    ]
    for node in NODES:
        running = {each.id: each.pid for each in world.container_hosts[node].containers if each.status == "running"}
        assert set(running.values()) <= {process.pid for process in world.systems[node].processes}
        assert set(running) <= {each.id for where, each in known if where == node}
        if runs.works(world, node):
            assert {each.id for where, each in known if where == node and each.state == "running"} <= set(running)


def check_gpus(cluster: Cluster) -> None:
    """What works on a GPU from within a container is of a pod that holds it, and a node gives what its plugin calls
    healthy and nothing else.
    """
    world = cluster.world
    pods = {
        each.id: run for key in world.kube_pods.changed() for run in (world.kube_pods[key],) for each in run.containers
    }
    for node in NODES[:3]:
        owners = {each.pid: pods[each.id] for each in world.container_hosts[node].containers if each.id in pods}
        for gpu in world.node(node).gpus:
            for process in gpu_processes(world, gpu.id):
                if process.pid in owners:
                    places = (mig.place(world, node, device) for _, device in owners[process.pid].devices)
                    assert gpu.id in {place[0].id for place in places if place is not None}
        for plugin in world.kube_nodes[node].plugins:
            healthy = sum(device.healthy for device in plugin.devices) if plugin.connected else 0
            assert devices.allocatable(world, node)[plugin.resource] == healthy
            assert len({device.id for device in plugin.devices}) == len(plugin.devices)


def agree(cluster: Cluster) -> None:
    """crictl, kubectl and the API tell of the same containers and pods."""
    world = cluster.world
    for node in NODES[:3]:
        if runs.works(world, node) and runs.runtime_works(world, node):
            told = run_command(cluster.simulation, node, "root", "crictl ps -q").stdout.split()
            there = {each.id for each in world.container_hosts[node].containers if each.status == "running"}
            assert set(told) == there
    with suppress(NoServer):
        names = {each["metadata"]["name"] for each in cluster.items("pods")}
        listed = run_command(cluster.simulation, "head-01", "alex", "kubectl get pods -A --no-headers").stdout
        assert {line.split()[1] for line in listed.splitlines()} == names


def show(cluster: Cluster) -> None:
    try:
        for name in SHOWN:
            cluster.api.table(cluster.resource(name), cluster.items(name))
    except NoServer:
        assert cluster.world.nodes["cp-01"].phase.value != "running" or cluster.world.kube_nodes["cp-01"].stopped
