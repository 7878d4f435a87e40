"""The options that set clocks: -lgc, -rgc, -lmc, -rmc, -ac, -rac, and those that no data-centre GPU of these knows.

Texts: captures for both clocks locked, applications clocks and a pair of them that there is not, and for applications
clocks on boards without them, which is what drivers from 590 on are taken to say of all boards (they tell these clocks
no longer; a guess). That -lmc takes any clocks and does nothing else on a board with one memory clock follows from
reports of it (`smiles at you and does nothing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.csv_query import supported_graphics_clocks
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields_running import APPLICATIONS_CLOCKS_UNTIL
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, refuse
from engine.commands.gpu._nvidia_smi.settings import Change, Setting, unsupported
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION
from engine.control import driver


def _pair(context: Context, value: str) -> tuple[int, int]:
    """Two clocks with a comma, or one for both. Raises Refused."""
    low, comma, high = value.partition(",")
    high = high if comma else low
    if not low.isdecimal() or not high.isdecimal() or len(value) > 11:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return int(low), int(high)


def _lock_clocks(context: Context, device: Device, value: str) -> Change:
    low, high = _pair(context, value)
    action = driver.LockClocks(context.host, device.index, low, high, context.identity.name)
    text = f'GPU clocks set to "(gpuClkMin {low}, gpuClkMax {high})" for GPU {device.bus_id}'
    return Change(action, text, warns=True)


def _reset_clocks(context: Context, device: Device, value: str) -> Change:
    return Change(driver.ResetClocks(context.host, device.index, context.identity.name), "")


def _lock_memory(context: Context, device: Device, value: str) -> Change:
    low, high = _pair(context, value)
    action = driver.LockMemoryClocks(context.host, device.index, low, high, context.identity.name)
    text = f'Memory clocks set to "(memClkMin {low}, memClkMax {high})" for GPU {device.bus_id}'
    return Change(action, text, warns=True)


def _reset_memory(context: Context, device: Device, value: str) -> Change:
    return Change(driver.ResetMemoryClocks(context.host, device.index, context.identity.name), "")


def _applications(context: Context, device: Device, value: str) -> Change:
    memory, graphics = _pair(context, value)
    if device.release >= APPLICATIONS_CLOCKS_UNTIL:
        return _no_applications(device)
    if memory != device.product.clock_memory or graphics not in supported_graphics_clocks(device):
        text = f'Specified clock combination "(MEM {memory}, SM {graphics})" is not supported for GPU {device.bus_id}. '
        text += "Run 'nvidia-smi -q -d SUPPORTED_CLOCKS' to see list of supported clock combinations"
        return Change(None, text, unsupported=True)
    action = driver.SetApplicationClock(context.host, device.index, graphics, context.identity.name)
    text = f'Applications clocks set to "(MEM {memory}, SM {graphics})" for GPU {device.bus_id}'
    return Change(action, text, warns=True)


def _reset_applications(context: Context, device: Device, value: str) -> Change:
    if device.release >= APPLICATIONS_CLOCKS_UNTIL:
        return _no_applications(device)
    return Change(driver.SetApplicationClock(context.host, device.index, None, context.identity.name), "")


def _no_applications(device: Device) -> Change:
    text = f"Setting applications clocks is not supported for GPU {device.bus_id}."
    return Change(None, text, unsupported=True)


_DENIED = "The current user does not have permission to change clocks for GPU {bus}."

CLOCK_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "lock_clocks": Setting(_lock_clocks, _DENIED),
        "reset_clocks": Setting(_reset_clocks, _DENIED),
        "lock_memory": Setting(_lock_memory, _DENIED),
        "reset_memory": Setting(_reset_memory, _DENIED),
        "applications": Setting(_applications, _DENIED),
        "reset_applications": Setting(_reset_applications, _DENIED),
        "lock_deferred": unsupported("Setting deferred locked Memory clocks is not supported for GPU {bus}."),
        "reset_deferred": unsupported("Resetting deferred locked Memory clocks is not supported for GPU {bus}."),
        "cuda_clocks": unsupported("Setting CUDA clocks is not supported for GPU {bus}."),
    }
)
