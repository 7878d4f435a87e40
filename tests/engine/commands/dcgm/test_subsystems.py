"""dcgmi's subsystems other than diag: what they print and change, and how they refuse."""

from __future__ import annotations

import pytest

from engine.commands.dcgm.dcgmi import SUBSYSTEMS
from engine.control.processes import end, start
from engine.kernel.units import MINUTE
from tests.engine.commands.dcgm.conftest import IDLE, older
from tests.support.run import run_command

NO_CONNECTION = (
    "Error: unable to establish a connection to the specified host: localhost\n"
    "Error: Unable to connect to host engine. Host engine connection invalid/disconnected.\n"
)
REQUESTS = (
    "discovery -l", "group -l", "dmon -e 150 -c 1", "health -c", "nvlink -s", "topo -g 0", "policy --get", "modules -l",
    "profile -l", "config --get", "fieldgroup -l", "stats -e", "set --logging-severity DEBUG",
)  # fmt: skip


@pytest.mark.parametrize("words", REQUESTS)
def test_nothing_is_told_while_the_service_is_stopped(dcgmi, root, words: str) -> None:
    root("systemctl stop nvidia-dcgm")
    result = dcgmi(words)
    assert (result.stdout, result.status) == (NO_CONNECTION, 235)


@pytest.mark.parametrize("name", sorted(SUBSYSTEMS))
def test_each_subsystem_has_help_and_refuses_unknown_options(dcgmi, name: str) -> None:
    shown = dcgmi(f"{name} -h")
    assert shown.status == 0 and f" {name} -- " in shown.stdout and "Flags:" in shown.stdout
    refused = dcgmi(f"{name} --nonsense")
    assert refused.status == 1
    assert refused.stderr.startswith(
        "PARSE ERROR: Argument: --nonsense\n             Couldn't find match for argument\n"
    )
    assert f"   dcgmi {name} --help" in refused.stderr


def test_introspection_shows_the_daemon(dcgmi) -> None:
    shown = dcgmi("introspect -s -H").lines
    assert shown[5] == f"| {'Hostengine Process':<75}|" and shown[7] == f"| {'Memory':<18}| {'62000.0 KB':<55}|"
    assert {len(line) for line in shown if line} == {78}
    assert dcgmi("introspect -s").status == 254


@pytest.mark.parametrize("name", ["mndiag", "test"])
def test_what_is_not_modelled_says_so(dcgmi, name: str) -> None:
    assert "not modelled" in dcgmi(name).stderr


def test_unknown_subsystems_and_versions(dcgmi) -> None:
    assert dcgmi("nonsense").stdout.startswith("ERROR: Invalid subsystem.\n") and dcgmi("nonsense").status == 255
    assert "dcgmi subsystem" in dcgmi("").stdout
    assert dcgmi("-v").stdout.count("Version : 4.4.2") == 2


def test_an_option_of_a_kind_must_be_given_once(dcgmi) -> None:
    missing = dcgmi("dmon")
    assert missing.status == 1 and "Required argument missing: {field-group-id | field-id | list}" in missing.stderr
    twice = dcgmi("dmon -e 150 -e 155")
    assert "Argument: -e (--field-id)\n             Argument already set!" in twice.stderr
    assert "Missing a value for this argument!" in dcgmi("dmon -e").stderr
    assert "Couldn't read argument value from string 'x'" in dcgmi("dmon -e 150 -c x").stderr


def test_discovery_lists_gpus_and_switches(dcgmi, broken) -> None:
    text = dcgmi("discovery -l").stdout
    assert text.startswith("8 GPUs found.\n") and "4 NvSwitches found.\n" in text
    assert "| 0      | Name: NVIDIA H100 80GB HBM3 " in text
    broken("gpu.fell_off_bus target=dgx-04/gpu6")
    assert dcgmi("discovery -l").stdout.count("<<<NULL>>>") == 3


def test_a_host_engine_keeps_the_library_that_it_started_with(dcgmi, broken, root) -> None:
    broken("driver.library_mismatch target=dgx-04")
    assert dcgmi("discovery -l").stdout.startswith("8 GPUs found.")
    root("systemctl restart nvidia-dcgm")
    refused = dcgmi("discovery -l")
    assert "Return: Cannot perform the requested operation because NVML doesn't exist" in refused.stdout
    assert "Return: (-56)" in dcgmi("diag -r 1").stdout


