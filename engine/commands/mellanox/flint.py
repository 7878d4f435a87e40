"""flint of MFT 4.30: queries, checks and burns the firmware on a card's flash.

Texts: flint's subcommands.cpp of mstflint, a query of a ConnectX-7 in a public text. The version on the flash stands
first; `FW Version(Running)` is shown while another one runs. `sg` writes a base GUID, of which `query` then shows the
card's own as well (`Orig Base GUID`); setting MAC addresses is not modelled.
"""

from __future__ import annotations

import re

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices, images
from engine.commands.mellanox._mft.arguments import Refused, Words, read
from engine.commands.mellanox._mft.asking import agreed, answer
from engine.commands.options import Option
from engine.control.adapter_firmware import (
    BurnImage,
    WriteGuid,
    flash_guid,
    flash_version,
    own_guid,
    running_version,
)
from engine.kernel.units import SECOND
from engine.world.inventory import Hca

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "device", "DEVICE", help="the device"),
    Option("i", "image", "FILE", help="an image file"),
    Option("y", "yes", help="ask nothing"),
    Option(None, "qq", help="a quick query"),
    Option(None, "guid", "GUID", help="a base GUID, for sg"),
    Option(None, "mac", "MAC", help="(not modelled) a base MAC address, for sg"),
    Option(None, "uid", "UID", help="(not modelled) a base for both, for sg"),
    Option(None, "allow_psid_change", help="(not modelled) burn an image for another card"),
)
_QUERY, _VERIFY, _BURN, _SET_GUID = ("q", "query"), ("v", "verify"), ("b", "burn"), "sg"
_ONE_DASH = ("-guid", "-mac", "-uid", "-qq", "-yes", "-device", "-image")
_RELEASED = "27.11.2024"
_BURNING = 45 * SECOND


async def run(context: Context) -> int:
    """One of flint's commands on a device."""
    try:
        words = read([f"-{word}" if word in _ONE_DASH else word for word in context.arguments], _OPTIONS)
    except Refused as refused:
        return _fail(context, f"Unknown Flag: {refused}")
    if "help" in words:
        context.write(_USAGE)
        return 0
    if "version" in words:
        version = context.inventory.software.get("mft", "4.30.1")
        context.line(f"flint, mft {version}-139, built on Nov 20 2024, 10:48:51. Git SHA Hash: N/A")
        return 0
    verb = words.operands[0] if words.operands else ""
    if verb not in (*_QUERY, *_VERIFY, *_BURN, _SET_GUID):
        return context.not_modelled(f"flint {verb}") if verb else _fail(context, "Missing command.")
    if "allow_psid_change" in words:
        return context.not_modelled("flint --allow_psid_change")
    if "device" not in words:
        return (
            context.not_modelled("flint on image files alone")
            if "image" in words
            else _fail(context, "For this command device must be specified.")
        )
    hca = devices.opened(context, words["device"])
    if hca is None:
        return _fail(context, f"Cannot open Device: {words['device']}. {devices.trouble(context, words['device'])}.")
    if verb == _SET_GUID:
        return _set_guid(context, words, hca)
    if verb in _QUERY:
        return _query(context, hca, full="full" in words.operands)
    return await (_verify(context) if verb in _VERIFY else _burn(context, words, hca))


