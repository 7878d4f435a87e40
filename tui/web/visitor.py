"""What runs for one visitor: the full-screen program, which speaks with the web server in place of a terminal."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program until the visitor leaves."""
    from tui import full_screen

    full_screen.run(own_terminal=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
