"""The engines minhop and updn for large fabrics."""

from __future__ import annotations

from collections.abc import Sequence

from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import Fabric
from engine.control.subnet_manager.routing.vectorised.balance import balanced
from engine.control.subnet_manager.routing.vectorised.classes import classify
from engine.control.subnet_manager.routing.vectorised.columns import Columns, columns, from_tables, to_tables
from engine.control.subnet_manager.routing.vectorised.hops import Hops, minhop_hops
from engine.control.subnet_manager.routing.vectorised.kept import repaired
from engine.control.subnet_manager.routing.vectorised.updn_hops import updn_hops


def minhop_tables(fabric: Fabric, previous: Tables | None) -> Tables:
    """As `plain.balanced_tables` with minhop's candidates."""
    arrays = columns(fabric)
    return _tables(arrays, minhop_hops(arrays), previous)


def updn_tables(fabric: Fabric, roots: Sequence[int] | None, previous: Tables | None) -> Tables | None:
    """As `plain.balanced_tables` with updn's candidates; None where no root is found."""
    arrays = columns(fabric)
    hops = updn_hops(arrays, roots)
    return None if hops is None else _tables(arrays, hops, previous)


def _tables(arrays: Columns, hops: Hops, previous: Tables | None) -> Tables:
    classes = classify(arrays, hops)
    if previous is None:
        rows = balanced(arrays, hops, classes)
    else:
        rows = repaired(arrays, hops, classes, from_tables(arrays.fabric, previous))
    return to_tables(arrays.fabric, rows)
