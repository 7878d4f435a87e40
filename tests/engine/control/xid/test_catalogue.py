"""The catalogue of Xids and SXids: whole, consistent, and its texts as captured."""

from __future__ import annotations

import string

import pytest

from engine.control.xid import catalogue
from engine.workloads.cuda import cuda_error
from engine.world.records import RecoveryAction

ACTIONS = {"RESTART_APP", "RESET_GPU", "IGNORE", "CONTACT_SUPPORT", "RESTART_BM", "RESTART_VM", "CHECK_MECHANICALS",
           "UPDATE_SWFW", "CHECK_UVM", "XID_154", "WORKFLOW_XID_45", "WORKFLOW_XID_48", "WORKFLOW_NVLINK_ERR",
           "WORKFLOW_NVLINK5_ERR", ""}  # fmt: skip
CAUSES = {"hw", "driver", "app", "ram", "bus", "heat", "fb", "fabric"}


def test_every_number_up_to_176_is_there_once() -> None:
    assert sorted(catalogue.xids()) == list(range(1, 177))
    assert all(entry.name and entry.meaning for entry in catalogue.xids().values())


def test_words_of_the_table_are_known() -> None:
    for entry in catalogue.xids().values():
        assert entry.action in ACTIONS, entry
        assert set(entry.causes) <= CAUSES, entry
        assert entry.dies in ("process", "all", "none"), entry
        assert entry.told in ("", "45", "43", "own"), entry
        assert entry.cuda_error == 0 or cuda_error(entry.cuda_error).text, entry


def test_what_dies_gets_a_cuda_error_and_hardware_is_told_from_programs() -> None:
    assert all(entry.cuda_error for entry in catalogue.xids().values() if entry.dies != "none")
    by_program = {entry.number for entry in catalogue.xids().values() if entry.by_application}
    assert {13, 31, 43} <= by_program
    assert not by_program & {48, 63, 64, 74, 79, 95, 119, 120}


@pytest.mark.parametrize(
    ("number", "action", "recovery"),
    [
        (31, "RESTART_APP", None),
        (48, "WORKFLOW_XID_48", None),
        (63, "IGNORE", RecoveryAction.DRAIN_AND_RESET),
        (74, "WORKFLOW_NVLINK_ERR", RecoveryAction.RESET),
        (79, "RESTART_BM", RecoveryAction.RESET),
        (95, "RESET_GPU", RecoveryAction.RESET),
    ],
)
def test_known_entries(number: int, action: str, recovery: RecoveryAction | None) -> None:
    entry = catalogue.xids()[number]
    assert (entry.action, entry.recovery) == (action, recovery)


def test_every_text_belongs_to_an_xid_and_says_where_it_comes_from() -> None:
    for text in catalogue.texts():
        assert text.number in catalogue.xids()
        assert text.mark in ("capture", "source", "guess")
    keys = [(text.number, text.form, text.since) for text in catalogue.texts()]
    assert len(keys) == len(set(keys))


def test_every_text_can_be_filled_in() -> None:
    for text in catalogue.texts():
        names = [name for _, name, _, _ in string.Formatter().parse(text.template) if name]
        filled = catalogue.text(text.number, text.since, _samples(names), text.form)
        assert "{" not in filled and filled


def _samples(names: list[str]) -> dict[str, int | str]:
    words = {"what", "registers", "client", "address_text", "fault", "access", "unit", "words", "remote", "name",
             "old_name", "new_name"}  # fmt: skip
    return {name: "x" if name in words else 7 for name in names}


def test_texts_read_as_captured() -> None:
    place: dict[str, int | str] = {"address": 0x18F31D80, "partition": 16, "subpartition": 3}
    assert catalogue.text(48, 535, place, "dram") == (
        "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x18f31d80 "
        "partition 16, subpartition 3."
    )
    assert catalogue.text(63, 535, {"address": 0x18F31D80}) == (
        "Row Remapper: New row (0x0000000018f31d80) marked for remapping, reset gpu to activate."
    )
    assert catalogue.text(94, 535, {"unit": "SM", "code": 1}) == "Contained: SM (0x1). RST: No, D-RST: No"
    assert catalogue.text(74, 535, {"link": 14, "registers": "0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0"}, "fatal") == (
        "NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
    )


def test_a_timeout_of_the_firmware_names_a_sequence_from_590_on() -> None:
    values: dict[str, int | str] = {"seconds": 6, "index": 4, "function": 103, "name": "GSP_RM_ALLOC", "sequence": 12}
    values |= {"first": 0x2081, "second": 0x4}
    head = "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC) "
    assert catalogue.text(119, 580, values) == head + "(0x2081 0x4)."
    assert catalogue.text(119, 590, values) == head + "sequence 12 (0x2081 0x4)."


def test_a_form_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        catalogue.text(63, 590, {}, "no such form")


def test_sxids_are_whole() -> None:
    entries = catalogue.sxids()
    assert len(entries) == 399
    assert {entry.severity for entry in entries.values()} == {"", "nonfatal", "fatal", "contained"}
    assert (entries[20034].severity, entries[20034].text) == ("fatal", "LTSSM Fault Up")
    assert (entries[22013].severity, entries[22013].text) == ("nonfatal", "Minion Link DLREQ interrupt")
    assert entries[12020].reach == "always"
