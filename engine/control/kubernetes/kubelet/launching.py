"""Starting and stopping a container: its record in containerd's store, its process on the node, its GPUs.

A container whose devices are GPUs gets them through the runtime `nvidia` (CDI or the toolkit's hook): under another
runtime the device files are there, but no driver's libraries. The toolkit's refusals are those of
engine.control.containers.toolkit.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import files, processes
from engine.control.containers import CONTAINER, device_cgroup, lifecycle, toolkit
from engine.control.kubernetes import programs, registries, runtime, store
from engine.control.kubernetes.device_plugins import mig
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.inventory import Gpu, stable_hexadecimal
from engine.world.records import Container, ContainerLog, ContainerRun
from engine.world.world import World

Sim = Simulation[World]
ENGINE = "containerd"
_OURS = "nvidia.com/"
_DEFAULT_NAMES = {
    "etcd": ("etcd",), "coredns": ("/coredns",), "k8s-device-plugin": ("nvidia-device-plugin",),
    "nginx": ("nginx: master process nginx -g daemon off;",),
    "cuda-sample": ("/cuda-samples/vectorAdd",), "pause": ("/pause",),
}  # fmt: skip

_FIGURES = {
    "etcd": (22, 96_000), "kube-apiserver": (48, 412_000), "kube-controller-manager": (14, 128_000),
    "kube-scheduler": (4, 68_000), "kube-proxy": (1, 54_000), "coredns": (2, 52_000), "flannel": (2, 38_000),
    "k8s-device-plugin": (0, 42_000), "local-path-provisioner": (0, 36_000), "server": (120, 2_400_000),
}  # fmt: skip
"""CPU in thousandths of one and memory in KiB of the system's programs on a quiet cluster (guesses)."""


def start(simulation: Sim, pod: KubeDict, name: str) -> tuple[str, str] | None:
    """A container is made and started. Gives (reason, message) where it cannot."""
    world, key = simulation.world, store.key_of(pod)
    node, spec = world.kube_pods[key].node, runs.spec_of(pod, name)
    refused = _configuration(world, pod, spec)
    if refused:
        return refused
    held = registries.find_held(world, node, spec["image"])
    if held is None:
        return "CreateContainerError", f'failed to get image "{spec["image"]}": not found'
    gpus = gpus_of(world, pod, name, node)
    launch = Launch(node, pod, spec, gpus, held.image.kind)
    runs.say(simulation, pod, "Normal", "Created", f"Created container: {name}", name)
    refused = _refusal(simulation, launch)
    if refused:
        identifier = _new_id(simulation, node)
        runs.change_container(simulation, key, name, id=identifier)
        return refused
    program = programs.program(simulation, launch)
    if program.missing:
        runs.change_container(simulation, key, name, id=_new_id(simulation, node))
        return "RunContainerError", _no_program(launch)
    _run(simulation, pod, launch, program, held.image.reference)
    runs.say(simulation, pod, "Normal", "Started", f"Started container {name}", name)
    return None


def gpus_of(world: World, pod: KubeDict, name: str, node: str) -> tuple[str, ...]:
    """The GPUs of a pod's container, by id, in the node's order; those that its MIG devices lie on as well."""
    found = {place[0].id for place in _places(world, pod, name, node)}
    return tuple(gpu.id for gpu in world.node(node).gpus if gpu.id in found)


def _places(world: World, pod: KubeDict, name: str, node: str) -> list[tuple[Gpu, tuple[int, int] | None]]:
    """Where the devices of a container lie: its share of the pod's devices, in the order of the containers."""
    run, at, found = world.kube_pods[store.key_of(pod)], dict[str, int](), []
    for each in pod["spec"]["containers"]:
        for resource, text in sorted((each.get("resources", {}).get("limits") or {}).items()):
            if not resource.startswith(_OURS):
                continue
            names, begin = [device for kind, device in run.devices if kind == resource], at.get(resource, 0)
            at[resource] = begin + int(text)
            if each["name"] == name:
                found += [mig.place(world, node, device) for device in names[begin : at[resource]]]
    return [each for each in found if each is not None]


