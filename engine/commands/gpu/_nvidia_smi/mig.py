"""`nvidia-smi mig`: listing, making and destroying the instances of GPUs in MIG mode.

Texts: captures of success, of no room, of a client, of a profile of another board, of instances that there are not, of
GPUs without MIG. Guesses: that those about compute instances are like those about GPU instances, what somebody without
the right is told, the statuses other than 6 for nothing found. Profiles are listed of GPUs that could be cut up, all
other options work on GPUs in MIG mode; the first refusal ends the command, what was made before stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi import mig_lists
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    NO_PERMISSION,
    NOT_FOUND,
    OK,
    UNKNOWN_ERROR,
    Refused,
    answering,
    open_library,
    refuse,
    select,
)
from engine.commands.gpu._nvidia_smi.words import HELP, INVALID_COMBINATION, Switch, parse, section_help
from engine.control.mig import actions
from engine.control.mig.profiles import Profile, compute_named, named, profile, profiles
from engine.world.records import ComputeInstance, GpuInstance

Given = Mapping[str, str | None]

_DENIED = "Insufficient Permissions"

SWITCHES = (
    HELP,
    Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas."),
    Switch("gi", ("-gi", "--gpu-instance-id"), "ID", "GPU instances by id, with commas."),
    Switch("ci", ("-ci", "--compute-instance-id"), "ID", "Compute instances by id, with commas."),
    Switch(
        "default", ("-C", "--default-compute-instance"), None, "With -cgi: make the whole compute instance as well."
    ),
    Switch("lgip", ("-lgip", "--list-gpu-instance-profiles"), None, "What the GPUs can be cut into."),
    Switch("lgipp", ("-lgipp", "--list-gpu-instance-possible-placements"), None, "Where such instances can be."),
    Switch(
        "cgi",
        ("-cgi", "--create-gpu-instance"),
        "PROFILE",
        "Make GPU instances: profiles by id or name, with commas; :START after one places it.",
    ),
    Switch("dgi", ("-dgi", "--destroy-gpu-instance"), None, "Destroy GPU instances (those of -i and -gi, or all)."),
    Switch("lgi", ("-lgi", "--list-gpu-instances"), None, "The GPU instances."),
    Switch("lcip", ("-lcip", "--list-compute-instance-profiles"), None, "What GPU instances can be cut into."),
    Switch("lcipp", ("-lcipp", "--list-compute-instance-possible-placements"), None, "Where those can be."),
    Switch(
        "cci",
        ("-cci", "--create-compute-instance"),
        "PROFILE",
        "Make compute instances: profiles by id or name, with commas; without one the whole GPU instance.",
        True,
    ),
    Switch("dci", ("-dci", "--destroy-compute-instance"), None, "Destroy compute instances (of -i, -gi and -ci)."),
    Switch("lci", ("-lci", "--list-compute-instances"), None, "The compute instances."),
)
_ONE_OF = ("lgip", "lgipp", "cgi", "dgi", "lgi", "lcip", "lcipp", "cci", "dci", "lci")
_BESIDE = {"id": _ONE_OF, "gi": ("dgi", "lcip", "lcipp", "cci", "dci", "lci"), "ci": ("dci",), "default": ("cgi",)}


async def mig(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi mig`."""
    given = parse(context, SWITCHES, words, "mig")
    if "help" in given or not given:
        context.write("\n".join(section_help("mig", "Cut GPUs in MIG mode up.", SWITCHES)) + "\n")
        return OK
    asked = [key for key in _ONE_OF if key in given]
    if len(asked) != 1 or any(key in given and asked[0] not in owners for key, owners in _BESIDE.items()):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    _RUN[asked[0]](context, given, _suited(context, asked[0], devices))
    return OK


def _suited(context: Context, asked: str, devices: Sequence[Device]) -> list[Device]:
    """The GPUs that an option works on. Raises Refused if there is none."""
    if asked in ("lgip", "lgipp"):
        found, word = [device for device in devices if profiles(device.product)], "supported"
    else:
        found, word = [device for device in devices if device.state.mig_enabled], "enabled"
    if not found:
        raise refuse(context, f"No MIG-{word} devices found.", NOT_FOUND)
    return found


def _write(context: Context, lines: Iterator[str]) -> None:
    context.write("".join(f"{line}\n" for line in lines))


def _numbers(context: Context, given: Given, key: str) -> tuple[int, ...] | None:
    """The ids that an option lists; None without it. Raises Refused."""
    text = given.get(key)
    if text is None:
        return None
    words = text.split(",")
    if not all(word.isdecimal() for word in words):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return tuple(int(word) for word in words)


def _parts(context: Context, given: Given, devices: Sequence[Device]) -> list[tuple[Device, GpuInstance]]:
    """The GPU instances that -i and -gi leave. Raises Refused if there is none."""
    wanted = _numbers(context, given, "gi")
    pairs = [(device, each) for device in devices for each in mig_lists.instances(device)]
    found = [(device, each) for device, each in pairs if wanted is None or each.id in wanted]
    if not found:
        raise refuse(context, "No GPU instances found: Not Found", NOT_FOUND)
    return found


def _list_profiles(context: Context, given: Given, devices: Sequence[Device]) -> None:
    _write(context, mig_lists.gpu_profiles(devices))


def _list_placements(context: Context, given: Given, devices: Sequence[Device]) -> None:
    _write(context, mig_lists.gpu_placements(devices))


def _list_instances(context: Context, given: Given, devices: Sequence[Device]) -> None:
    _parts(context, given, devices)
    _write(context, mig_lists.gpu_instances(devices))


def _list_compute_kinds(context: Context, given: Given, devices: Sequence[Device]) -> None:
    _write(context, mig_lists.compute_kinds(_parts(context, given, devices)))


