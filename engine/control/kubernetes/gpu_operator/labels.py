"""Labels that describe GPU nodes: node-feature-discovery's, the operator's, and gpu-feature-discovery's.

Sources: node-feature-discovery 0.17 (source/pci, source/system, source/kernel: a subset), gpu-operator
controllers/state_manager.go, gpu-feature-discovery of k8s-device-plugin 0.17 (internal/lm). A worker labels its node
when it starts and when its configuration changes (it looks for devices of the classes in
sources.pci.deviceClassWhitelist; how long a kubelet takes to hand a changed ConfigMap to it, up to a minute, is left
out); gpu-feature-discovery labels again every 60 s, here when its pod starts, which every change of MIG brings about.
"""

from __future__ import annotations

from engine.control import driver, kernel_image
from engine.control.cuda_versions import spoken_by
from engine.control.kubernetes import control_plane, store
from engine.control.kubernetes.device_plugins import mig, sharing
from engine.control.kubernetes.gpu_operator import operands
from engine.control.kubernetes.objects import KubeDict, labels_of, name_of
from engine.control.mig.devices import MigDevice
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.inventory import Gpu
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
Labels = dict[str, str]
CONFIGURATION = f"{operands.NAMESPACE}/gpu-operator-node-feature-discovery-worker-conf"
_FEATURES = "feature.node.kubernetes.io/"
_BY_DISCOVERY = (
    "nvidia.com/cuda.", "nvidia.com/gfd.", "nvidia.com/gpu.compute", "nvidia.com/gpu.count", "nvidia.com/gpu.family",
    "nvidia.com/gpu.machine", "nvidia.com/gpu.memory", "nvidia.com/gpu.mode", "nvidia.com/gpu.multiprocessors",
    "nvidia.com/gpu.product", "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing", "nvidia.com/gpu.slices",
    "nvidia.com/mig-", "nvidia.com/mig.capable", "nvidia.com/mig.strategy", "nvidia.com/mps.", "nvidia.com/vgpu.",
)  # fmt: skip
_COMPUTE = {"Ampere": "8.0", "Hopper": "9.0", "Blackwell": "10.0"}


def features(world: World, node: str) -> Labels:
    """What a worker of node-feature-discovery finds on its node."""
    kernel, release = kernel_image.running(world, node), world.software["os"].split()
    major, minor = kernel.split(".")[:2]
    found = {
        "cpu-hardware_multithreading": "true", "cpu-model.vendor_id": "Intel", "kernel-version.full": kernel,
        "kernel-version.major": major, "kernel-version.minor": minor, "system-os_release.ID": release[0].lower(),
        "system-os_release.VERSION_ID": ".".join(release[1].split(".")[:2]),
    }  # fmt: skip
    found |= {f"pci-{vendor}.present": "true" for vendor in _vendors(world, node)}
    return {f"{_FEATURES}{name}": value for name, value in found.items()}


def _vendors(world: World, node: str) -> set[str]:
    """The vendors of a node's devices of the classes that the worker's configuration lists."""
    there = {"0302": "10de"} if world.node(node).gpus else {}
    there |= {"0207" if hca.link_layer == "InfiniBand" else "0200": "15b3" for hca in world.node(node).hcas}
    listed = _classes(world)
    return {vendor for number, vendor in there.items() if any(number.startswith(each) for each in listed)}


def _classes(world: World) -> tuple[str, ...]:
    """deviceClassWhitelist of the worker's configuration, or nfd-worker's own default where that cannot be read."""
    import yaml

    kept = store.look(world, "configmaps", CONFIGURATION) or {}
    text = (kept.get("data") or {}).get("nfd-worker.conf", "")
    try:
        found = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["sources"]["pci"]
        return tuple(str(each) for each in found["deviceClassWhitelist"])
    except (yaml.YAMLError, KeyError, TypeError):
        return ("03", "0b40", "12")


