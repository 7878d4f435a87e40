"""How a row of the map is drawn: text and styles from what is known, and where each cell lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rich.segment import Segment
from rich.style import Style

from engine.kernel.units import HOUR, MINUTE
from tui.look.glyphs import Glyphs, State
from tui.seen.knowledge import Knowledge
from tui.widgets.node_rows import OTHERS, Kind, NodeRows, Row

OLD = 30 * MINUTE
"""What was seen longer ago than this is drawn dimmer."""

_GPU_CELL = 4
_WORD = max(len(state.value) for state in State)
_SLURM = 8
_PART_NAME = 9
_GROUP = 8
_NEWEST = MINUTE


def age(now: int, at: int) -> str:
    """How long ago something was seen, as people say it."""
    passed = now - at
    if passed < _NEWEST:
        return "just now"
    return f"{passed // MINUTE} min ago" if passed < 2 * HOUR else f"{passed // HOUR} h ago"


@dataclass(frozen=True)
class Look:
    """Glyphs and styles of the moment."""

    glyphs: Glyphs
    states: Mapping[State, Style]
    text: Style
    dim: Style
    heading: Style
    logged: Style


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a row. `cell` is the number of the cell that it belongs to."""

    text: str
    style: Style
    cell: int | None = None


class NodePaint:
    """Draws the rows of `table`."""

    def __init__(self, table: NodeRows, look: Look, now: int) -> None:
        self.table = table
        self.look = look
        self.now = now

    @property
    def knowledge(self) -> Knowledge:
        """What has been seen."""
        return self.table.knowledge

    def heading(self) -> list[Piece]:
        """The line above the rows."""
        if self.table.grid:
            return [
                Piece(
                    f" {'from':<{self.table.name_width}}  one sign for each node and what is in it", self.look.heading
                )
            ]
        numbers = "".join(f"{number:<{_GPU_CELL}}" for number in range(self._gpus))
        text = f"   {'state':<{_WORD}} {'node':<{self.table.name_width}} {numbers}+ {'Slurm':<{_SLURM}} seen"
        return [Piece(text, self.look.heading)]

    def row(self, number: int) -> list[Piece]:
        """The pieces of a row, the cell under the cursor reversed."""
        row = self.table.rows[number]
        pieces = list(self._pieces(row))
        if number == self.table.row and row.cells:
            at = min(self.table.column, len(row.cells) - 1)
            reverse = Style(reverse=True)
            pieces = [Piece(p.text, p.style + reverse, p.cell) if p.cell == at else p for p in pieces]
        return pieces

    def _pieces(self, row: Row) -> Iterator[Piece]:
        if row.kind is Kind.RACK:
            yield Piece(f" {self.look.glyphs.rule * 2} {row.name} ", self.look.heading)
        elif row.kind is Kind.GRID:
            yield from self._grid(row)
        elif row.kind is Kind.NODE:
            yield from self._node(row)
        else:
            yield from self._single(row, indent=4 if row.kind is Kind.PART else 1)

    @cached_property
    def _gpus(self) -> int:
        """How many GPUs the largest of the nodes has."""
        return max((len(row.cells) - 2 for row in self.table.rows if row.kind is Kind.NODE), default=0)

    def _node(self, row: Row) -> Iterator[Piece]:
        yield from self._state(row.name, row.name.ljust(self.table.name_width), indent=1)
        last = len(row.cells) - 1
        for number, cell in enumerate(row.cells[1:-1], 1):
            text, style = self._sign(cell)
            temperature = (self.knowledge.value(cell, "temperature") or "").split(" ")[0]
            yield Piece(f"{text}{temperature:<{_GPU_CELL - 1}.{_GPU_CELL - 1}}", style, number)
        yield Piece(" " * _GPU_CELL * (self._gpus + 1 - last), self.look.text)
        text, style = self._sign(row.cells[last])
        yield Piece(text, style, last)
        yield Piece(f" {self._cut(self.knowledge.value(row.name, 'Slurm') or '', _SLURM)} ", self._text(row.name))
        yield self._seen(self.table.seen_at(row.name))

    def _single(self, row: Row, indent: int) -> Iterator[Piece]:
        """A part or a switch: all that is known in one line, its age below those of the nodes."""
        shown = row.name.partition("/")[2] or row.name
        name = shown.ljust(max(self.table.name_width, _PART_NAME if indent > 1 else 0))
        yield from self._state(row.name, name, indent)
        values = ", ".join([*(one.value for one in self.knowledge.of(row.name).values()), *self._bad_ports(row.name)])
        room = self.table.name_width + _GPU_CELL * self._gpus + _SLURM + 3 - indent - len(name)
        yield Piece(f"{self._cut(values, room)} ", self._text(row.name))
        yield self._seen(self.knowledge.seen_at(row.name))

    def _bad_ports(self, switch: str) -> Iterator[str]:
        """The ports of a switch that looked bad, and how."""
        for part in self.knowledge.parts(switch):
            if self.knowledge.own_state(part) not in (State.OK, State.UNKNOWN):
                told = ", ".join(one.value for one in self.knowledge.of(part).values())
                yield f"port {part.rpartition('/')[2]}: {told}"

    def _cut(self, text: str, room: int) -> str:
        """A text in exactly so many columns."""
        return text.ljust(room) if len(text) <= room else f"{text[: room - 1]}{self.look.glyphs.ellipsis}"

    def _state(self, component: str, name: str, indent: int) -> Iterator[Piece]:
        text, style = self._sign(component)
        word = self.knowledge.word(component)
        yield Piece(" " * indent, self.look.text)
        yield Piece(f"{text} {word:<{_WORD}}", style)
        yield Piece(" ", self.look.text)
        yield Piece(name, self._text(component) + Style(bold=True), 0)
        yield Piece(" ", self.look.text)

    def _grid(self, row: Row) -> Iterator[Piece]:
        yield Piece(f" {row.name:<{self.table.name_width}} ", self.look.dim)
        for number, cell in enumerate(row.cells):
            if number % _GROUP == 0:
                yield Piece(" ", self.look.text)
            state = self.table.state(cell)
            logged = any(self.knowledge.logged(component) for component in self.knowledge.whole(cell))
            yield Piece(*self._signed(state, logged, self.table.seen_at(cell)), number)

    def _sign(self, cell: str) -> tuple[str, Style]:
        at = self.table.seen_at(cell.removesuffix(OTHERS)) if cell.endswith(OTHERS) else self.knowledge.seen_at(cell)
        return self._signed(self.table.state(cell), self.table.logged(cell), at)

    def _signed(self, state: State, logged: bool, at: int | None) -> tuple[str, Style]:
        """The glyph of a state; of something in a log where the state says less."""
        only_logged = logged and state in (State.UNKNOWN, State.OK)
        style = self.look.logged if only_logged else self.look.states[state]
        if at is not None and self.now - at > OLD:
            style += Style(dim=True)
        return (self.look.glyphs.logged if only_logged else self.look.glyphs.of(state)), style

    def _text(self, component: str) -> Style:
        return self.look.text if self.knowledge.of(component) else self.look.dim

    def _seen(self, at: int | None) -> Piece:
        return Piece("" if at is None else age(self.now, at), self.look.dim)


def cell_at(pieces: list[Piece], x: int) -> int:
    """The number of the cell at a column of a row: the one that lies there or before."""
    column, cell = 0, 0
    for piece in pieces:
        if piece.cell is not None and column <= x:
            cell = piece.cell
        column += len(piece.text)
    return cell


def segments(pieces: list[Piece]) -> list[Segment]:
    """The pieces as Rich draws them."""
    return [Segment(piece.text, piece.style) for piece in pieces]
