"""The options that change a GPU: the common way, and persistence, power limit, compute mode, ECC, accounting.

Texts: captures (persistence, power limit, ECC switched, accounting mode, what is not supported) and what resource
managers look for (compute mode, ECC counts). Guesses: the texts for somebody without the right to set compute mode, ECC
and accounting, for what is already set, and for cleared accounting. Every change wants root: status 4 without. What a
GPU does not support is a warning with status 0, unless --error-on-warning asks for a status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.formats import enabled, watts
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    NO_PERMISSION,
    NOT_SUPPORTED,
    OK,
    UNKNOWN_ERROR,
    refuse,
)
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION
from engine.control import driver, service_state
from engine.kernel.actions import Action

EARLY_END = "Terminating early due to previous errors."
MOVING_ON = "Treating as warning and moving on."

_SWITCH_WORDS = {"0": False, "DISABLED": False, "1": True, "ENABLED": True}
_COUNT_WORDS = {"0": False, "VOLATILE": False, "1": True, "AGGREGATE": True}
_MODE_WORDS = {
    "0": "Default", "DEFAULT": "Default", "2": "Prohibited", "PROHIBITED": "Prohibited", "3": "Exclusive_Process",
    "EXCLUSIVE_PROCESS": "Exclusive_Process", "1": "Exclusive_Process", "EXCLUSIVE_THREAD": "Exclusive_Process",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What one option does to one GPU: the action (None: it is so already), what is said, whether the warning about
    persistence mode follows, and whether the GPU does not support it (then the text says so).
    """

    action: Action | None
    text: str
    warns: bool = False
    unsupported: bool = False
    refused: Callable[[str], str] | None = None
    """What is said when the action gives a reason against it, which is then a warning."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An option that changes a GPU. `change` reads its value, `denied` is what somebody without the right is told.

    `after` is said at the end, when something changed.
    """

    change: Callable[[Context, Device, str], Change]
    denied: str
    after: str = ""


async def apply_setting(
    context: Context, setting: Setting, value: str, devices: Sequence[Device], *, strict: bool = False
) -> int:
    """Change every one of `devices`; `strict` makes warnings errors. Raises Refused at the first that is refused."""
    changed = False
    for device in devices:
        change = setting.change(context, device, value)
        if not context.is_root:
            context.line(setting.denied.format(bus=device.bus_id))
            raise refuse(context, EARLY_END, NO_PERMISSION)
        _make(context, device, change, strict)
        changed |= change.action is not None
    context.line("All done.")
    if changed and setting.after:
        context.line(setting.after)
    return OK


def _make(context: Context, device: Device, change: Change, strict: bool) -> None:
    """Make one change and say so. Raises Refused."""
    refusal = context.simulation.apply(change.action) if change.action else None
    if refusal is not None and change.refused is None:
        context.line(f"Unable to change GPU {device.bus_id}: {refusal}")
        raise refuse(context, EARLY_END, UNKNOWN_ERROR)
    text = change.refused(refusal) if refusal is not None and change.refused else change.text
    if text:
        context.line(text)
    if change.unsupported and strict:
        raise refuse(context, EARLY_END, NOT_SUPPORTED)
    if change.unsupported:
        context.line(MOVING_ON)
    elif change.warns and refusal is None and not device.state.persistence:
        context.line(_persistence_warning(device))


def unsupported(text: str) -> Setting:
    """An option that these GPUs do not know: `text` says so, with `{bus}`."""

    def change(context: Context, device: Device, value: str) -> Change:
        return Change(None, text.format(bus=device.bus_id), unsupported=True)

    return Setting(change, text)


def _persistence_warning(device: Device) -> str:
    text = f"\nWarning: persistence mode is disabled on device {device.bus_id}. "
    text += "See the Known Issues section of the nvidia-smi(1) man page for more information. "
    return text + "Run with [--help | -h] switch to get more information on how to enable persistence mode."


def flag(context: Context, value: str, words: Mapping[str, bool] = _SWITCH_WORDS) -> bool:
    """What a word such as 0, DISABLED, 1 or ENABLED means. Raises Refused."""
    if value.upper() not in words:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return words[value.upper()]


def _persistence(context: Context, device: Device, value: str) -> Change:
    wanted = flag(context, value)
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


def _compute_mode(context: Context, device: Device, value: str) -> Change:
    mode = _MODE_WORDS.get(value.upper())
    if mode is None:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    if device.state.compute_mode == mode:
        return Change(None, f"Compute mode is already set to {mode.upper()} for GPU {device.bus_id}.")
    action = driver.SetComputeMode(context.host, device.index, mode, context.identity.name)
    return Change(action, f"Set compute mode to {mode.upper()} for GPU {device.bus_id}.")


def _ecc(context: Context, device: Device, value: str) -> Change:
    wanted = flag(context, value)
    if device.state.ecc_pending == wanted:
        return Change(None, f"ECC mode is already {enabled(wanted)} for GPU {device.bus_id}.")
    action = driver.SetEcc(context.host, device.index, wanted, context.identity.name)
    return Change(action, f"{enabled(wanted)} ECC support for GPU {device.bus_id}.")


def _ecc_reset(context: Context, device: Device, value: str) -> Change:
    aggregate = flag(context, value, _COUNT_WORDS)
    action = driver.ClearEccCounts(context.host, device.index, aggregate, context.identity.name)
    kind = "aggregate" if aggregate else "volatile"
    return Change(action, f"Reset {kind} ECC errors to zero for GPU {device.bus_id}.")


def _accounting(context: Context, device: Device, value: str) -> Change:
    wanted = flag(context, value)
    if device.state.accounting == wanted:
        return Change(None, f"Accounting Mode is already {enabled(wanted)} for GPU {device.bus_id}.")
    action = driver.SetAccounting(context.host, device.index, wanted, context.identity.name)
    return Change(action, f"{enabled(wanted)} Accounting Mode for GPU {device.bus_id}.")


def _clear_accounting(context: Context, device: Device, value: str) -> Change:
    action = driver.ClearAccounting(context.host, device.index, context.identity.name)
    return Change(action, f"Cleared Accounted PIDs for GPU {device.bus_id}.")


MODE_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "persistence": Setting(_persistence, "Unable to set persistence mode for GPU {bus}: Insufficient Permissions"),
        "power_limit": Setting(
            _power_limit, "Failed to set power management limit for GPU {bus}: Insufficient Permissions"
        ),
        "compute_mode": Setting(
            _compute_mode, "Unable to set the compute mode for GPU {bus}: Insufficient Permissions"
        ),
        "ecc": Setting(_ecc, "Unable to set the ECC mode for GPU {bus}: Insufficient Permissions", "Reboot required."),
        "ecc_reset": Setting(_ecc_reset, "Unable to reset ECC errors for GPU {bus}: Insufficient Permissions"),
        "accounting": Setting(_accounting, "Unable to set accounting mode for GPU {bus}: Insufficient Permissions"),
        "clear_accounting": Setting(
            _clear_accounting, "Unable to clear accounted PIDs for GPU {bus}: Insufficient Permissions"
        ),
    }
)