def gpu_labels(world: World, node: str, strategy: str, time: int) -> Labels:
    """What gpu-feature-discovery finds: nothing without a driver that answers."""
    gpus = mig.answering(world, node)
    if not gpus:
        return {}
    version = driver.nvml(world, node).kernel_version
    runtime, first = (spoken_by(version) or "0.0").split("."), gpus[0].product
    compute = _COMPUTE.get(first.architecture, "9.0").split(".")
    parts = [*version.split("."), "", ""][:3]
    found = {
        "cuda.driver-version.full": version, "cuda.driver-version.major": parts[0],
        "cuda.driver-version.minor": parts[1], "cuda.driver-version.revision": parts[2],
        "cuda.driver.major": parts[0], "cuda.driver.minor": parts[1], "cuda.driver.rev": parts[2],
        "cuda.runtime-version.full": ".".join(runtime), "cuda.runtime-version.major": runtime[0],
        "cuda.runtime-version.minor": runtime[1], "cuda.runtime.major": runtime[0],
        "cuda.runtime.minor": runtime[1], "gfd.timestamp": str((world.inventory.start + time) // 1_000_000_000),
        "gpu.compute.major": compute[0], "gpu.compute.minor": compute[1], "gpu.family": first.architecture.lower(),
        "gpu.mode": "compute", "gpu.sharing-strategy": "none", "mig.capable": "true", "mig.strategy": strategy,
        "mps.capable": "false", "vgpu.present": "false",
    } | _resources(world, node, gpus, strategy)  # fmt: skip
    found = sharing.labels(world, found)
    return {f"nvidia.com/{name}": value for name, value in found.items()}


def _resources(world: World, node: str, gpus: list[Gpu], strategy: str) -> Labels:
    """Labels of what the plugin offers, by strategy."""
    product, parts = gpus[0].product.name.replace(" ", "-"), mig.instances(world, node)
    whole = {
        "gpu.count": str(len(gpus)), "gpu.memory": str(gpus[0].product.memory_total), "gpu.product": product,
        "gpu.replicas": "1",
    }  # fmt: skip
    cut = [gpu for gpu in gpus if world.gpus[gpu.id].mig_enabled]
    if strategy == mig.SINGLE and cut:
        if mig.mismatch(world, node):
            return {"gpu.count": "0", "gpu.memory": "0", "gpu.product": f"{product}-MIG-INVALID", "gpu.replicas": "0"}
        return whole | _instance("gpu", parts[0], len(parts), product)
    if strategy == mig.MIXED:
        for name in sorted({each.name for each in parts}):
            alike = [each for each in parts if each.name == name]
            whole |= _instance(f"mig-{name}", alike[0], len(alike), product)
    return whole


def _instance(prefix: str, each: MigDevice, count: int, product: str) -> Labels:
    found = {
        "count": count, "memory": each.profile.memory, "multiprocessors": each.profile.multiprocessors,
        "product": f"{product}-MIG-{each.name}", "replicas": 1, "slices.ci": each.profile.slices,
        "slices.gi": each.profile.slices,
    }  # fmt: skip
    return {f"{prefix}.{name}": str(value) for name, value in found.items()}


def _operator_labels(node: KubeDict, default: str) -> bool:
    """What the operator puts on a node. Gives whether something changed."""
    there = dict(labels_of(node))
    if there.get(operands.PCI_DEVICE) != "true":
        return operands.set_labels(node, {}, (operands.DEPLOY, "nvidia.com/gpu.present"))
    if there.get(operands.KEEP_AWAY) == "false":
        kept = {"nvidia.com/gpu.present": "true", operands.KEEP_AWAY: "false"}
        return operands.set_labels(node, kept, (operands.DEPLOY,))
    wanted = {"nvidia.com/gpu.present": "true"}
    wanted |= {f"{operands.DEPLOY}{name}": value for name, value in operands.COMPONENTS}
    if "nvidia.com/mig.config" not in there and there.get("nvidia.com/mig.capable") == "true" and default:
        wanted["nvidia.com/mig.config"] = default
    lacking = {key: value for key, value in wanted.items() if key not in there}
    return operands.set_labels(node, lacking, ())


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A node has changed, or a pod that labels its node has started."""
    world = simulation.world
    if event.store == "configmaps" and event.key == CONFIGURATION:
        for name in world.kube_nodes.changed():
            key = operands.pod_on(world, name, operands.WORKER)
            if key:
                _described(simulation, name, key)
        return
    if event.gone or event.store not in (store.NODES, store.PODS) or not control_plane.controls(world):
        return
    policy = operands.policy(world)
    if policy is None:
        return
    if event.store == store.NODES:
        node = store.find(world, store.NODES, event.key)
        if node is not None and _operator_labels(node, policy["spec"]["migManager"]["config"].get("default", "")):
            store.put(simulation, store.NODES, node)
        return
    name = event.key.removeprefix(f"{operands.NAMESPACE}/")
    if name.startswith((operands.WORKER, operands.DISCOVERY)) and event.key in world.kube_pods:
        _described(simulation, world.kube_pods[event.key].node, event.key)


def _described(simulation: Sim, name: str, key: str) -> None:
    """A pod that describes its node runs: the labels are what it finds."""
    world, node = simulation.world, store.find(simulation.world, store.NODES, f"/{name}")
    each = next((one for one in world.kube_pods[key].containers if one.state == "running"), None)
    if node is None or each is None:
        return
    if operands.WORKER in key:
        changed = operands.set_labels(node, features(world, name_of(node)), (_FEATURES,))
    else:
        strategy = _strategy(store.look(world, store.PODS, key) or {})
        changed = operands.set_labels(node, gpu_labels(world, name, strategy, each.started), _BY_DISCOVERY)
    if changed:
        store.put(simulation, store.NODES, node)


def _strategy(pod: KubeDict) -> str:
    """The MIG strategy in the environment of a pod."""
    found = (each for one in pod.get("spec", {}).get("containers", ()) for each in one.get("env") or ())
    return next((str(each["value"]) for each in found if each["name"] == "MIG_STRATEGY"), mig.NONE)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
