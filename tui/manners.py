"""Keys as in other programs: what a manner of keys changes from the usual ones.

tmux: its default bindings (tmux(1), DEFAULT KEY BINDINGS) where breakfix has something of the kind. vim: what Ctrl-W
does there (windows.txt), behind breakfix's prefix key; lists take j and k in every manner.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Keys = Mapping[str, tuple[str, ...]]

_TMUX: Keys = {
    "workspace.home": ("prefix d", "prefix q"),
    "workspace.host": ("prefix D",),
    "workspace.previous_tab": ("prefix p", "prefix N"),
    "workspace.next_pane": ("prefix o", "prefix ;"),
    "workspace.close_pane": ("prefix x", "prefix &"),
    "workspace.narrower": ("prefix ctrl+left", "prefix <"),
    "workspace.wider": ("prefix ctrl+right", "prefix >"),
    "workspace.taller": ("prefix ctrl+up", "prefix +"),
    "workspace.flatter": ("prefix ctrl+down", "prefix _"),
    "terminal.pin": ("prefix P",),
}
_VIM: Keys = {
    "workspace.pane_towards": (
        *(f"prefix {key}" for key in "hjkl"),
        *(f"prefix {key}" for key in ("left", "right", "up", "down")),
    ),
    "workspace.split_right": ("prefix v", "prefix |"),
    "workspace.split_down": ("prefix s", "prefix -"),
    "workspace.next_pane": ("prefix w",),
    "workspace.close_pane": ("prefix c", "prefix x"),
    "workspace.zoom": ("prefix o", "prefix z"),
    "workspace.new_tab": ("prefix n",),
    "workspace.next_tab": ("prefix t",),
    "workspace.previous_tab": ("prefix T",),
    "workspace.time": ("f7", "prefix ."),
    "drill.hint": ("prefix H",),
    "drill.submit": ("f9", "prefix W"),
    "terminal.stop": ("prefix K",),
    "terminal.enter": ("prefix enter",),
    "terminal.leave_program": ("prefix U",),
    "terminal.save": ("prefix O",),
}
MANNERS: Mapping[str, Keys] = MappingProxyType({"usual": {}, "tmux": _TMUX, "vim": _VIM})