def test_groups_are_made_changed_and_destroyed(dcgmi) -> None:
    assert dcgmi("group -c train").stdout == 'Successfully created group "train" with a group ID of 2\n'
    assert dcgmi("group -g 2 -a 0,1").status == 0
    shown = dcgmi("group -g 2 -i").stdout
    assert "train" in shown and "GPU 0, GPU 1" in shown
    assert [line[:5] for line in dcgmi("dmon -g 2 -e 150 -c 1").lines[2:]] == ["GPU 0", "GPU 1"]
    assert dcgmi("group -g 2 -r 1").status == 0 and "GPU 1" not in dcgmi("group -g 2 -i").stdout
    assert dcgmi("group -d 2").status == 0 and "train" not in dcgmi("group -l").stdout
    gone = dcgmi("group -d 2")
    assert gone.status != 0 and "The Group is not found" in gone.stdout


def test_what_the_host_engine_keeps_is_gone_when_it_restarts(dcgmi, root) -> None:
    dcgmi("group -c train")
    dcgmi("fieldgroup -c mine -f 150,155")
    dcgmi("health -s a")
    root("systemctl restart nvidia-dcgm")
    assert "train" not in dcgmi("group -l").stdout and "mine" not in dcgmi("fieldgroup -l").stdout
    assert "Health watches not enabled" in dcgmi("health -c").stdout


def test_field_groups_can_be_watched(dcgmi) -> None:
    assert dcgmi("fieldgroup -c mine -f 150,155").stdout.endswith('"mine" with a field group ID of 4\n')
    assert dcgmi("fieldgroup -c mine -f 150").status != 0
    assert dcgmi("dmon -f 4 -c 1 -i 0").lines[0].split() == ["#Entity", "TMPTR", "POWER"]
    assert dcgmi("fieldgroup -d -g 4").status == 0


def test_dmon_agrees_with_nvidia_smi(dcgmi, root, site) -> None:
    fields = "temperature.gpu,power.draw,clocks.sm,memory.used,pcie.link.gen.current"
    smi = root(f"nvidia-smi --query-gpu={fields} --format=csv,noheader,nounits -i 3").stdout.split(", ")
    row = dcgmi("dmon -e 150,155,100,252,237 -c 1 -i 3").lines[-1].split()[2:]
    assert int(row[0]) == int(smi[0]) and abs(float(row[1]) - float(smi[1])) < 0.01
    assert row[2] == smi[2] and row[4] == smi[4].strip()
    start = site.now
    assert len(dcgmi("dmon -e 150 -c 3 -d 2000 -i 0").lines) == 5
    assert 3_900 < (site.now - start) / 1e6 < 6_100


def test_dmon_names_fields_and_refuses_others(dcgmi) -> None:
    assert "gpu_temp" in dcgmi("dmon -l").stdout
    unknown = dcgmi("dmon -e 9999 -c 1")
    assert unknown.status != 0 and unknown.stdout.startswith("Error")


def test_profiling_can_be_given_up_and_taken_again(dcgmi, root) -> None:
    assert "gr_engine_active" in dcgmi("profile -l -i 0").stdout
    root("dcgmi profile --pause")
    assert "N/A" in dcgmi("dmon -e 1001 -c 1 -i 0").stdout
    root("dcgmi profile --resume")
    assert "N/A" not in dcgmi("dmon -e 1001 -c 1 -i 0").stdout


def test_a_denied_module_serves_nobody(dcgmi, root) -> None:
    assert "Successfully added module to the denylist Profiling" in root("dcgmi modules --denylist 8").stdout
    assert "| 8         | Profiling          | Denylisted" in dcgmi("modules -l").stdout
    assert dcgmi("profile -l").status == 223
    assert "-33" in dcgmi("dmon -e 1001 -c 1").stdout


def test_health_follows_the_state(dcgmi, broken) -> None:
    assert "Health watches not enabled" in dcgmi("health -c").stdout
    assert dcgmi("health -s z").stderr.startswith("Error: Invalid flags detected for arg set.\n")
    dcgmi("health -s a")
    assert "| Overall Health            | Healthy" in dcgmi("health -c").stdout
    broken("nvlink.link_down target=dgx-04/gpu2 link=7 cause=board")
    text = dcgmi("health -c").stdout
    assert "| Overall Health            | Failure" in text and "GPU 2's NvLink link 7 is currently down" in text
    assert dcgmi("health --clear").status == 0 and "not enabled" in dcgmi("health -c").stdout


