"""Plain data from a YAML parser's events: built without recursion, each limit checked before anything is added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from engine.kernel.names import quoted
from engine.kernel.places import Location, Place, refuse
from engine.kernel.scalars import Scalar, ScalarError, character_name, forbidden_in_value, resolve

DEPTH_LIMIT = 40
NODE_LIMIT = 100_000


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    into: list[Any] | dict[str, Any]
    place: Place
    key: str | None = None
    key_place: Place | None = None


class Builder:
    """Takes events in their order; then `data` and `root` are the document."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: Any = None
        self.root = Place(1, 1)
        self.nodes = 0
        self.documents = 0
        self.open: list[_Open] = []
        self.handlers: dict[str, Callable[[Any], None]] = {
            "DocumentStartEvent": self.start_document,
            "ScalarEvent": self.add_scalar,
            "SequenceStartEvent": lambda event: self.enter(event, []),
            "MappingStartEvent": lambda event: self.enter(event, {}),
            "SequenceEndEvent": lambda _: self.leave(),
            "MappingEndEvent": lambda _: self.leave(),
            "AliasEvent": self.refuse_alias,
        }

    def take(self, event: Any) -> None:
        """Handle one event; the stream's and the document's ends need nothing."""
        handler = self.handlers.get(type(event).__name__)
        if handler:
            handler(event)

    def start_document(self, event: Any) -> None:
        """A second document in one file has no meaning here."""
        self.documents += 1
        if self.documents > 1:
            self.refuse(event, "a second document begins here; keep one per file and remove the line `---`")

    def refuse_alias(self, event: Any) -> NoReturn:
        """Aliases let a few lines stand for millions of values."""
        self.refuse(event, f"aliases are not allowed; write the value out, or quote {quoted('*' + event.anchor)}")

    def add_scalar(self, event: Any) -> None:
        """A word or text: the next key of the mapping at hand, or a value."""
        self.check_node(event)
        wrong = forbidden_in_value(event.value)
        if wrong:
            self.refuse(event, f"{character_name(wrong[0])} may not stand in a value; remove its escape")
        plain = event.implicit[0]
        if self.wants_key():
            self.begin_entry(event, plain)
        else:
            self.put(self.value_of(event, plain), self.place_of(event, event.value if plain else None))

    def enter(self, event: Any, container: list[Any] | dict[str, Any]) -> None:
        """The start of a list or mapping."""
        self.check_node(event)
        if self.wants_key():
            self.refuse(event, "a key must be text; a list or mapping stands in its place")
        if len(self.open) >= DEPTH_LIMIT:
            self.refuse(event, f"nested deeper than {DEPTH_LIMIT} levels; flatten it")
        place = self.place_of(event)
        self.put(container, place)
        self.open.append(_Open(container, place))

    def leave(self) -> None:
        """The end of a list or mapping."""
        self.open.pop()

    def check_node(self, event: Any) -> None:
        """What holds for every value and key: their number, and neither anchor nor tag."""
        self.nodes += 1
        if self.nodes > NODE_LIMIT:
            self.refuse(event, f"more than {NODE_LIMIT} values in one file; split it")
        if event.anchor is not None:
            self.refuse(event, f"anchors are not allowed; remove {quoted('&' + event.anchor)}, or quote the text")
        if event.tag is not None:
            self.refuse(event, "tags are not allowed; remove it, or quote a text that begins with !")

    def wants_key(self) -> bool:
        """Whether the next value is a key."""
        return bool(self.open) and isinstance(self.open[-1].into, dict) and self.open[-1].key is None

    def begin_entry(self, event: Any, plain: bool) -> None:
        """A key: text, and new in its mapping."""
        mapping, key = self.open[-1], self.value_of(event, plain)
        if not isinstance(key, str):
            self.refuse(event, f"a key must be text; write it in quotes: {quoted(event.value)}")
        if plain and key == "<<":
            self.refuse(event, "merge keys are not allowed; write the entries out")
        if key in mapping.into:
            first = mapping.place.inside[key].line
            self.refuse(event, f"the key {quoted(key)} stands twice in one mapping, first on line {first}; remove one")
        mapping.key, mapping.key_place = key, self.place_of(event)

    def value_of(self, event: Any, plain: bool) -> Scalar:
        """The value of a scalar: quoted is text, unquoted is what the word means."""
        if not plain:
            return str(event.value)
        try:
            return resolve(event.value)
        except ScalarError as error:
            self.refuse(event, f"{error}; if it is meant as text, write it in quotes")

    def put(self, value: Any, place: Place) -> None:
        """Add a value to the list or mapping at hand. An entry of a mapping is to be found at its key."""
        if not self.open:
            self.data, self.root = value, place
            return
        parent = self.open[-1]
        if isinstance(parent.into, list):
            parent.place.inside[len(parent.into)] = place
            parent.into.append(value)
        elif parent.key is not None and parent.key_place is not None:
            place.line, place.column = parent.key_place.line, parent.key_place.column
            parent.place.inside[parent.key] = place
            parent.into[parent.key] = value
            parent.key = None

    def place_of(self, event: Any, written: str | None = None) -> Place:
        """Where an event began."""
        return Place(event.start_mark.line + 1, event.start_mark.column + 1, written)

    def refuse(self, event: Any, text: str) -> NoReturn:
        """Give up with the place of the event."""
        refuse(Location(self.name, event.start_mark.line + 1, event.start_mark.column + 1), text)
