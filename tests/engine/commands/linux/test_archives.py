"""tar, sos report and sensors: archives that can be read again, and what is in them."""

from __future__ import annotations

import io
import json
import lzma
import tarfile

import pytest

from engine.commands.linux._support.sos_plugins import PLUGINS
from engine.commands.linux._support.tape import Member, NotAnArchive, archived, members, packed, xz_packed
from engine.commands.linux.sos import file_name
from tests.support.sessions import last

NODE = "dgx-01"


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 65_537, 300_000])
def test_xz_form_is_read_by_the_library(size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    assert lzma.decompress(xz_packed(data)) == data


@pytest.mark.parametrize("form", ["", "gzip", "xz"])
def test_an_archive_is_read_again(form: str) -> None:
    put = [
        Member("a", "d", 0o755, 10**9),
        Member("a/x", "-", 0o640, 10**9, b"text"),
        Member("a/l", "l", 0o777, 0, b"", "x"),
    ]
    data = packed(archived(put), form)
    assert [(one.name, one.kind, one.content, one.target) for one in members(data)] == [
        ("a/", "d", b"", ""),
        ("a/x", "-", b"text", ""),
        ("a/l", "l", b"", "x"),
    ]
    with pytest.raises(NotAnArchive):
        members(b"nothing of this kind\n" * 50)


def test_tar_packs_lists_and_takes_out(simulation) -> None:
    said = last(
        simulation, ["ssh dgx-01", "cd /tmp; mkdir t; echo one >t/x; chmod 640 t/x; tar czf t.tgz t; tar tvf t.tgz"]
    )
    lines = said.splitlines()
    assert lines[0].split()[0] == "drwxr-xr-x" and lines[0].endswith(" t/")
    assert lines[1].split()[0] == "-rw-r-----" and lines[1].endswith(" t/x")
    line = "cd /tmp; tar xOf t.tgz t/x; mkdir o; tar -xvf t.tgz -C o t/x --strip-components=1; cat o/x; ls -l o/x"
    taken = last(simulation, ["ssh dgx-01", line]).splitlines()
    assert taken[:3] == ["one", "t/x", "one"] and taken[3].startswith("-rw-r-----")


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("tar tf /nosuch", "tar: /nosuch: Cannot open: No such file or directory\n"
         "tar: Error is not recoverable: exiting now\n", 2),
        ("tar tf /etc/passwd", "tar: This does not look like a tar archive\n"
         "tar: Exiting with failure status due to previous errors\n", 2),
        ("tar cf /tmp/n.tar", "tar: Cowardly refusing to create an empty archive\n"
         "Try 'tar --help' or 'tar --usage' for more information.\n", 2),
    ],
)  # fmt: skip
def test_tar_refuses_as_gnu_tar(run, line: str, words: str, status: int) -> None:
    said = run(line, host=NODE)
    assert (said.stderr, said.status) == (words, status)


def test_sos_needs_root_and_known_plugins(run) -> None:
    refused = run("sos report --batch", host=NODE)
    assert refused.stdout == "Could not initialize 'report': Component must be run with root privileges\n"
    assert "non-existing plugin (nix)" in run("sos report --batch -o nix", host=NODE, user="root").stdout


def _saved(said: str) -> str:
    return next(line.strip() for line in said.splitlines() if line.startswith("\t/tmp"))


def test_sos_report_holds_what_the_commands_say(run) -> None:
    said = run(
        "sos report --batch -o nvidia,ipmitool,release --label rma --case-id 4711", host=NODE, user="root"
    ).stdout
    path = _saved(said)
    assert path.startswith("/tmp/sosreport-dgx-01-rma-4711-2026-11-30-") and path.endswith(".tar.xz")
    listed = run(f"tar tf {path}", host=NODE, user="root").stdout.splitlines()
    root = listed[0]
    assert {f"{root}sos_commands/nvidia/nvidia-smi_-q", f"{root}sos_commands/ipmitool/ipmitool_sel_elist",
            f"{root}etc/os-release", f"{root}sos_reports/sos.txt"} <= set(listed)  # fmt: skip
    assert not any("/sos_commands/pci/" in name for name in listed)
    kept = run(f"tar xOf {path} {root}sos_commands/ipmitool/ipmitool_fru_print", host=NODE, user="root").stdout
    assert kept == run("ipmitool fru print", host=NODE, user="root").stdout
    assert run(f"cat {path}.sha256", host=NODE, user="root").stdout.strip() in said


def test_every_command_of_a_plugin_is_modelled_or_left_out(run) -> None:
    path = _saved(run("sos report --batch", host=NODE, user="root").stdout)
    report = run(f"tar xOf {path} --wildcards */sos_reports/sos.txt", host=NODE, user="root").stdout
    for plugin in PLUGINS:
        assert f"{plugin.name}\n{'=' * len(plugin.name)}\n" in report
    kept = run(f"tar xOf {path} --wildcards */sos_commands/*", host=NODE, user="root").stdout
    gaps = {line for line in kept.splitlines() if line.startswith("breakfix: not modelled")}
    assert gaps <= {"breakfix: not modelled: DMI types other than 0 to 4, 16 and 17"}


def test_nvsm_dump_holds_its_own_checks(run) -> None:
    said = run("nvsm dump health", host=NODE, user="root")
    first, done = said.stdout.splitlines()
    path = first.removeprefix("Writing output to ")
    assert path.startswith("/tmp/nvsm-health-dgx-01-20261130") and done == "Done." and said.status == 0
    health = run(f"tar xOf {path} --wildcards */health.txt", host=NODE, user="root").stdout
    assert "Health Summary\n--------------\n" in health


def test_names_of_commands_as_files() -> None:
    assert file_name("ls -lanR /boot") == "ls_-lanR_.boot"
    assert file_name("ip -o addr") == "ip_-o_addr"


def test_sensors_agree_with_the_kernel_files(simulation, run) -> None:
    value = int(last(simulation, ["ssh dgx-01", "cat /sys/class/hwmon/hwmon1/temp1_input"]))
    said = run("sensors", host=NODE).stdout
    assert said.startswith("coretemp-isa-0000\nAdapter: ISA adapter\nPackage id 0:  +")
    assert f"Package id 1:  +{value / 1000:.1f}°C  (high = +84.0°C, crit = +94.0°C)\n" in said
    assert run("sensors nix-*", host=NODE).status == 1
    assert json.loads(run("sensors -j", host=NODE).stdout)["coretemp-isa-0000"]["Adapter"] == "ISA adapter"


def test_sensors_without_the_driver(run) -> None:
    run("modprobe -r coretemp", host=NODE, user="root")
    said = run("sensors", host=NODE)
    assert said.stderr.startswith("No sensors found!\n") and said.status == 1


def test_archive_library_reads_ours() -> None:
    data = archived([Member("x", "-", 0o600, 0, b"abc")])
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == ["x"]
