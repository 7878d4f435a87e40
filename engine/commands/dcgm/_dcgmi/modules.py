"""`dcgmi modules`: the host engine's modules. Texts: dcgmi/Module.cpp of DCGM 4.4.2."""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Columns, Tree
from engine.control.dcgm import host_engine
from engine.control.dcgm import modules as known

SUBSYSTEM = Subsystem(
    "modules",
    "shows the host engine's modules, and keeps some from being loaded.",
    (HOST, JSON),
    (
        Argument("l", "list", None, "show all modules"),
        Argument("", "denylist", "Name", "never load a module"),
    ),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for a module that there is not."""
    if "denylist" in parsed:
        _module(parsed.text("denylist"))


def _module(name: str) -> int:
    """The number of a module given by number or name. Raises Ended."""
    lower = [each.lower() for each in known.NAMES]
    if name.isdecimal() and int(name) < len(lower):
        return int(name)
    if name.lower() in lower:
        return lower.index(name.lower())
    listed = ", ".join(f"{each} ({number})" for number, each in enumerate(known.NAMES))
    raise refusal(f"Module has to be one of: {listed}")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if "denylist" in parsed:
        return _deny(client, _module(parsed.text("denylist")), "json" in parsed)
    table = Columns(((11, "Module ID"), (20, "Name"), (50, "State")))
    table.headers = ["List Modules", "Status: Success"]
    for number, name in enumerate(known.listed(client.world)):
        table.add(str(number), name, known.shown(client.world, client.host, number).value)
    client.ctx.write(table.json() if "json" in parsed else table.text())
    return OK


def _deny(client: Client, number: int, json: bool) -> int:
    tree, name = Tree(30, 50), known.NAMES[number]
    tree.headers = ["Denylist Module"]
    in_time = number not in (known.CORE, known.NVSWITCH)
    done = in_time and client.ctx.simulation.apply(host_engine.DenyModule(client.host, number))
    if done:
        tree.headers += ["Status: Success", f"Successfully added module to the denylist {name}"]
    else:
        tree.headers += ["Status: Failure", f"Could not add module to the denylist {name}"]
        tree.at("Return").value = Return.IN_USE.text
    client.ctx.write(tree.json() if json else tree.text())
    return OK if done else Return.IN_USE.status
