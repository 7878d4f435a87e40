"""mlxfwmanager of MFT 4.30: the firmware of all cards, and updating it from image files.

Texts: mlxfwmanager.cpp of mstflint; captures of a query and of an update of two ConnectX-7. Without images it finds no
match; `-D DIRECTORY` and `-i FILE` give it some. Its online services are out of reach of the cluster.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices, images
from engine.commands.mellanox._mft.arguments import Refused, Words, read
from engine.commands.mellanox._mft.asking import agreed, answer
from engine.commands.options import Option
from engine.control.adapter_firmware import BurnImage, flash_version
from engine.kernel.units import SECOND
from engine.world.inventory import Hca

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "dev", "DEVICE", help="one device"),
    Option("u", "update", help="update the firmware"),
    Option("f", "force", help="write the same or an older version, too"),
    Option("y", "yes", help="ask nothing"),
    Option("i", "image-file", "FILE", help="an image file"),
    Option("D", "image-dir", "DIRECTORY", help="a directory with image files"),
    Option(None, "query", help="show versions"),
    Option(None, "query-format", "FORMAT", help="(not modelled) XML or text"),
    Option("l", "list-content", help="(not modelled) what an image holds"),
    Option(None, "online", help="ask NVIDIA's servers"),
    Option(None, "clear-semaphore", help="(not modelled)"),
    Option(None, "archive-names", help="(not modelled)"),
)
_NOT_MODELLED = tuple(each.long or "" for each in _OPTIONS if each.help.startswith("(not modelled)"))
_QUERYING, _BURNING = 2 * SECOND, 45 * SECOND


async def run(context: Context) -> int:
    """Query, and update what has something newer."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        context.error(f"-E- Unknown option: {refused}")
        return 1
    if "help" in words:
        context.write(_USAGE)
        return 0
    if "version" in words:
        version = context.inventory.software.get("mft", "4.30.1")
        context.line(f"mlxfwmanager, mft {version}-139, built on Nov 20 2024, 10:48:51. Git SHA Hash: N/A")
        return 0
    for name in _NOT_MODELLED:
        if name in words:
            return context.not_modelled(f"mlxfwmanager --{name}")
    if "online" in words:
        context.line("-E- Failed to connect to server: Could not resolve host: www.mellanox.com")
        return 1
    found = _found(context, words)
    if not found:
        context.line("-E- No devices found or specified, mst might be stopped, run 'mst start' to load MST modules")
        return 1
    context.line("Querying Mellanox devices firmware ...\n")
    await context.sleep(_QUERYING)
    offers = [(hca, name, _offer(context, words, hca)) for hca, name in found]
    for number, (hca, name, offer) in enumerate(offers, 1):
        _describe(context, number, hca, name, offer)
    if "update" not in words:
        return 0
    return await _update(context, words, offers)


def _found(context: Context, words: Words) -> list[tuple[Hca, str]]:
    if "dev" in words:
        hca = devices.opened(context, words["dev"])
        return [(hca, words["dev"])] if hca else []
    if not context.is_root:
        return []
    cards = devices.first_functions(context)
    running = devices.started(context)
    return [(hca, devices.path(context, hca) if running else hca.address) for hca in cards]


def _offer(context: Context, words: Words, hca: Hca) -> str | None:
    """The version that the given images have for a card."""
    own = images.image_file(context, hca)
    folder = words["image-dir"].rstrip("/")
    if folder and (folder if folder.startswith("/") else f"{context.directory}/{folder}") == images.PLACE:
        return images.version_in(context, hca, own)
    return images.version_in(context, hca, words["image-file"]) if words["image-file"] else None


def _describe(context: Context, number: int, hca: Hca, name: str, offer: str | None) -> None:
    card, first = devices.printed(hca), context.inventory.hca(hca.id)
    current = flash_version(context.world, hca)
    context.line(f"Device #{number}:\n----------\n")
    for label, value in (
        ("Device Type:", devices.chip(hca)), ("Part Number:", card.part), ("Description:", card.description),
        ("PSID:", hca.board_id), ("PCI Device Name:", name), ("Base GUID:", f"{first.guid:016x}"),
        ("Base MAC:", first.mac.replace(":", "")), ("Versions:", f"{'Current':<15}{'Available':<14}"),
        ("   FW", f"{current:<15}{offer or 'N/A':<14}"),
        ("   PXE", f"{'3.7.0500':<15}{'3.7.0500' if offer else 'N/A':<14}"),
        ("   UEFI", f"{'14.37.0014':<15}{'14.37.0014' if offer else 'N/A':<14}"),
    ):  # fmt: skip
        context.line(f"  {label:<18}{value}")
    if offer is None:
        status = "No matching image found"
    else:
        status = "Up to date" if offer == current else "Update required"
    context.line(f"\n  {'Status:':<18}{status}\n")


async def _update(context: Context, words: Words, offers: list[tuple[Hca, str, str | None]]) -> int:
    wanted = [
        (number, hca, offer)
        for number, (hca, _, offer) in enumerate(offers, 1)
        if offer and ("force" in words or offer != flash_version(context.world, hca))
    ]
    context.line(f"---------\nFound {len(wanted)} device(s) requiring firmware update...\n")
    if not wanted:
        return 0
    said = await answer(context, "Perform FW update? [y/N]: ", assumed="y" if "yes" in words else None)
    if not agreed(said):
        return 1
    for number, hca, offer in wanted:
        context.line(f"Device #{number}: Updating FW ...     \nFSMST_INITIALIZE -   OK          ")
        await context.sleep(_BURNING)
        context.line("Writing Boot image component -   OK          \nDone")
        context.simulation.apply(BurnImage(hca.id, offer))
    context.line("\nRestart needed for updates to take effect.")
    return 0


_USAGE = """\
Usage: mlxfwmanager [-d DEVICE] [-u] [-f] [-y] [-i FILE | -D DIRECTORY] [--query]

    -d|--dev DEVICE           one device
    -u|--update               write newer firmware to the cards
    -i|--image-file FILE      an image file
    -D|--image-dir DIRECTORY  a directory with image files
    -f|--force                write the same or an older version, too
    -y|--yes                  ask nothing
"""
COMMAND = Command(
    "mlxfwmanager",
    "show and update the firmware of network cards",
    run,
    synopsis="mlxfwmanager [-d DEVICE] [-u] [-i FILE | -D DIRECTORY]",
    options=_OPTIONS,
    manual=f"Images for this machine's cards lie in {images.PLACE}; the tool finds them with -D.\n"
    "What it has written runs after mlxfwreset or a restart.",
)