def _list_compute_placements(context: Context, given: Given, devices: Sequence[Device]) -> None:
    _write(context, mig_lists.compute_placements(_parts(context, given, devices)))


def _list_compute_instances(context: Context, given: Given, devices: Sequence[Device]) -> None:
    parts = _parts(context, given, devices)
    if not any(each.compute for _, each in parts):
        raise refuse(context, "No compute instances found: Not Found", NOT_FOUND)
    _write(context, mig_lists.compute_instances(parts))


def _fail(context: Context, first: str, what: str, reason: str) -> Refused:
    """Say that one thing could not be done, and hence all of it."""
    context.line(f"{first}: {reason}")
    return refuse(context, f"Failed to {what}: {reason}", NO_PERMISSION if reason == _DENIED else UNKNOWN_ERROR)


def _create_instances(context: Context, given: Given, devices: Sequence[Device]) -> None:
    for device in devices:
        for word in (given["cgi"] or "").split(","):
            made = _create_instance(context, device, word)
            if "default" in given:
                _create_compute(context, device, made, "")


def _create_instance(context: Context, device: Device, word: str) -> GpuInstance:
    """Make one GPU instance. Raises Refused."""
    name, _, start = word.partition(":")
    what = f"Unable to create a GPU instance on GPU {device.index:>2} using profile {name.strip()}"
    kind = named(device.product, name)
    before = {each.id for each in context.world.mig[device.gpu.id].instances}
    reason: str | None = _DENIED
    if context.is_root:
        reason = actions.INVALID
        if kind and (not start or start.isdecimal()):
            place = int(start) if start else None
            action = actions.CreateGpuInstance(context.host, device.index, kind.id, place, context.identity.name)
            reason = context.simulation.apply(action)
    if reason is not None or kind is None:
        raise _fail(context, what, "create GPU instances", reason or actions.INVALID)
    made = next(each for each in context.world.mig[device.gpu.id].instances if each.id not in before)
    where = f"GPU instance ID {made.id:>2} on GPU {device.index:>2}"
    context.line(f"Successfully created {where} using profile MIG {kind.name} (ID {kind.id:>2})")
    return made


def _create_computes(context: Context, given: Given, devices: Sequence[Device]) -> None:
    for device, instance in _parts(context, given, devices):
        for word in (given["cci"] or "").split(","):
            _create_compute(context, device, instance, word)


def _create_compute(context: Context, device: Device, instance: GpuInstance, word: str) -> None:
    """Make one compute instance. Raises Refused."""
    within: Profile = profile(device.product, instance.profile)
    kind = compute_named(device.product, within, word.partition(":")[0])
    where = f"GPU {device.index:>2} GPU instance ID {instance.id:>2}"
    shown = word.strip() or (kind.id if kind else "")
    reason: str | None = _DENIED if not context.is_root else actions.INVALID
    if kind and context.is_root:
        action = actions.CreateComputeInstance(context.host, device.index, instance.id, kind.id, context.identity.name)
        before = _computes(context, device, instance)
        reason = context.simulation.apply(action)
    if reason is not None or kind is None:
        what = f"Unable to create a compute instance on {where} using profile {shown}"
        raise _fail(context, what, "create compute instances", reason or actions.INVALID)
    made = next(each for each in _computes(context, device, instance) if each not in before)
    text = f"Successfully created compute instance ID {made.id:>2} on {where}"
    context.line(f"{text} using profile MIG {kind.name} (ID {kind.id:>2})")


def _computes(context: Context, device: Device, instance: GpuInstance) -> tuple[ComputeInstance, ...]:
    found = actions.find(context.world, device.gpu, instance.id)
    return found.compute if found else ()


def _destroy_instances(context: Context, given: Given, devices: Sequence[Device]) -> None:
    for device, instance in sorted(_parts(context, given, devices), key=lambda part: (part[0].index, part[1].id)):
        action = actions.DestroyGpuInstance(context.host, device.index, instance.id, context.identity.name)
        where = f"GPU instance ID {instance.id:>2} from GPU {device.index:>2}"
        reason = context.simulation.apply(action) if context.is_root else _DENIED
        if reason is not None:
            raise _fail(context, f"Unable to destroy {where}", "destroy GPU instances", reason)
        context.line(f"Successfully destroyed {where}")


def _destroy_computes(context: Context, given: Given, devices: Sequence[Device]) -> None:
    wanted = _numbers(context, given, "ci")
    parts = sorted(_parts(context, given, devices), key=lambda part: (part[0].index, part[1].id))
    found = [(*part, each) for part in parts for each in part[1].compute if wanted is None or each.id in wanted]
    if not found:
        raise refuse(context, "No compute instances found: Not Found", NOT_FOUND)
    for device, instance, compute in found:
        action = actions.DestroyComputeInstance(
            context.host, device.index, instance.id, compute.id, context.identity.name
        )
        where = f"compute instance ID {compute.id:>2} from GPU {device.index:>2} GPU instance ID {instance.id:>2}"
        reason = context.simulation.apply(action) if context.is_root else _DENIED
        if reason is not None:
            raise _fail(context, f"Unable to destroy {where}", "destroy compute instances", reason)
        context.line(f"Successfully destroyed {where}")


_RUN: Mapping[str, Callable[[Context, Given, Sequence[Device]], None]] = {
    "lgip": _list_profiles,
    "lgipp": _list_placements,
    "cgi": _create_instances,
    "dgi": _destroy_instances,
    "lgi": _list_instances,
    "lcip": _list_compute_kinds,
    "lcipp": _list_compute_placements,
    "cci": _create_computes,
    "dci": _destroy_computes,
    "lci": _list_compute_instances,
}
