"""apt, apt-get, apt-cache, apt-mark, dpkg, dpkg-query: two tools, one set of packages."""

from __future__ import annotations

import pytest

from engine.control import packages
from engine.control.boot import ChassisPower

HOST = "dgx-02"
OLD_CURL, NEW_CURL = "8.5.0-2ubuntu10.5", "8.5.0-2ubuntu10.6"
NOT_ROOT = (
    "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n"
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n"
)


def version(simulation, name: str) -> str:
    return packages.installed(simulation.world, HOST)[name].version


def test_all_tools_show_the_same_packages(run, simulation) -> None:
    known = packages.installed(simulation.world, HOST)
    table = [line.split()[1].partition(":")[0] for line in run("dpkg -l", host=HOST).lines[5:]]
    shown = [line.split("\t")[0].partition(":")[0] for line in run("dpkg-query -W", host=HOST).lines]
    listed = [line.partition("/")[0] for line in run("apt list --installed", host=HOST).lines[1:]]
    assert table == shown == listed == run("apt-cache pkgnames", host=HOST).lines == list(known)


def test_the_table_of_dpkg(run) -> None:
    lines = run("dpkg -l less curl", host=HOST).lines
    assert lines[3].startswith("||/ Name           Version           Architecture Description")
    assert lines[4].startswith("+++-==============-=================-============-====")
    assert [line[:8] for line in lines[5:]] == ["ii  curl", "ii  less"]
    told = run("dpkg -l nosuch less", host=HOST)
    assert told.stderr == "dpkg-query: no packages found matching nosuch\n" and told.status == 1 and told.stdout


def test_files_of_packages(run) -> None:
    assert run("dpkg -S /usr/bin/nvidia-smi", host=HOST).stdout == "nvidia-utils-590: /usr/bin/nvidia-smi\n"
    assert run("dpkg -S bin/dcgmi", host=HOST).stdout == "datacenter-gpu-manager-4-core: /usr/bin/dcgmi\n"
    assert run("dpkg -L curl", host=HOST).lines == ["/.", "/usr", "/usr/bin", "/usr/bin/curl"]
    assert run("dpkg -S /nosuch", host=HOST).stderr == "dpkg-query: no path found matching pattern /nosuch\n"
    assert run("dpkg -s nosuch", host=HOST).stderr.startswith(
        "dpkg-query: package 'nosuch' is not installed and no inf"
    )


def test_forms_of_dpkg_query(run) -> None:
    line = r"dpkg-query -W -f '${Package;-8}|${Version;20}|${Status}|${Nosuch}|${db:Status-Abbrev}\n' curl"
    assert run(line, host=HOST).stdout == f"curl    |{NEW_CURL:>20}|install ok installed||ii \n"


def test_policy_marks_what_is_installed(run) -> None:
    lines = run("apt-cache policy curl", host=HOST).lines
    assert lines[:4] == ["curl:", f"  Installed: {NEW_CURL}", f"  Candidate: {NEW_CURL}", "  Version table:"]
    assert lines[4] == f" *** {NEW_CURL} 500" and f"     {OLD_CURL} 500" in lines
    assert lines[5] == "        500 http://head-01/ubuntu noble/main amd64 Packages"


def test_only_root_changes_packages(run, simulation) -> None:
    told = run("apt-get install -y curl", host=HOST)
    assert (told.stderr, told.status) == (NOT_ROOT, 100)
    assert run("apt-mark hold curl", host=HOST).stderr.endswith("E: Executing dpkg failed. Are you root?\n")
    assert "superuser privilege" in run("dpkg -r curl", host=HOST).stderr
    assert not packages.holds(simulation.world, HOST)


def test_going_back_needs_a_word(run, simulation) -> None:
    line = f"apt-get install -y curl={OLD_CURL}"
    told = run(line, host=HOST, user="root")
    refused = "E: Packages were downgraded and -y was used without --allow-downgrades.\n"
    assert (told.stderr, told.status) == (refused, 100)
    assert version(simulation, "curl") == NEW_CURL
    told = run(
        f"{line} --allow-downgrades", host=HOST, user="root", environment={"SUDO_USER": "alex", "SUDO_UID": "1001"}
    )
    assert told.status == 0 and f"Setting up curl ({OLD_CURL}) ..." in told.lines
    assert version(simulation, "curl") == OLD_CURL
    history = run("tail -n 5 /var/log/apt/history.log", host=HOST).lines
    assert f"Commandline: {line} --allow-downgrades" in history and "Requested-By: alex (1001)" in history


