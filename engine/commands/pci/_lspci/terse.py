"""lspci's short forms: a line per function, and the machine-readable records of -m, -mm, -vm and -vmm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.pci._lspci.edition import Edition
from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.names import Names
from engine.physics import pci_ids

BRIDGE_PATH, BUS_PATH = 1, 2
_END_POINT = 0
_NO_SUBSYSTEM = ("0000", "ffff")


@dataclass(frozen=True, slots=True)
class Manner:
    """How to show: the edition, how to name, whether domains are shown, -P or -PP, and how verbose."""

    edition: Edition
    names: Names
    domains: bool = False
    path: int = 0
    verbose: int = 0
    kernel: bool = False
    machine: int = 0

    def revision(self, function: Function) -> int:
        """Of a function: what the kernel kept, or what it says itself."""
        return function.kernel_revision if self.edition.kernel_view else function.byte(8)

    def interface(self, function: Function) -> int:
        """The programming interface, likewise."""
        return function.kernel_class & 0xFF if self.edition.kernel_view else function.byte(9)

    def subsystem(self, function: Function) -> str | None:
        """Vendor and device of the subsystem; None if it has none."""
        own = f"{function.word(0x2C):04x}:{function.word(0x2E):04x}" if function.header == _END_POINT else "ffff:ffff"
        found = function.kernel_subsystem if self.edition.kernel_view else own
        return None if found.partition(":")[0] in _NO_SUBSYSTEM else found


def class_digits(function: Function) -> str:
    """Class and subclass, such as 0302."""
    return f"{function.kernel_class >> 8:04x}"


def line(function: Function, above: Sequence[Function], manner: Manner) -> str:
    """`1b:00.0 3D controller: NVIDIA Corporation ... (rev a1)`; `above` are the bridges from the root down."""
    names = manner.names
    text = f"{place(function, above, manner)} {names.class_of(class_digits(function))}: "
    text += names.vendor_and_device(function.device.ids)
    if revision := manner.revision(function):
        text += f" (rev {revision:02x})"
    return text + (_interface(function, manner) if manner.verbose else "")


def place(function: Function, above: Sequence[Function], manner: Manner) -> str:
    """Where a function is, with the domain and the path to it where asked for."""
    shown = manner.domains or bool(function.domain)
    domain = f"{function.domain:04x}:" if shown else ""
    if not manner.path or not above:
        return f"{domain}{_short(function)}"
    steps = [_short(above[0])]
    for one in (*above[1:], function):
        steps.append(_short(one) if manner.path == BUS_PATH else f"{one.slot:02x}.{one.number:x}")
    return domain + "/".join(steps)


def machine_line(function: Function, above: Sequence[Function], manner: Manner) -> str:
    """One line for programs (-m, -mm)."""
    names, ids = manner.names, function.device.ids
    words = [names.class_of(class_digits(function)), names.vendor(ids.partition(":")[0]), names.device(ids)]
    text = place(function, above, manner) + "".join(_quoted(word) for word in words)
    if revision := manner.revision(function):
        text += f" -r{revision:02x}"
    interface = manner.interface(function)
    if interface or manner.edition.kernel_view:
        text += f" -p{interface:02x}"
    subsystem = manner.subsystem(function)
    if subsystem is None:
        return text + ' "" ""'
    return text + _quoted(names.subsystem_vendor(subsystem)) + _quoted(names.subsystem_device(ids, subsystem))


def machine_record(function: Function, above: Sequence[Function], manner: Manner) -> Iterator[str]:
    """Lines of a record for programs (-vm, -vmm)."""
    names, ids = manner.names, function.device.ids
    yield f"{'Slot' if manner.machine >= 2 else 'Device'}:\t{place(function, above, manner)}"
    yield f"Class:\t{names.class_of(class_digits(function))}"
    yield f"Vendor:\t{names.vendor(ids.partition(':')[0])}"
    yield f"Device:\t{names.device(ids)}"
    if subsystem := manner.subsystem(function):
        yield f"SVendor:\t{names.subsystem_vendor(subsystem)}"
        yield f"SDevice:\t{names.subsystem_device(ids, subsystem)}"
    if revision := manner.revision(function):
        yield f"Rev:\t{revision:02x}"
    interface = manner.interface(function)
    if interface or manner.edition.kernel_view:
        yield f"ProgIf:\t{interface:02x}"
    if manner.kernel:
        yield from _drivers(function)
    if function.device.numa >= 0:
        yield f"NUMANode:\t{function.device.numa}"


def _drivers(function: Function) -> Iterator[str]:
    if function.driver:
        yield f"Driver:\t{function.driver}"
    for module in function.modules:
        yield f"Module:\t{module}"


def _short(function: Function) -> str:
    return f"{function.bus:02x}:{function.slot:02x}.{function.number:x}"


def _interface(function: Function, manner: Manner) -> str:
    number = manner.interface(function)
    name = pci_ids.PROGRAMMING_INTERFACES.get(f"{class_digits(function)}{number:02x}")
    if not number and not name:
        return ""
    return f" (prog-if {number:02x}{f' [{name}]' if name else ''})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f' "{escaped}"'
