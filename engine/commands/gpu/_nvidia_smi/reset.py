"""`nvidia-smi -r`: resetting GPUs. Texts: captures of success and of the refusal while somebody has the GPU open.

Guesses: the text for somebody without the right, and the time that a reset takes. A GPU that refuses makes it 255.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, NO_PERMISSION, OK, UNKNOWN_ERROR, Refused, refuse
from engine.commands.gpu._nvidia_smi.settings import EARLY_END
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION
from engine.control import driver
from engine.kernel.units import SECOND

RESET_TAKES = 3 * SECOND


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