def test_nvlinks_are_those_of_the_fabric(dcgmi, broken) -> None:
    whole = dcgmi("nvlink -s").stdout
    assert "    gpuId 0:\n        U U U U U U U U U U U U U U U U U U\n" in whole
    assert "Key: Up=U, Down=D, Disabled=X, Not Supported=_" in whole
    broken("nvlink.link_down target=dgx-04/gpu2 link=7 cause=board")
    assert "    gpuId 2:\n        U U U U U U U D U U U U U U U U U U\n" in dcgmi("nvlink -s").stdout
    assert dcgmi("nvlink -e -g 0").status == 0


def test_topology_names_affinity_and_links(dcgmi) -> None:
    text = dcgmi("topo --gpuid 0").stdout
    assert "CPU Core Affinity" in text and "Connected via eighteen NVLINKs" in text
    assert "Worst Path" in dcgmi("topo -g 0").stdout
    assert dcgmi("topo --gpuid 0 -g 0").stderr.startswith("Error: Both GPU and group ID are given")


def test_policies_are_kept_and_violations_reported(dcgmi, root, broken) -> None:
    assert "| Violation conditions        | None" in dcgmi("policy --get").stdout
    root("dcgmi policy --set 0,0 -e -x -T 85")
    text = dcgmi("policy --get").stdout
    assert "Double-bit ECC errors" in text and "Max temperature threshold - 85" in text and "XID error" in text


def test_stats_of_a_job(dcgmi, root, site) -> None:
    assert root("dcgmi stats -e").status == 0
    root("dcgmi stats -s two")
    root("dcgmi diag -r memory_bandwidth -i 0")
    assert root("dcgmi stats -x two").stdout == "Successfully stopped recording stats for two.\n"
    text = root("dcgmi stats -j two -v").stdout
    assert "Total Execution Time (sec)" in text and "Energy Consumed (Joules)" in text
    assert root("dcgmi stats -r two").status == 0 and root("dcgmi stats -j two").status != 0


def test_stats_of_a_process_that_has_ended(dcgmi, root, site) -> None:
    root("dcgmi stats -e")
    pid = start(site, IDLE, user="priya", command="./burn", gpus=(3,), gpu_memory=900, workload="burn")
    site.advance(2 * MINUTE)
    assert "Still Running" in dcgmi(f"stats -p {pid}").stdout
    end(site, IDLE, [pid], "exit")
    site.advance(MINUTE)
    text = dcgmi(f"stats -p {pid} -v").stdout
    assert f"Successfully retrieved process info for PID: {pid}. Process ran on 1 GPUs." in text
    assert "Still Running" not in text and "| 120 " in text and "| GPU ID: 3 " in text
    assert dcgmi("stats -p 4").status != 0


def test_configuration_shows_what_is_set(dcgmi, root) -> None:
    root("nvidia-smi -i 0 -pl 500")
    text = dcgmi("config --get -v").stdout
    assert "| Power Limit                  | Not Configured               | 500" in text
    assert "not modelled" in root("dcgmi config --set -P 400").stderr


def test_an_earlier_release_has_fewer_modules() -> None:
    site = older("3.3.9")
    text = run_command(site, IDLE, "root", "dcgmi modules -l").stdout
    assert "SysMon" in text and "MnDiag" not in text


def test_the_hierarchy_shows_instances_of_gpus_in_mig_mode(dcgmi, root) -> None:
    assert len(dcgmi("discovery -c").lines) == 4
    root("systemctl stop nvidia-dcgm")
    root("nvidia-smi -i 2 -mig 1")
    root("nvidia-smi mig -i 2 -cgi 9,19 -C")
    root("systemctl start nvidia-dcgm")
    lines = [" ".join(line.strip("| ").split()) for line in dcgmi("discovery -c").lines[3:-1]]
    assert lines[0].startswith("GPU 2 | GPU GPU-") and lines[0].endswith("(EntityID: 2)")
    assert lines[1].startswith("-> I 2/") and lines[1].endswith("GPU Instance (EntityID: 14)")
    assert lines[2].startswith("-> CI 2/") and "Compute Instance (EntityID: 14)" in lines[2]
    assert len(lines) == 5