def test_a_hold_keeps_a_package_back(run, simulation) -> None:
    run(f"apt-get install -y --allow-downgrades curl={OLD_CURL}", host=HOST, user="root")
    assert (
        "1 package can be upgraded. Run 'apt list --upgradable' to see it."
        in run("apt update", host=HOST, user="root").lines
    )
    assert run("apt-mark hold curl", host=HOST, user="root").stdout == "curl set on hold.\n"
    assert run("apt-mark hold curl", host=HOST, user="root").stdout == "curl was already set on hold.\n"
    assert run("dpkg -l curl", host=HOST).lines[-1].startswith("hi  curl")
    kept = run("apt-get upgrade -y", host=HOST, user="root").lines
    assert kept[kept.index("The following packages have been kept back:") + 1] == "  curl"
    assert version(simulation, "curl") == OLD_CURL
    assert run("apt-mark unhold curl", host=HOST, user="root").stdout == "Canceled hold on curl.\n"
    assert run("apt-get upgrade -y", host=HOST, user="root").status == 0
    assert version(simulation, "curl") == NEW_CURL


def test_nothing_happens_without_a_yes(run, simulation) -> None:
    run(f"apt-get install -y --allow-downgrades curl={OLD_CURL}", host=HOST, user="root")
    refused = run("apt-get upgrade", host=HOST, user="root")
    assert refused.status == 1 and refused.lines[-1] == "Do you want to continue? [Y/n] Abort."
    assert run("apt-get -s upgrade", host=HOST).status == 0
    assert version(simulation, "curl") == OLD_CURL
    assert run("apt-get upgrade", host=HOST, user="root", stdin=b"y\n").status == 0
    assert version(simulation, "curl") == NEW_CURL


def test_the_driver_goes_as_a_family(run, simulation) -> None:
    older = packages.available(simulation.world, HOST, "nvidia-utils-590")[1]
    line = f"apt-get install -s --allow-downgrades nvidia-utils-590={older}"
    shown = run(line, host=HOST, user="root").stdout
    assert "The following additional packages will be installed:" in shown and "libnvidia-compute-590" in shown
    assert packages.library_version(simulation.world, HOST) == "590.48.01"
    run(line.replace("-s", "-y"), host=HOST, user="root")
    assert packages.library_version(simulation.world, HOST) == older.partition("-")[0]
    assert run("nvidia-smi", host=HOST).status != 0


def test_a_mirror_that_does_not_answer(run, simulation) -> None:
    simulation.apply(ChassisPower("head-01", "off", "mara"))
    told = run("apt-get update", host=HOST, user="root")
    assert "Ign:1 http://head-01/ubuntu noble InRelease" in told.lines and "W: Failed to fetch" in told.stderr
    refused = run(f"apt-get install -y --allow-downgrades curl={OLD_CURL}", host=HOST, user="root")
    assert refused.status == 100 and version(simulation, "curl") == NEW_CURL


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("apt-get install nosuch", "E: Unable to locate package nosuch\n", 100),
        ("apt-get install curl=9", "E: Version '9' for 'curl' was not found\n", 100),
        ("apt-get frob", "E: Invalid operation frob\n", 100),
        (
            "apt-get --frob",
            "E: Command line option --frob is not understood in combination with the other options\n",
            100,
        ),
        ("apt-cache search", "E: You must give at least one search pattern\n", 100),
        ("apt-mark hold", "E: No packages found\n", 100),
        ("apt-get autoremove", "breakfix: not modelled: apt-get autoremove\n", 125),
        ("dpkg -l -s", "dpkg: error: conflicting actions -s (--status) and -l (--list)\n", 2),
        ("dpkg --frob", "dpkg: error: unknown option --frob\n", 2),
        ("dpkg-query", "dpkg-query: error: need an action option\n", 2),
    ],
)
def test_refusals(run, line: str, words: str, status: int) -> None:
    told = run(line, host=HOST, user="root")
    assert told.stderr.startswith(words) and told.status == status


def test_versions_are_compared(run) -> None:
    assert run("dpkg --compare-versions 590.48.01 gt 590.44.01").status == 0
    assert run("dpkg --compare-versions 590.48.01 lt 590.44.01").status == 1
