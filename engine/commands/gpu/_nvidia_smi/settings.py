"""The options that change a GPU: persistence, power limit, clocks, compute mode, ECC, reset.

Texts: captures (persistence, power limit, clocks, reset and its refusal, ECC switched) and what resource managers look
for (compute mode). Guesses: the texts for somebody without the right to set compute mode and ECC, for ECC that is
already set, and the time that a reset takes. Every change wants root; status 4 without, 255 for a refused reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.formats import enabled, watts
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, NO_PERMISSION, OK, UNKNOWN_ERROR, Refused, refuse
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION
from engine.control import driver, service_state
from engine.kernel.actions import Action
from engine.kernel.units import SECOND

EARLY_END = "Terminating early due to previous errors."
RESET_TAKES = 3 * SECOND

_SWITCH_WORDS = {"0": False, "DISABLED": False, "1": True, "ENABLED": True}
_MODE_WORDS = {
    "0": "Default", "DEFAULT": "Default", "2": "Prohibited", "PROHIBITED": "Prohibited", "3": "Exclusive_Process",
    "EXCLUSIVE_PROCESS": "Exclusive_Process", "1": "Exclusive_Process", "EXCLUSIVE_THREAD": "Exclusive_Process",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What one option does to one GPU: the action (None: it is so already), what is said, whether a warning follows."""

    action: Action | None
    text: str
    warns: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """An option that changes a GPU. `change` reads its value, `denied` is what somebody without the right is told.

    `after` is said at the end, when something changed.
    """

    change: Callable[[Context, Device, str], Change]
    denied: str
    after: str = ""


async def apply_setting(context: Context, setting: Setting, value: str, devices: Sequence[Device]) -> int:
    """Change every one of `devices`. Raises Refused at the first that is refused."""
    changed = False
    for device in devices:
        change = setting.change(context, device, value)
        if not context.is_root:
            context.line(setting.denied.format(bus=device.bus_id))
            raise refuse(context, EARLY_END, NO_PERMISSION)
        refusal = context.simulation.apply(change.action) if change.action else None
        if refusal is not None:
            context.line(f"Unable to change GPU {device.bus_id}: {refusal}")
            raise refuse(context, EARLY_END, UNKNOWN_ERROR)
        if change.text:
            context.line(change.text)
        if change.warns and not device.state.persistence:
            context.line(_persistence_warning(device))
        changed |= change.action is not None
    context.line("All done.")
    if changed and setting.after:
        context.line(setting.after)
    return OK


def _persistence_warning(device: Device) -> str:
    text = f"\nWarning: persistence mode is disabled on device {device.bus_id}. "
    text += "See the Known Issues section of the nvidia-smi(1) man page for more information. "
    return text + "Run with [--help | -h] switch to get more information on how to enable persistence mode."


def _flag(context: Context, value: str) -> bool:
    if value.upper() not in _SWITCH_WORDS:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return _SWITCH_WORDS[value.upper()]


def _persistence(context: Context, device: Device, value: str) -> Change:
    wanted = _flag(context, value)
    if device.state.persistence == wanted:
        return Change(None, f"Persistence mode is already {enabled(wanted)} for GPU {device.bus_id}.")
    daemon = service_state.is_active(context.world, context.host, driver.PERSISTENCE_DAEMON)
    legacy = "" if daemon or not wanted else "Legacy "
    action = driver.SetPersistence(context.host, device.index, wanted, context.identity.name)
    return Change(action, f"{enabled(wanted)} {legacy}persistence mode for GPU {device.bus_id}.")


def _power_limit(context: Context, device: Device, value: str) -> Change:
    limit = _milliwatts(context, value)
    lowest, highest = device.product.power_limit_min, device.product.power_limit
    if not lowest <= limit <= highest:
        text = f"Provided power limit {watts(limit)} W is not a valid power limit which should be between "
        context.line(f"{text}{watts(lowest)} W and {watts(highest)} W for GPU {device.bus_id}")
        raise refuse(context, EARLY_END, INVALID_ARGUMENT)
    action = driver.SetPowerLimit(context.host, device.index, limit, context.identity.name)
    text = f"Power limit for GPU {device.bus_id} was set to {watts(limit)} W from {watts(device.state.power_limit)} W."
    return Change(action, text, warns=True)