def _configuration(world: World, pod: KubeDict, spec: KubeDict) -> tuple[str, str] | None:
    """Environment that comes from a ConfigMap or Secret which is not there."""
    for each in [*(spec.get("env") or ()), *(spec.get("envFrom") or ())]:
        source = each.get("valueFrom") or each
        for field, plural, word in (
            ("configMapKeyRef", "configmaps", "configmap"), ("secretKeyRef", "secrets", "secret"),
            ("configMapRef", "configmaps", "configmap"), ("secretRef", "secrets", "secret"),
        ):  # fmt: skip
            wanted = source.get(field) if isinstance(source, dict) else None
            if not wanted or wanted.get("optional"):
                continue
            kept = store.find(world, plural, f"{namespace_of(pod)}/{wanted['name']}")
            if kept is None:
                return "CreateContainerConfigError", f'{word} "{wanted["name"]}" not found'
            if "key" in wanted and wanted["key"] not in (kept.get("data") or {}):
                place = f"{namespace_of(pod)}/{wanted['name']}"
                kind = "ConfigMap" if word == "configmap" else "Secret"
                return "CreateContainerConfigError", f"couldn't find key {wanted['key']} in {kind} {place}"
    return None


def _refusal(simulation: Sim, launch: Launch) -> tuple[str, str] | None:
    """Why the NVIDIA runtime ends the start of a container with GPUs."""
    world = simulation.world
    if not launch.gpus or _runtime(world, launch) != "nvidia":
        return None
    try:
        toolkit.initialise(world, launch.node)
        names = tuple(world.gpus[gpu].uuid for gpu in launch.gpus)
        toolkit.chosen(world, launch.node, toolkit.Request(names=names))
    except toolkit.Refused as why:
        return "RunContainerError", toolkit.hook_refusal(why).replace(
            "failed to create task for container: ", "failed to create containerd task: "
        )
    return None


def _runtime(world: World, launch: Launch) -> str:
    """The runtime of a container."""
    name = launch.pod["spec"].get("runtimeClassName")
    kept = store.find(world, "runtimeclasses.node.k8s.io", f"/{name}") if name else None
    return str(kept["handler"]) if kept else runtime.usual(world, launch.node)


def _no_program(launch: Launch) -> str:
    word = launch.words[0] if launch.words else ""
    return (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
        f'unable to start container process: error during container init: exec: "{word}": executable file '
        "not found in $PATH: unknown"
    )


def _new_id(simulation: Sim, node: str) -> str:
    made = simulation.world.container_hosts[node].made
    simulation.world.container_hosts.update(node, made=made + 1)
    return stable_hexadecimal(64, simulation.seed, "containerd", node, made)


def _run(simulation: Sim, pod: KubeDict, launch: Launch, program: Program, image: str) -> None:
    world, key, node = simulation.world, store.key_of(pod), launch.node
    identifier, name = _new_id(simulation, node), launch.container["name"]
    words = launch.words or _DEFAULT_NAMES.get(launch.kind, (f"/{launch.kind}",))
    pid = _process(simulation, launch, program, words, identifier)
    privileged = bool((launch.container.get("securityContext") or {}).get("privileged"))
    network = "host" if pod["spec"].get("hostNetwork") else "pod"
    given = launch.gpus if _runtime(world, launch) == "nvidia" else ()
    record = Container(
        identifier, name, image, tuple(words), simulation.now, ENGINE, "running", simulation.now, pid=pid,
        gpus=given, linked=device_cgroup.linked(world, node), privileged=privileged, network=network,
        hostname=node if network == "host" else name_of(pod), environment=_variables(launch), memory_lock=None,
        shm_kib=_shared_memory(launch), specified=True,
    )  # fmt: skip
    state = world.container_hosts[node]
    world.container_hosts.update(node, containers=(*_kept(world, key, name, state.containers), record))
    for path, text in program.writes:
        files.write(simulation, node, path, text.encode(), uid=0, gid=0)
    lines = tuple((simulation.now + at, text) for at, text in program.lines)
    world.kube_logs[identifier] = ContainerLog(lines, program.status)
    runs.change_container(
        simulation, key, name, state="running", id=identifier, started=simulation.now, stage="running", reason="",
        message="", ended=None, ready=None, ends=None if program.runs is None else simulation.now + program.runs,
    )  # fmt: skip
    _phase(simulation, pod, key)


