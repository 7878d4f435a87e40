"""A node's board as text: what hangs below which root port, socket by socket, and how each part looked when it was last
seen. Where the parts are is the site's documentation; how they are comes from sightings only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from engine.world.inventory import Gpu, Hca, Node
from tui.look.glyphs import ASCII, Glyphs, State
from tui.seen.knowledge import Knowledge

_NAME_COLUMNS, _WORD_COLUMNS, _MOST_A_ROW = 11, 10, 4


@dataclass(frozen=True)
class Board:
    """A node with what is known of it, and with what it is drawn."""

    node: Node
    knowledge: Knowledge
    glyphs: Glyphs
    colours: Mapping[State, str]
    columns: int

    def drawn(self) -> Text:
        """All of it."""
        return Text("\n").join(self._lines())

    def _lines(self) -> Iterator[Text]:
        for numa in sorted({device.numa for device in self.node.pcie}):
            yield Text(f"Socket {numa}", Style(bold=True))
            yield from self._below_roots(numa)
        switches = [one.id for one in self.node.nvswitches]
        for title, ids in (
            ("NVSwitches", switches),
            ("Fans", [one.id for one in self.node.fans]),
            ("Power supplies", [one.id for one in self.node.psus]),
            ("Drives", [one.id for one in self.node.drives]),
        ):
            if ids:
                yield Text(title, Style(bold=True))
                yield from self._in_rows(ids)

    def _below_roots(self, numa: int) -> Iterator[Text]:
        """GPUs and network adapters by the root port that they share, as `nvidia-smi topo -m` counts hops."""
        parts: list[Gpu | Hca] = [*self.node.gpus, *self.node.hcas]
        by_root: dict[str, list[str]] = {}
        for part in sorted((one for one in parts if one.numa == numa), key=lambda one: one.address):
            path = self.node.path_to_root(part.address)
            by_root.setdefault(path[-1].address if path else part.address, []).append(part.id)
        for root, ids in by_root.items():
            for place, id in enumerate(sorted(ids, key=lambda one: "/gpu" not in one)):
                head = f"root {root.removeprefix('0000:')}" if place == 0 else ""
                yield self._on_branch(head, place == len(ids) - 1, id)

    def _on_branch(self, root: str, last: bool, id: str) -> Text:
        """A part on its branch; the first one of a root port says which."""
        if self.glyphs is ASCII:
            joint, rule = "-" if root and last else "+", "-"
        else:
            joint, rule = "─" if root and last else "┬" if root else "└" if last else "├", "─"
        line = Text().append(f"  {root:<13}{rule if root else ' '}{joint}{rule} ", Style(dim=True))
        return line.append_text(self._part(id)).append(self._more(id), Style(dim=True))

    def _more(self, id: str) -> str:
        """Values that were read of it, and what it is in the documentation."""
        values = [self.knowledge.value(id, aspect) for aspect in ("temperature", "power", "link")]
        if "/gpu" in id:
            gpu = self.node.gpus_by_id[id]
            place = f"{gpu.address.removeprefix('0000:')}, SXM socket {gpu.module}"
        else:
            hca = self.node.hcas_by_id[id]
            port = self.knowledge.value(hca.port, "link")
            values.append(port)
            place = f"{hca.address.removeprefix('0000:')}, {hca.purpose}"
        told = "  ".join(value for value in values if value)
        room = self.columns - 19 - _NAME_COLUMNS - _WORD_COLUMNS - 4
        text = f"  {told}  ({place})" if told else f"  ({place})"
        short = f"  {told}"
        if len(text) <= room:
            return text
        return short if len(short) <= room else short[: max(room - 1, 0)] + self.glyphs.ellipsis

    def _part(self, id: str) -> Text:
        """Sign, name and word of a part; of an adapter also what is known of its port."""
        seen = [id, *(hca.port for hca in self.node.hcas if hca.id == id)]
        known = max(seen, key=lambda one: (bool(self.knowledge.of(one)), one))
        state = self.knowledge.state(known)
        name = id.partition("/")[2]
        line = Text().append(f"{self.glyphs.of(state)} ", Style.parse(self.colours[state]))
        return line.append(f"{name:<{_NAME_COLUMNS}}").append(
            f"{self.knowledge.word(known):<{_WORD_COLUMNS}}", Style.parse(self.colours[state])
        )

    def _in_rows(self, ids: Iterable[str]) -> Iterator[Text]:
        """Parts side by side, as many as there is room for."""
        width = _NAME_COLUMNS + _WORD_COLUMNS + 4
        many = max(min((self.columns - 2) // width, _MOST_A_ROW), 1)
        parts = list(ids)
        for start in range(0, len(parts), many):
            line = Text("  ")
            for id in parts[start : start + many]:
                line.append_text(self._part(id)).append("  ")
            line.rstrip()
            yield line
