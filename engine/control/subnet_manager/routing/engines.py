"""Which routing engine makes the tables: the list of opensm's option `-R` (`routing_engine` in opensm.conf), tried in
its order, and minhop when all of them fail.

updn fails where it finds no roots, ftree where the fabric is no fat tree, file where its file cannot be read; without
one it does as minhop. minhop never fails. Lines for the log are
opensm 3.3.23's, without time and level. A root file (`-a`, `root_guid_file`) serves both updn and ftree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.control.subnet_manager.routing.candidates import minhop_candidates, updn_candidates
from engine.control.subnet_manager.routing.fabric import Fabric
from engine.control.subnet_manager.routing.from_file import TablesFile, tables_of_file
from engine.control.subnet_manager.routing.plain import balanced_tables
from engine.kernel.errors import BreakfixError
from engine.kernel.names import alternatives

Tables = Mapping[int, bytes]
"""Forwarding tables by the GUIDs of the switches: out port by LID."""

MODELLED = ("minhop", "updn", "ftree", "file")
NOT_MODELLED = ("dnup", "lash", "dor", "torus-2QoS", "nue", "dfsssp", "sssp")
_NO_FALLBACK = "no_fallback"
_PLAIN_WORK = 60_000
"""Up to how many table entries plain Python is quicker than loading numpy."""


@dataclass(frozen=True, slots=True)
class EngineOrder:
    """Engines in the order in which they are tried; whether minhop stands in when all fail; what opensm says at its
    start about names that it doesn't know.
    """

    engines: tuple[str, ...] = ()
    fallback: bool = True
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Routing:
    """Tables, the engine that made them, and what opensm writes about it. Without an engine (`no_fallback`) the
    switches keep the tables that they have.
    """

    engine: str | None
    tables: Tables
    lines: tuple[str, ...]


def engine_order(text: str) -> EngineOrder:
    """What `-R` or `routing_engine` asks for. Raises BreakfixError for an engine that opensm has and breakfix does
    not.
    """
    names = [name for name in re.split(r"[, \t\n]+", text) if name and name != "(null)"]
    for name in names:
        if name in NOT_MODELLED:
            hint = f"modelled are {alternatives(MODELLED)}"
            raise BreakfixError(f"the routing engine {name} is not modelled", hint)
    lines = []
    for name in names:
        if name not in (*MODELLED, "none", _NO_FALLBACK):
            lines.append(f"setup_routing_engine: cannot find or setup routing engine '{name}'")
        if name not in MODELLED:
            lines.append(f"setup_routing_engines: Failed to setup routing engine '{name}'")
    return EngineOrder(tuple(name for name in names if name in MODELLED), _NO_FALLBACK not in names, tuple(lines))


def root_guids(text: str) -> tuple[int, ...]:
    """The GUIDs of a root file: one a line, `#` begins a comment. Raises BreakfixError at a line that opensm cannot
    read.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            found.append(int(words[0], 0))
        except ValueError:
            raise BreakfixError(f"line {number} of the root file must begin with a GUID, found {words[0]}") from None
    return tuple(found)


def route(
    fabric: Fabric,
    order: EngineOrder = EngineOrder(),
    *,
    roots: Sequence[int] | None = None,
    previous: Tables | None = None,
    dumped: TablesFile | None = None,
) -> Routing:
    """Tables for a fabric.

    `roots` are the GUIDs of the root file, None without one; `dumped` is the file of the engine `file`. `previous` are
    the tables of the same manager's last sweep: minhop and updn keep what still serves of them. It must be None on a
    first sweep, and whenever a link, a port or a switch came since the last one. Without switches opensm does nothing.
    """
    lines: list[str] = []
    if not fabric.switch_guids:
        return Routing(None, {}, ())
    for engine in (*order.engines, *(("minhop",) if order.fallback else ())):
        named = engine == "file" and dumped
        tables = _of_file(fabric, named, lines) if named else _ENGINES[engine](fabric, roots, previous, lines)
        if tables is not None:
            lines.append(f"osm_ucast_mgr_process: {engine} tables configured on all switches")
            return Routing(engine, tables, tuple(lines))
    lines.append(
        "osm_ucast_mgr_process: No routing engine able to successfully configure  switch tables on current fabric"
    )
    return Routing(None, previous or {}, tuple(lines))


def _of_file(fabric: Fabric, dumped: TablesFile, lines: list[str]) -> Tables | None:
    tables = tables_of_file(fabric, dumped, lines)
    if tables is None:
        lines.append("ucast_mgr_route: file: cannot build fwd tables")
    return tables


def _minhop(fabric: Fabric, _: Sequence[int] | None, previous: Tables | None, __: list[str]) -> Tables | None:
    if _small(fabric):
        return balanced_tables(fabric, minhop_candidates(fabric), previous)
    from engine.control.subnet_manager.routing.vectorised import routes

    return routes.minhop_tables(fabric, previous)


def _updn(fabric: Fabric, roots: Sequence[int] | None, previous: Tables | None, lines: list[str]) -> Tables | None:
    tables: Tables | None
    if _small(fabric):
        candidates = updn_candidates(fabric, roots)
        tables = None if candidates is None else balanced_tables(fabric, candidates, previous)
    else:
        from engine.control.subnet_manager.routing.vectorised import routes

        tables = routes.updn_tables(fabric, roots, previous)
    if tables is None:
        lines.append("updn_lid_matrices: disabling UPDN algorithm, no root nodes were found")
        lines.append("ucast_mgr_route: updn: cannot build lid matrices")
    return tables


def _ftree(fabric: Fabric, roots: Sequence[int] | None, _: Tables | None, lines: list[str]) -> Tables | None:
    from engine.control.subnet_manager.routing.fat_tree import FatTree, NotFatTree
    from engine.control.subnet_manager.routing.fat_tree_walk import fat_tree_tables

    try:
        tree = FatTree(fabric, roots, lines)
    except NotFatTree:
        lines.append("ucast_mgr_route: ftree: cannot build lid matrices")
        return None
    if _small(fabric):
        return fat_tree_tables(tree)
    from engine.control.subnet_manager.routing.vectorised import regular_tree

    return regular_tree.tables(tree) or fat_tree_tables(tree)


def _small(fabric: Fabric) -> bool:
    return not fabric.end_guids or len(fabric.switch_guids) * (fabric.highest_lid + 1) <= _PLAIN_WORK


_ENGINES = {"minhop": _minhop, "updn": _updn, "ftree": _ftree, "file": _minhop}
