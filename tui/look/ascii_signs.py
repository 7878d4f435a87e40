"""The ASCII likeness of each sign that Textual and breakfix draw with, one column each."""

from __future__ import annotations

_GROUPS = {
    "-": "─╌╍┄┅┈┉╼╾╴╶╸╺▔▁▂▀▄▬‐‑‒–—−◌",
    "|": "│┃║╎╏┆┇┊┋╵╷╹╻▏▎▍▊▉▕¦",
    "+": "┌┐└┘├┤┬┴┼╭╮╯╰┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╞╡╪╒╓╕╖╘╙╛╜▗▖▝▘▛▜▙▟✓✔☑",
    "#": "█▓▒░■▪◼◆▇▆▅▃",
    "@": "▤",
    "[": "▐",
    "]": "▌",
    "*": "•‣◦⭑★◉●",
    "o": "○⚪°",
    "!": "▲△⚠",
    "x": "✗✘✕×",
    ".": "·",
    ">": "▶▸►→⟶»❯🔎",
    "<": "◀◂←«",
    "^": "↑⇧▴",
    "v": "↓▼▾⇩",
    "=": "━═‖≡",
    "_": "☐",
    "'": "‘’´",
    '"': "“”",
    " ": "\u00a0\u2007\u2009\u202f",
    "u": "µμ",
    "~": "…≈",
}

SIGNS = {sign: likeness[0] for likeness, signs in _GROUPS.items() for sign in signs}