def _phase(simulation: Sim, pod: KubeDict, key: str) -> None:
    """A pod runs when all of its containers have been made and one has started."""
    run = simulation.world.kube_pods[key]
    if run.phase == "Pending" and run.containers and all(each.id for each in run.containers):
        runs.change(simulation, key, phase="Running")


def _kept(world: World, key: str, name: str, there: tuple[Container, ...]) -> tuple[Container, ...]:
    """The containers that stay: of one that starts anew, the run before this one, for `logs --previous`."""
    each = runs.container(world.kube_pods[key], name)
    old = each.last.id if each.last else ""
    gone = {c.id for c in there if c.engine == ENGINE and c.name == name and c.status != "running"} - {old, each.id}
    own = {c.id for c in there if c.id in gone and c.hostname == key.partition("/")[2]}
    for identifier in own:
        world.kube_logs.forget(identifier)
    return tuple(c for c in there if c.id not in own)


def _process(simulation: Sim, launch: Launch, program: Program, words: tuple[str, ...], identifier: str) -> int:
    world, node = simulation.world, launch.node
    works = program.work is not None and (_runtime(world, launch) == "nvidia")
    cpu, resident = _FIGURES.get(launch.kind, (0, 8_192))
    bound = [gpu.id for gpu in bound_gpus(world, node)]
    indices = tuple(bound.index(gpu) for gpu in launch.gpus if gpu in bound) if works else ()
    places = _places(world, launch.pod, launch.container["name"], node) if works else []
    variables = {name: value for name, value in _variables(launch) if name.startswith(("NCCL_", "CUDA_"))}
    return processes.start(
        simulation, node, user="root", command=" ".join(words), gpus=indices, workload=program.work if works else None,
        gpu_memory=program.gpu_memory if works else 0, cpu_permille=None if works else cpu,
        resident_kib=None if works else resident, environment=(*variables.items(), (CONTAINER, identifier)),
        instance=next((instance for _, instance in places if instance is not None), None),
    )  # fmt: skip


def _variables(launch: Launch) -> tuple[tuple[str, str], ...]:
    """The environment that a pod gives a container in plain values."""
    return tuple((each["name"], str(each["value"])) for each in launch.container.get("env") or () if "value" in each)


def _shared_memory(launch: Launch) -> int:
    """KiB of /dev/shm: 64 MiB, or a volume in memory at that place."""
    mounts = {each["mountPath"]: each["name"] for each in launch.container.get("volumeMounts") or ()}
    name = mounts.get("/dev/shm")
    memory = any(
        volume["name"] == name and (volume.get("emptyDir") or {}).get("medium") == "Memory"
        for volume in launch.pod["spec"].get("volumes") or ()
    )
    return 1 << 30 if memory else 65_536


def stop(simulation: Sim, pod: KubeDict, each: ContainerRun) -> None:
    """The process of a container goes, and its record says that it has ended."""
    world = simulation.world
    node = world.kube_pods[store.key_of(pod)].node
    record = next((one for one in world.container_hosts[node].containers if one.id == each.id), None)
    if record is not None and record.status == "running":
        lifecycle.change(simulation, node, each.id, status="exited", finished=simulation.now, pid=0)
        processes.end(simulation, node, [record.pid], "exit")
    log = world.kube_logs[each.id]
    world.kube_logs[each.id] = replace(log, lines=tuple(line for line in log.lines if line[0] <= simulation.now))


def was(world: World, node: str, identifier: str, pids: tuple[int, ...]) -> bool:
    """Whether a container's first process was one of these."""
    record = next((one for one in world.container_hosts[node].containers if one.id == identifier), None)
    return record is not None and record.status == "exited" and bool(pids)


def remove(simulation: Sim, node: str, identifiers: set[str]) -> None:
    """Containers go from containerd's store, with their logs."""
    world = simulation.world
    kept = tuple(each for each in world.container_hosts[node].containers if each.id not in identifiers)
    world.container_hosts.update(node, containers=kept)
    for identifier in sorted(identifiers):
        world.kube_logs.forget(identifier)
