"""MIG mode, and the options that no data-centre GPU of these supports. All settings by their keys are in SETTINGS.

Texts: captures of MIG mode switched, pending for a client and not supported (status 0, `Treating as warning`). Those of
the other options are made after the last one and a driver model's (`Unable to ...: Not Supported`): guesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.formats import enabled
from engine.commands.gpu._nvidia_smi.settings import MODE_SETTINGS, Change, Setting, flag, unsupported
from engine.commands.gpu._nvidia_smi.settings_clocks import CLOCK_SETTINGS
from engine.control.mig import actions
from engine.control.mig.profiles import profiles

_IN_USE = (
    " is currently being used by one or more other processes (e.g. CUDA application or a monitoring application such as"
    " another instance of nvidia-smi). Please first kill all processes using the device and retry the command or reboot"
    " the system to make MIG mode effective."
)


def _mig(context: Context, device: Device, value: str) -> Change:
    wanted = flag(context, value)
    verb = "enable" if wanted else "disable"
    if not profiles(device.product):
        return Change(None, f"Unable to {verb} MIG Mode for GPU {device.bus_id}: Not Supported", unsupported=True)
    action = actions.SetMigMode(context.host, device.index, wanted, context.identity.name)

    def pending(reason: str) -> str:
        first = f"Warning: MIG mode is in pending {verb} state for GPU {device.bus_id}:{reason}"
        return f"{first}\n{device.bus_id}{_IN_USE}"

    return Change(action, f"{enabled(wanted)} MIG Mode for GPU {device.bus_id}", warns=wanted, refused=pending)


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        **MODE_SETTINGS,
        **CLOCK_SETTINGS,
        "mig": Setting(_mig, "Unable to change MIG Mode for GPU {bus}: Insufficient Permissions"),
        "gom": unsupported("Unable to set GPU operation mode for GPU {bus}: Not Supported"),
        "virtualization": unsupported("Unable to set virtualization mode for GPU {bus}: Not Supported"),
        "auto_boost": unsupported("Unable to set auto boost default for GPU {bus}: Not Supported"),
        "auto_boost_right": unsupported("Unable to set auto boost permission for GPU {bus}: Not Supported"),
        "target_temperature": unsupported("Unable to set GPU target temperature for GPU {bus}: Not Supported"),
        "dram_encryption": unsupported("Unable to set DRAM encryption mode for GPU {bus}: Not Supported"),
    }
)
"""By the key of the option."""
