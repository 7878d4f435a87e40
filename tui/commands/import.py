"""Make a site of a fabric that another program describes: `ibsim`, a netlist as ibnetdiscover prints it and ibsim reads
it. The site file goes to standard output, or into the file of -o.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.kernel.errors import BreakfixError
from tui.opening import file_bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix import` takes."""
    parser.add_argument("format", choices=("ibsim",), help="ibsim: a netlist, as ibnetdiscover prints it")
    parser.add_argument("file", help="the netlist")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the site file goes (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write the site file. Mistakes in the netlist are told as file:line."""
    from engine.kernel.documents import read_document
    from engine.sites.build import build_inventory
    from engine.sites.imported import site_text

    text = site_text(file_bytes(arguments.file).decode("utf-8", "replace"), arguments.file)
    build_inventory(read_document(text.encode(), arguments.output or "site"), {})
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    try:
        Path(arguments.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BreakfixError(f"{arguments.output} can't be written: {error.strerror}") from None
    return 0
