"""The map's rows, its cursor and how it is drawn, without a screen."""

from __future__ import annotations

from rich.style import Style

from engine.kernel.units import MINUTE
from engine.world.inventory import Inventory
from tests.support import large_site
from tests.support.worlds import inventory
from tui.look.glyphs import ASCII, UNICODE, Glyphs, State
from tui.seen.knowledge import Knowledge, Sighting, worst
from tui.widgets.node_details import Paint, details, documented
from tui.widgets.node_paint import Look, NodePaint, age, cell_at
from tui.widgets.node_rows import Kind, NodeRows

NOTHING = Style()
COLOURS = dict.fromkeys(State, "red")
WIDE = Paint(UNICODE, COLOURS, 100)


def knowing(*seen: tuple[str, str, str, State], site: Inventory | None = None, at: int = 0) -> Knowledge:
    known = Knowledge(site or inventory())
    for component, aspect, value, state in seen:
        known.note(Sighting(component, aspect, value, state, at, "a line", logged=aspect.startswith("Xid")))
    return known


def drawn(known: Knowledge, now: int = 0, glyphs: Glyphs = UNICODE) -> list[str]:
    """The rows as text, the heading first."""
    table = NodeRows(known)
    painter = paint(table, now, glyphs)
    return ["".join(piece.text for piece in painter.heading())] + [
        "".join(piece.text for piece in painter.row(number)) for number in range(len(table.rows))
    ]


def paint(table: NodeRows, now: int = 0, glyphs: Glyphs = UNICODE) -> NodePaint:
    look = Look(glyphs, dict.fromkeys(State, NOTHING), NOTHING, NOTHING, NOTHING, NOTHING)
    return NodePaint(table, look, now)


def row_of(known: Knowledge, name: str, now: int = 0, glyphs: Glyphs = UNICODE) -> str:
    return next(row for row in drawn(known, now, glyphs) if f" {name} " in row)


def test_rows_are_nodes_and_switches_by_rack() -> None:
    names = [(row.kind, row.name) for row in NodeRows(knowing()).rows]
    assert names[0] == (Kind.RACK, "R01") and names.index((Kind.RACK, "R02")) == 6
    assert names[1:6] == [
        (Kind.NODE, "head-01"),
        (Kind.NODE, "dgx-01"),
        (Kind.NODE, "dgx-02"),
        (Kind.SWITCH, "leaf-01"),
        (Kind.SWITCH, "leaf-02"),
    ]


def test_unseen_is_a_dot_and_seen_is_sign_word_and_value() -> None:
    assert row_of(knowing(), "dgx-02").split() == ["·", "not", "seen", "dgx-02", *"·" * 9]
    known = knowing(
        ("dgx-02", "Slurm", "drain", State.DRAINED),
        ("dgx-02/gpu0", "nvidia-smi", "listed", State.OK),
        ("dgx-02/gpu0", "temperature", "64 C", State.UNKNOWN),
        ("dgx-02/gpu5", "nvidia-smi", "Unknown Error", State.DOWN),
        ("dgx-02/gpu6", "Xid 79", "GPU has fallen off the bus.", State.UNKNOWN),
        ("dgx-02/fan3", "front rotor", "0 RPM", State.DOWN),
    )
    row = row_of(known, "dgx-02", 3 * MINUTE)
    assert row.split() == [
        "▲",
        "degraded",
        "dgx-02",
        "●64",
        "·",
        "·",
        "·",
        "·",
        "✗",
        "▤",
        "·",
        "✗",
        "drain",
        "3",
        "min",
        "ago",
    ]
    assert row_of(known, "dgx-02", glyphs=ASCII).isascii()
    assert "Slurm" in drawn(known)[0] and drawn(known)[0].index("Slurm") == row.index("drain", 20)


def test_rows_fit_in_80_columns_and_ages_stand_below_each_other() -> None:
    known = knowing(
        ("dgx-02", "Slurm", "allocated*", State.DEGRADED),
        *((f"dgx-02/gpu{index}", "temperature", "100 C", State.UNKNOWN) for index in range(8)),
        ("leaf-01", "ping", "answers", State.OK),
    )
    node, switch = row_of(known, "dgx-02", 119 * MINUTE), row_of(known, "leaf-01", 119 * MINUTE)
    assert (
        "allocat…" in node
        and len(node) <= 76
        and node.endswith("119 min ago")
        and node.index("119 min") == switch.index("119 min")
    )


def test_ages() -> None:
    assert [age(minutes * MINUTE, 0) for minutes in (0, 1, 40, 150)] == [
        "just now",
        "1 min ago",
        "40 min ago",
        "2 h ago",
    ]


