"""Names of keys as full-screen programs are given them: a character as itself, others by name (`up`, `pagedown`,
`ctrl+f`).
"""

from __future__ import annotations

_NAMED = {
    "space": " ", "slash": "/", "question_mark": "?", "colon": ":", "return": "enter", "page_up": "pageup",
    "page_down": "pagedown", "less_than_sign": "<", "greater_than_sign": ">", "minus": "-", "plus": "+", "comma": ",",
    "full_stop": ".", "at": "@", "number_sign": "#", "dollar_sign": "$", "percent_sign": "%", "circumflex_accent": "^",
    "ampersand": "&", "asterisk": "*", "left_parenthesis": "(", "right_parenthesis": ")", "underscore": "_",
    "equals_sign": "=", "quotation_mark": '"', "apostrophe": "'", "exclamation_mark": "!", "vertical_line": "|",
    "tilde": "~", "grave_accent": "`", "left_square_bracket": "[", "right_square_bracket": "]",
    "left_curly_bracket": "{", "right_curly_bracket": "}", "semicolon": ";", "backslash": "\\",
}  # fmt: skip


def plain(name: str) -> str:
    """The key under the one name that programs here use."""
    if name.startswith("upper_") and len(name) == len("upper_x"):
        return name[-1].upper()
    return _NAMED.get(name, name)