def _milliwatts(context: Context, value: str) -> int:
    whole, _, fraction = value.partition(".")
    if not whole.isdecimal() or (fraction and not fraction.isdecimal()) or len(value) > 9:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return int(whole) * 1000 + int(f"{fraction:0<3}"[:3])


def _lock_clocks(context: Context, device: Device, value: str) -> Change:
    low, comma, high = value.partition(",")
    high = high if comma else low
    if not low.isdecimal() or not high.isdecimal() or len(value) > 11:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    action = driver.LockClocks(context.host, device.index, int(low), int(high), context.identity.name)
    text = f'GPU clocks set to "(gpuClkMin {int(low)}, gpuClkMax {int(high)})" for GPU {device.bus_id}'
    return Change(action, text, warns=True)


def _reset_clocks(context: Context, device: Device, value: str) -> Change:
    return Change(driver.ResetClocks(context.host, device.index, context.identity.name), "")


def _compute_mode(context: Context, device: Device, value: str) -> Change:
    mode = _MODE_WORDS.get(value.upper())
    if mode is None:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    if device.state.compute_mode == mode:
        return Change(None, f"Compute mode is already set to {mode.upper()} for GPU {device.bus_id}.")
    action = driver.SetComputeMode(context.host, device.index, mode, context.identity.name)
    return Change(action, f"Set compute mode to {mode.upper()} for GPU {device.bus_id}.")


def _ecc(context: Context, device: Device, value: str) -> Change:
    wanted = _flag(context, value)
    if device.state.ecc_pending == wanted:
        return Change(None, f"ECC mode is already {enabled(wanted)} for GPU {device.bus_id}.")
    action = driver.SetEcc(context.host, device.index, wanted, context.identity.name)
    return Change(action, f"{enabled(wanted)} ECC support for GPU {device.bus_id}.")


_CLOCKS_DENIED = "The current user does not have permission to change clocks for GPU {bus}."

SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "persistence": Setting(_persistence, "Unable to set persistence mode for GPU {bus}: Insufficient Permissions"),
        "power_limit": Setting(
            _power_limit, "Failed to set power management limit for GPU {bus}: Insufficient Permissions"
        ),
        "lock_clocks": Setting(_lock_clocks, _CLOCKS_DENIED),
        "reset_clocks": Setting(_reset_clocks, _CLOCKS_DENIED),
        "compute_mode": Setting(
            _compute_mode, "Unable to set the compute mode for GPU {bus}: Insufficient Permissions"
        ),
        "ecc": Setting(_ecc, "Unable to set the ECC mode for GPU {bus}: Insufficient Permissions", "Reboot required."),
    }
)


async def reset(context: Context, kind: str, devices: Sequence[Device]) -> int:
    """Reset every one of `devices`; those that are in use are named at the end. Raises Refused."""
    if kind not in ("", "bus"):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    if not context.is_root:
        context.line(f"Unable to reset GPU {devices[0].bus_id}: Insufficient Permissions")
        raise refuse(context, EARLY_END, NO_PERMISSION)
    refused: list[tuple[Device, str]] = []
    for device in devices:
        refusal = context.simulation.apply(driver.ResetGpu(context.host, device.index, context.identity.name))
        if refusal is not None:
            refused.append((device, refusal))
            continue
        await context.sleep(RESET_TAKES)
        context.line(f"GPU {device.bus_id} was successfully reset.")
    if refused:
        context.line("The following GPUs could not be reset:")
        for device, refusal in refused:
            context.line(f"  GPU {device.bus_id}: {refusal}")
        if any(refusal == driver.IN_USE for _, refusal in refused):
            context.line(_busy_paragraph(sum(refusal == driver.IN_USE for _, refusal in refused)))
        raise Refused(UNKNOWN_ERROR)
    context.line("All done.")
    return OK


def _busy_paragraph(count: int) -> str:
    one = count == 1
    text = f"\n{count} {'device is' if one else 'devices are'} currently being used by one or more other processes "
    text += "(e.g., Fabric Manager, CUDA application, graphics application such as an X server, or a monitoring "
    text += "application such as another instance of nvidia-smi). Please first kill all processes using "
    return text + f"{'this device' if one else 'these devices'} and all compute applications running in the system."