def test_what_was_seen_long_ago_is_dim() -> None:
    table = NodeRows(knowing(("dgx-01", "Slurm", "idle", State.OK)))
    number = next(number for number, row in enumerate(table.rows) if row.name == "dgx-01")
    table.put(0, 0)
    for now, dim in ((29 * MINUTE, False), (40 * MINUTE, True)):
        sign = next(piece for piece in paint(table, now).row(number) if "ok" in piece.text)
        assert bool(sign.style.dim) is dim


def test_worst_state_counts_and_logs_do_not() -> None:
    assert worst([State.OK, State.DRAINED, State.UNKNOWN]) is State.DRAINED and worst([]) is State.UNKNOWN
    known = knowing(
        ("dgx-02/gpu1", "PCI", "rev a1", State.OK),
        ("dgx-02/gpu1", "HW thermal slowdown", "Active", State.DEGRADED),
        ("dgx-02/gpu2", "Xid 79", "x", State.DOWN),
    )
    assert known.state("dgx-02/gpu1") is State.DEGRADED
    assert known.state("dgx-02/gpu2") is State.UNKNOWN and known.logged("dgx-02/gpu2")


def test_a_node_is_no_better_than_its_parts_in_row_grid_and_details() -> None:
    for part, state in (("gpu5", State.DOWN), ("fan3", State.DOWN), ("gpu5", State.DEGRADED)):
        known = knowing(
            ("dgx-02", "login", "answers", State.OK),
            ("dgx-02/gpu0", "PCI", "rev a1", State.OK),
            (f"dgx-02/{part}", "an aspect", "a value", state),
        )
        assert known.state("dgx-02") is State.DEGRADED and known.state(f"dgx-02/{part}") is state
        assert row_of(known, "dgx-02").startswith(" ▲ degraded")
        assert details(known, "dgx-02", 0, WIDE).plain.startswith("dgx-02  ▲ degraded")
        table = NodeRows(known)
        table.toggle_grid()
        (grid,) = (number for number, row in enumerate(table.rows) if row.name == "dgx-01")
        assert "●" not in "".join(piece.text for piece in paint(table).row(grid))


def test_what_says_nothing_of_a_state_was_seen_all_the_same() -> None:
    known = knowing(("dgx-01", "jobs", "none", State.UNKNOWN), ("dgx-02/gpu1", "temperature", "64 C", State.UNKNOWN))
    assert [row_of(known, f"dgx-0{number}").split()[:3] for number in (1, 2)] == [
        ["·", "seen", "dgx-01"],
        ["·", "seen", "dgx-02"],
    ]
    assert row_of(known, "dgx-03").startswith(" · not seen")
    assert details(known, "dgx-02/gpu1", 0, WIDE).plain.startswith("dgx-02/gpu1  · seen")


def test_a_node_can_be_worse_than_its_parts_and_logs_of_parts_do_not_count() -> None:
    known = knowing(
        ("dgx-01", "ping", "no answer", State.DOWN),
        ("dgx-01/gpu0", "PCI", "rev a1", State.OK),
        ("dgx-02", "login", "answers", State.OK),
        ("dgx-02/gpu0", "Xid 79", "GPU has fallen off the bus.", State.DOWN),
        ("dgx-03/fan0", "front rotor", "18000 RPM", State.OK),
        ("dgx-04", "Slurm", "drain", State.DRAINED),
        ("dgx-04/gpu0", "PCI", "rev a1", State.OK),
    )
    states = [known.state(f"dgx-0{number}") for number in range(1, 5)]
    assert states == [State.DOWN, State.OK, State.OK, State.DRAINED]


def test_the_cursor_passes_over_racks_and_stays_inside() -> None:
    table = NodeRows(knowing())
    assert table.component == "head-01"
    table.move(-1)
    assert table.component == "head-01"
    table.move(1)
    table.move(0, 3)
    assert table.component == "dgx-01/gpu2"
    table.choose("dgx-02")
    table.move(0, 6)
    assert table.component == "dgx-02/gpu5"
    table.move(0, 99)
    assert table.on_others and table.component == "dgx-02"
    table.move(1)
    assert table.component == "leaf-01"
    table.move(2)
    assert table.component == "dgx-03" and table.on_others
    table.move(99)
    assert table.component == "spine-02"


def test_parts_of_a_node_open_below_it() -> None:
    table = NodeRows(knowing(("dgx-02/fan3", "front rotor", "0 RPM", State.DOWN)))
    table.choose("dgx-02/fan3")
    assert table.component == "dgx-02"
    table.open_others("dgx-02")
    assert table.choose("dgx-02/fan3") and table.component == "dgx-02/fan3"
    assert {"dgx-02/psu0", "dgx-02/mlx5_3/1", "dgx-02/nvswitch1"} <= {row.name for row in table.rows}
    table.open_others("dgx-02")
    assert table.component == "dgx-02" and not any(row.kind is Kind.PART for row in table.rows)


