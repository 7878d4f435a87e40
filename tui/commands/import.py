"""Take in what other programs wrote: a fabric as a netlist, which becomes a site; questions, which become a bank.

The file goes to standard output, or into the file of -o.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.kernel.errors import BreakfixError
from exams.exchange.formats import FORMATS
from tui.opening import file_bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix import` takes."""
    formats = parser.add_subparsers(dest="format", required=True, metavar="FORMAT")
    netlist = formats.add_parser("ibsim", help="a netlist as ibnetdiscover prints it: it becomes a site")
    netlist.add_argument("file", help="the netlist")
    for name, one in FORMATS.items():
        if one.readable:
            questions = formats.add_parser(name, help=f"questions: {one.title}; they become a bank of an exam")
            questions.add_argument("file", help="the file with the questions")
            questions.add_argument("--blueprint", required=True, metavar="EXAM", help="the exam that they are for")
            questions.add_argument("--topic", required=True, help="the bank's topic, which is its file's name")
            questions.add_argument("--objective", help="of questions whose category names none of the exam's")
    for known in formats.choices.values():
        known.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write the file. Mistakes in what is read are told as file:line."""
    text = file_bytes(arguments.file).decode("utf-8", "replace")
    made = _site(text, arguments) if arguments.format == "ibsim" else _bank(text, arguments)
    if arguments.output is None:
        sys.stdout.write(made)
        return 0
    try:
        Path(arguments.output).write_text(made, encoding="utf-8")
    except OSError as error:
        raise BreakfixError(f"{arguments.output} can't be written: {error.strerror}") from None
    return 0


def _site(text: str, arguments: argparse.Namespace) -> str:
    from engine.kernel.documents import read_document
    from engine.sites.build import build_inventory
    from engine.sites.imported import site_text

    made = site_text(text, arguments.file)
    build_inventory(read_document(made.encode(), arguments.output or "site"), {})
    return made


def _bank(text: str, arguments: argparse.Namespace) -> str:
    from datetime import date
    from uuid import uuid4

    from exams.catalogue import find
    from exams.exchange.bank import bank_text
    from exams.load import load_bank

    blueprint = find(arguments.blueprint).blueprint
    questions = FORMATS[arguments.format].read(text, arguments.file)
    made, losses = bank_text(
        questions, blueprint, arguments.topic, arguments.objective, Path(arguments.file).name, date.today(),
        lambda: str(uuid4()),
    )  # fmt: skip
    for loss in losses:
        print(f"{loss.item}: {loss.what}", file=sys.stderr)
    load_bank(made, arguments.output or "bank", lambda name: blueprint, arguments.topic)
    return made
