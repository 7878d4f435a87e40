"""/proc/sys: the kernel's settings as files; writing one sets it, or is refused with EINVAL as the kernel does."""

from __future__ import annotations

from engine.control import sysctl
from engine.control.sysctl import SetSysctl, Setting
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Effect, Node, control_file, directory, file
from engine.hostfs.realms import PROC_SYS
from engine.hostfs.tree import ErrorCode

_DROP_CACHES = ("1", "2", "3", "4")


def _setting(setting: Setting) -> Node:
    def content(machine: Machine) -> str:
        return sysctl.value(machine.world, machine.host, setting.name) + "\n"

    def write(machine: Machine, text: bytes) -> Effect:
        value = text.decode("utf-8", "replace")
        return (
            SetSysctl(machine.host, setting.name, value)
            if sysctl.checked(setting, value) is not None
            else ErrorCode.INVALID
        )

    return file(content, setting.mode, on_write=write if setting.mode & 0o200 else None)


def _drop_caches(_machine: Machine, content: bytes) -> Effect:
    """Nothing that anybody sees depends on the page cache."""
    return None if content.decode("utf-8", "replace").strip() in _DROP_CACHES else ErrorCode.INVALID


def _table(machine: Machine) -> Children:
    known = sysctl.settings(machine.world, machine.host)
    return {
        **{name.replace(".", "/"): _setting(setting) for name, setting in known.items()},
        "vm/drop_caches": control_file(_drop_caches),
    }


DIRECTORY = directory(_table, 0o555, fixed=True, realm=PROC_SYS)