def test_filter() -> None:
    table = NodeRows(knowing(("dgx-03", "Slurm", "drng", State.DRAINED), ("dgx-04/gpu2", "PCI", "rev ff", State.DOWN)))

    def left(text: str) -> list[str]:
        table.filter = text
        table.arrange()
        return [row.name for row in table.rows if row.kind is not Kind.RACK]

    assert left("dgx-[01-02]") == ["dgx-01", "dgx-02"] and left("down") == ["dgx-04"] and left("drng") == ["dgx-03"]
    assert left("r02") == ["dgx-03", "dgx-04", "spine-01", "spine-02"] and left("LEAF") == ["leaf-01", "leaf-02"]
    assert left("nothing") == [] and table.component is None
    assert len(left("")) == 9 and table.component is not None


def test_many_nodes_are_a_grid() -> None:
    known = knowing(("dgx-0040/gpu3", "PCI", "rev ff", State.DOWN), site=large_site.shared_inventory())
    table = NodeRows(known)
    assert table.grid and [row.name for row in table.rows[:3]] == ["head-01", "dgx-0001", "dgx-0033"]
    assert len(table.rows[1].cells) == 32 and sum(len(row.cells) for row in table.rows) == 2049 + 1280
    assert table.choose("dgx-0040")
    painter = paint(table)
    signs = [piece for piece in painter.row(table.row) if piece.cell is not None]
    assert [piece.text for piece in signs].count("▲") == 1 and signs[table.column].text == "▲"
    assert signs[table.column].style.reverse
    table.toggle_grid()
    assert table.component == "dgx-0040" and table.rows[table.row].kind is Kind.NODE
    assert sum(row.kind is Kind.NODE for row in table.rows) == 2049


def test_where_somebody_points() -> None:
    table = NodeRows(knowing())
    number = next(number for number, row in enumerate(table.rows) if row.name == "dgx-01")
    pieces = paint(table).row(number)
    text = "".join(piece.text for piece in pieces)
    assert cell_at(pieces, text.index("dgx-01")) == 0 and cell_at(pieces, text.index("dgx-01") + 9 + 4 * 5) == 6
    assert not table.put(0, 0) and table.put(number, 6) and table.component == "dgx-01/gpu5"


def test_details_tell_value_state_age_and_line() -> None:
    known = knowing(
        ("dgx-02/gpu5", "PCI", "rev ff", State.DOWN),
        ("dgx-02/gpu5", "Xid 79", "GPU has [fallen] off the bus.", State.UNKNOWN),
    )
    text = details(known, "dgx-02/gpu5", 4 * MINUTE, WIDE).plain
    for part in (
        "dgx-02/gpu5  ✗ down",
        "0000:c3:00.0",
        "4 min ago, by: a line",
        "✗ PCI",
        "rev ff",
        "[fallen]",
        "in a log",
    ):
        assert part in text
    assert "dgx-02/gpu5: ✗ down" in details(known, "dgx-02", 0, WIDE).plain
    assert "Nothing seen" in details(known, "dgx-01", 0, WIDE).plain


def test_what_is_continued_stays_set_in() -> None:
    message = "Graphics Exception: ESR 0x5177b0=0xc04000b 0x5177b4=0x24 0x5177a8=0xf81eb60 0x5177ac=0x1174"
    known = knowing(
        ("dgx-02/gpu5", "Xid 13", message, State.UNKNOWN),
        ("dgx-02/gpu5", "uncorrected ECC errors", "0", State.UNKNOWN),
        ("dgx-02/gpu5", "SM clock", "345 MHz", State.UNKNOWN),
    )
    wide, narrow = (
        details(known, "dgx-02/gpu5", 0, Paint(UNICODE, COLOURS, columns)).plain.splitlines() for columns in (60, 30)
    )
    column = next(line for line in wide if "Graphics" in line).index("Graphics")
    assert [line[:column].strip() for line in wide if "ESR" in line or "0x517" in line][1:] == ["", "", ""]
    assert all(len(line) <= 60 for line in wide[2:]) and all(len(line) <= 30 for line in narrow[2:])
    assert "  · uncorrected ECC errors  0" in narrow and "  · SM clock  345 MHz" in narrow
    below = narrow.index("  ▤ Xid 13")
    assert narrow[below + 1] == "    Graphics Exception: ESR" and narrow[below + 2].startswith("    0x517")


def test_what_the_documentation_says() -> None:
    site = inventory()
    assert documented(site, "dgx-01/mlx5_0/1").endswith("cable to leaf-01/1")
    assert documented(site, "dgx-01/mlx5_1").endswith("no cable")
    assert "rack R01" in documented(site, "leaf-01") and "rack R02" in documented(site, "dgx-03")
