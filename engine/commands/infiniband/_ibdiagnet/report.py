"""ibdiagnet's head, summary and files.

Head: a console of ibutils2 2.1.1; summary: a run of 2.x. Files: the log repeats the stages, .lst has a line for each
link end, .pm the error counters of each port, .ibnetdiscover the topology as ibnetdiscover prints it; forms of .lst and
.pm from memory of ibutils (guess).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags.discovery import Node, Port
from engine.commands.infiniband._diags.topology import body, heading
from engine.commands.infiniband._ibdiagnet import survey
from engine.commands.infiniband._ibdiagnet.survey import COUNTER_NAMES, SPEEDS, Stage
from engine.hostfs.tree import FileError

RULE = "-" * 45
HEAD = """\
Running: ibdiagnet
----------
Load Plugins from:
/usr/share/ibdiagnet2.1.1/plugins/
(You can specify more paths to be looked in with "IBDIAGNET_PLUGINS_PATH" env variable)

Plugin Name                                   Result     Comment
libibdiagnet_cable_diag_plugin                Succeeded  Plugin loaded
libibdiagnet_phy_diag_plugin                  Succeeded  Plugin loaded

"""
_ROW = "-I- {:<25} {:<10} {:<10} {}"
_FILES = (
    ("LST file", "lst"), ("Ports Counters file", "pm"), ("IBNetDiscover file", "ibnetdiscover"),
)  # fmt: skip


def summary(stages: list[Stage]) -> str:
    """The table of all stages."""
    lines = [RULE, "Summary", _ROW.format("Stage", "Warnings", "Errors", "Comment")]
    lines += [_ROW.format(each.name, each.warnings, each.errors, each.comment).rstrip() for each in stages]
    return "\n".join([*lines, "", ""])


def write_files(
    context: Context, directory: str, nodes: list[Node], stages: list[Stage], closing: str
) -> Iterator[str]:
    """Write the files; gives the lines that tell of them."""
    log = "\n".join("\n".join([RULE, stage.name, *stage.lines, ""]) for stage in stages)
    texts = {
        "log": f"{HEAD}{log}\n{closing}",
        "lst": "".join(f"{line}\n" for line in _ends(nodes)),
        "pm": "".join(_counters(context, nodes)),
        "ibnetdiscover": "".join(f"{line}\n" for line in _topology(context, nodes)),
    }
    try:
        if not context.files.exists(directory):
            context.files.make_directory(directory, True)
        for name, text in texts.items():
            context.files.write(f"{directory}/ibdiagnet2.{name}", text.encode())
    except FileError:
        yield f"-E- Failed to open file in {directory} for writing."
        return
    yield f"-I- You can find detailed errors/warnings in: {directory}/ibdiagnet2.log\n"
    for title, name in _FILES:
        yield f"-I- {title:<26}: {directory}/ibdiagnet2.{name}"


def _topology(context: Context, nodes: list[Node]) -> Iterator[str]:
    yield from heading(nodes, context.inventory.timezone, context.epoch, False)
    yield from body(nodes)


def _ends(nodes: list[Node]) -> Iterator[str]:
    for near, far in survey.each_link(nodes):
        speed = SPEEDS[near.generation.name]
        state = "ACT" if near.state is far.state else "INI"
        yield f"{_end(near)} {_end(far)} PHY={near.lanes}x LOG={state} SPD={speed}"


def _end(port: Port) -> str:
    node = port.node
    kind = "SW" if node.is_switch else "CA"
    guids = f"SystemGUID:{node.system_guid:016x} NodeGUID:{node.guid:016x} PortGUID:{node.port_guid:016x}"
    vendor = f"VenID:{node.vendor:08X} DevID:{node.part:04X} Rev:00000000"
    place = f"{{{node.description}}} LID:{node.lid:04x} PN:{port.number:02X}"
    return f"{{ {kind} Ports:{node.port_count:02x} {guids} {vendor} {place} }}"


def _counters(context: Context, nodes: list[Node]) -> Iterator[str]:
    found = survey.counters(context.world, nodes, context.now)
    for node in nodes:
        for port in (port for port in node.ports if port.far is not None):
            head = f"Port={port.number} Lid=0x{port.lid:04x} GUID=0x{port.guid:016x} Device={node.part}"
            yield f"{'-' * 55}\n{head} Port Name={survey.port_name(port)}\n{'-' * 55}\n"
            for ours, theirs in COUNTER_NAMES.items():
                yield f"{theirs}={found[port.id][ours]:#x}\n"