def _query(context: Context, hca: Hca, full: bool) -> int:
    world, flash, running = context.world, flash_version(context.world, hca), running_version(context.world, hca)
    card = devices.printed(hca)
    rows = [("Image type:", "FS4"), ("FW Version:", flash)]
    rows += [("FW Version(Running):", running)] if running != flash else []
    rows.append(("FW Release Date:", _RELEASED))
    if full:
        rows += [("Part Number:", card.part), ("Description:", card.description)]
    rows += [
        ("Product Version:", flash),
        ("Rom Info:", "type=UEFI version=14.37.14 cpu=AMD64,AARCH64"),
        ("", "type=PXE version=3.7.500 cpu=AMD64"),
    ]
    rows += [("Device ID:", str(devices.chip_number(hca)))] if full else []
    mac, guid, own = world.inventory.hca(hca.id).mac.replace(":", ""), flash_guid(world, hca), own_guid(world, hca)
    rows += [("Description:", "UID                GuidsNumber"), ("Base GUID:", f"{guid:016x}        4")]
    rows += [("Orig Base GUID:", f"{own:016x}        4")] if guid != own else []
    rows += [("Base MAC:", f"{mac}            4"), ("Image VSD:", "N/A"), ("Device VSD:", "N/A")]
    rows += [("PSID:", hca.board_id), ("Security Attributes:", "secure-fw")]
    for label, value in rows:
        context.line(f"{label:<23}{value}")
    return 0


def _set_guid(context: Context, words: Words, hca: Hca) -> int:
    """`sg` (subcommands.cpp: SgSubCommand): the GUID waits on the flash for a reset."""
    for lacking in ("mac", "uid"):
        if lacking in words:
            return context.not_modelled(f"flint -{lacking}")
    if "guid" not in words:
        return _fail(context, "Can not set GUIDs/MACs: please run with -uid/-guid/-mac flag.")
    text = words["guid"].lower().removeprefix("0x").replace(":", "")
    if not re.fullmatch(r"[0-9a-f]{1,16}", text) or not int(text, 16):
        return _fail(context, f"Invalid Guid/Mac/Uid syntax ({words['guid']})  ")
    context.simulation.apply(WriteGuid(hca.id, int(text, 16)))
    context.line("-I- To load new configuration run mlxfwreset or reboot machine")
    return 0


async def _verify(context: Context) -> int:
    context.line("\nFS4 failsafe image")
    await context.sleep(5 * SECOND)
    context.line("\n-I- FW image verification succeeded. Image is bootable.\n")
    return 0


async def _burn(context: Context, words: Words, hca: Hca) -> int:
    name = words["image"]
    if not name:
        return _fail(context, "For this command image must be specified.")
    version = images.version_in(context, hca, name)
    if version is None:
        fits = images.exists(context, name)
        why = "PSID mismatch." if fits else f"Can not open {name}. No such file or directory"
        return _fail(context, why)
    old = flash_version(context.world, hca)
    context.line(f"\n    Current FW version on flash:  {old}\n    New FW version:               {version}\n")
    if old == version:
        context.line("\n    Note: The new FW version is the same as the current FW version on flash.\n")
        said = await answer(context, "Do you want to continue ? (y/n) [n] : ", assumed="y" if "yes" in words else None)
        if not agreed(said):
            context.line("-E- Aborted by user")
            return 1
    context.line("FSMST_INITIALIZE -   OK          ")
    await context.sleep(_BURNING)
    context.line("Writing Boot image component -   OK          ")
    context.simulation.apply(BurnImage(hca.id, version))
    context.line("-I- To load new FW run mlxfwreset or reboot machine.")
    return 0


def _fail(context: Context, text: str) -> int:
    context.line(f"-E- {text}")
    return 1


_USAGE = """\
FLINT - Flash Interface

    flint -d DEVICE query [full] | verify
    flint -d DEVICE -i IMAGE burn
    flint -d DEVICE -guid GUID sg

    -d DEVICE    the device: /dev/mst/mt4129_pciconf0, mlx5_0, 18:00.0
    -i IMAGE     an image file
    -guid GUID   a base GUID
    -y           ask nothing
"""
COMMAND = Command(
    "flint",
    "query, check and burn the firmware of a network card",
    run,
    synopsis="flint -d DEVICE [-i IMAGE] [-guid GUID] {query [full] | verify | burn | sg}",
    options=_OPTIONS,
    manual=f"Images for this machine's cards lie in {images.PLACE}.\n"
    "A burnt image runs after mlxfwreset or a restart; until then query shows FW Version(Running) as well. sg writes\n"
    "a base GUID, which counts after mlxfwreset or a restart too; query then shows the card's own as Orig Base GUID.",
)
