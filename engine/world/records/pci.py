"""PCI functions: what somebody did to them under a running kernel, and what the kernel counted of their errors."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PciFunctionState:
    """A PCI function, by `dgx-02/0000:1b:00.0`.

    `removed`: taken out of the kernel's list; `unbound`: its driver was told to let go of it. `registers` are bytes of
    its configuration space that somebody wrote, as (offset, value) by offset; like the first two they last until the
    node restarts. `counted` are the errors that the kernel has logged of it since it started, as (severity, name,
    count), where severity is correctable, nonfatal or fatal and the name is that of sysfs.
    """

    removed: bool = False
    unbound: bool = False
    registers: tuple[tuple[int, int], ...] = ()
    counted: tuple[tuple[str, str, int], ...] = ()
