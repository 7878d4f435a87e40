"""Images for containers: the pull, its failures, and the pauses between attempts (10 s, doubled up to 5 min).

Texts: pkg/kubelet/images/image_manager.go (1.32).
"""

from __future__ import annotations

from engine.control.kubernetes import registries, store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import ContainerRun
from engine.world.world import World

Sim = Simulation[World]
_FIRST, _LONGEST = 10 * SECOND, 300 * SECOND
_NOTICED = 900 * MILLISECOND


def begin(simulation: Sim, pod: KubeDict, each: ContainerRun) -> bool:
    """The kubelet sees to the image of a container. Gives whether it is there now."""
    world, key, uid = simulation.world, store.key_of(pod), pod["metadata"]["uid"]
    spec = runs.spec_of(pod, each.name)
    image, policy, node = spec["image"], spec.get("imagePullPolicy"), world.kube_pods[key].node
    if not registries.is_reference(image):
        _invalid(simulation, pod, each, image)
        return False
    there = registries.find_held(world, node, image) is not None
    if there and policy != "Always":
        runs.say(
            simulation, pod, "Normal", "Pulled", f'Container image "{image}" already present on machine', each.name
        )
        return True
    if not there and policy == "Never":
        text = f'Container image "{image}" is not present with pull policy of Never'
        runs.say(simulation, pod, "Warning", "ErrImageNeverPull", text, each.name)
        _wait(simulation, key, each, "ErrImageNeverPull", text, "backing_off")
        runs.later(simulation, key, uid, each.name, 12 * SECOND)
        return False
    runs.say(simulation, pod, "Normal", "Pulling", f'Pulling image "{image}"', each.name)
    runs.change_container(simulation, key, each.name, stage="pulling")
    runs.later(simulation, key, uid, each.name, _time(simulation, node, image, there))
    return False


def _time(simulation: Sim, node: str, image: str, there: bool) -> int:
    """How long until the kubelet knows how a pull went."""
    reference = registries.canonical(image)
    spread = hash64(simulation.seed, node, image, simulation.now) % 400 * MILLISECOND
    try:
        registries.check(simulation.world, node, reference)
    except registries.PullRefused as why:
        return (30 * SECOND if "i/o timeout" in str(why) else 350 * MILLISECOND) + spread
    whole = 500 * MILLISECOND if there else registries.pull_time(simulation.world, reference)
    return whole + spread


def end(simulation: Sim, pod: KubeDict, each: ContainerRun, began: int) -> bool:
    """A pull is over. Gives whether the image is there."""
    world, key = simulation.world, store.key_of(pod)
    image, node = runs.spec_of(pod, each.name)["image"], world.kube_pods[key].node
    reference = registries.canonical(image)
    try:
        registries.check(world, node, reference)
    except registries.PullRefused as why:
        _failed(simulation, pod, each, image, f"rpc error: code = {why.code} desc = {why}")
        return False
    registries.keep(simulation, node, reference)
    held = registries.find_held(world, node, image)
    took = _go_seconds(simulation.now - began)
    size = held.bytes if held else 0
    text = f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: {size} bytes.'
    runs.say(simulation, pod, "Normal", "Pulled", text, each.name)
    runs.change_container(simulation, key, each.name, pulls=0)
    return True


def _go_seconds(nanoseconds: int) -> str:
    """A duration as Go writes it, to milliseconds: 812ms, 1.5s, 1m2.25s."""
    milliseconds = nanoseconds // MILLISECOND
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    text = f"{rest // 1000}.{rest % 1000:03d}".rstrip("0").rstrip(".") + "s"
    return f"{minutes}m{text}" if minutes else text


def _failed(simulation: Sim, pod: KubeDict, each: ContainerRun, image: str, why: str) -> None:
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    runs.say(simulation, pod, "Warning", "Failed", f'Failed to pull image "{image}": {why}', each.name)
    runs.say(simulation, pod, "Warning", "Failed", "Error: ErrImagePull", each.name)
    _wait(simulation, key, each, "ErrImagePull", why, "backing_off")
    runs.change_container(simulation, key, each.name, pulls=each.pulls + 1)
    runs.log_failure(simulation, pod, "StartContainer", each.name, "ErrImagePull", why)
    runs.later(simulation, key, uid, each.name, _NOTICED)
    runs.tell(simulation, key)


def back_off(simulation: Sim, pod: KubeDict, each: ContainerRun) -> bool:
    """The kubelet has noticed a failed pull, or has waited long enough. Gives whether to try again now."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    if each.reason != "ErrImagePull":
        return True
    image = runs.spec_of(pod, each.name)["image"]
    text = f'Back-off pulling image "{image}"'
    runs.say(simulation, pod, "Normal", "BackOff", text, each.name)
    runs.say(simulation, pod, "Warning", "Failed", "Error: ImagePullBackOff", each.name)
    message = f"{text}: ErrImagePull: {each.message}"
    _wait(simulation, key, each, "ImagePullBackOff", message, "backing_off")
    runs.log_failure(simulation, pod, "StartContainer", each.name, "ImagePullBackOff", message)
    runs.later(simulation, key, uid, each.name, min(_FIRST << min(each.pulls - 1, 6), _LONGEST))
    runs.tell(simulation, key)
    return False


def _invalid(simulation: Sim, pod: KubeDict, each: ContainerRun, image: str) -> None:
    """A text that is no reference: nothing is tried."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    text = (
        f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": invalid reference format'
    )
    runs.say(simulation, pod, "Warning", "InspectFailed", text, each.name)
    runs.say(simulation, pod, "Warning", "Failed", "Error: InvalidImageName", each.name)
    _wait(simulation, key, each, "InvalidImageName", text, "backing_off")
    runs.later(simulation, key, uid, each.name, 12 * SECOND)
    runs.tell(simulation, key)


def _wait(simulation: Sim, key: str, each: ContainerRun, reason: str, message: str, stage: str) -> None:
    runs.change_container(simulation, key, each.name, state="waiting", reason=reason, message=message, stage=stage)
