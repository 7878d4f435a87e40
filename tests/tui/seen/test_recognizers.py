"""What real lines in a sandbox teach, and what they must not teach."""

from __future__ import annotations

from engine.kernel.units import MINUTE
from engine.world.records import NvLinkErrors
from tests.tui.seen.looking import learnt, look, sandbox, told
from tui.look.glyphs import State

LOST = "gpu.fell_off_bus target=dgx-02/gpu5"
GPUS = [f"dgx-02/gpu{index}" for index in range(8)]


def test_nothing_is_known_before_a_command_has_shown_it() -> None:
    assert not look(sandbox(LOST), "true", "hostname").sightings


def test_the_table_shows_values_and_the_gpu_that_is_not_there() -> None:
    known = look(sandbox(LOST, 5 * MINUTE), "ssh dgx-02 nvidia-smi")
    assert known.state("dgx-02/gpu5") is State.DOWN and known.value("dgx-02/gpu5", "nvidia-smi") == "Unknown Error"
    assert [known.state(gpu) for gpu in GPUS].count(State.OK) == 7
    assert known.value("dgx-02/gpu4", "temperature") == "32 C"
    assert known.value("dgx-02/gpu4", "memory used") == "0 of 81559 MiB"
    assert known.value("dgx-02", "driver") == "590.48.01" and known.value("dgx-02", "login") == "answers"
    assert not known.of("dgx-01") and known.seen_at("dgx-02/gpu4") == 5 * MINUTE


def test_a_gpu_that_is_only_missing_is_not_listed() -> None:
    whole = look(sandbox(LOST), "ssh dgx-02 'nvidia-smi -L' 2>/dev/null")
    assert whole.value("dgx-02/gpu5", "nvidia-smi") == "not listed" and whole.state("dgx-02/gpu5") is State.DOWN
    part = look(sandbox(), "ssh dgx-02 nvidia-smi -L | head -3", "ssh dgx-01 nvidia-smi -i 2")
    assert set(part.parts("dgx-02")) == {"dgx-02/gpu0", "dgx-02/gpu1", "dgx-02/gpu2"}
    assert set(part.parts("dgx-01")) == {"dgx-01/gpu2"}


def test_a_spare_board_is_no_missing_one() -> None:
    spare = learnt(
        "nvidia-smi -L", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n", "dgx-01"
    )
    assert told(spare) == {
        ("dgx-01", "driver", "answers", State.OK),
        ("dgx-01", "login", "answers", State.OK),
    }


def test_numbers_name_gpus_only_where_none_is_missing() -> None:
    query = "nvidia-smi --query-gpu=index,temperature.gpu --format=csv"
    known = look(sandbox(), f"ssh dgx-02 {query}", f"ssh dgx-01 {query} -i 5")
    assert len(known.parts("dgx-02")) == 8 and not known.parts("dgx-01")
    assert known.value("dgx-02/gpu7", "temperature") is not None
    addressed = look(sandbox(), f"ssh dgx-01 {query.replace('index', 'pci.bus_id')} -i 5")
    assert addressed.parts("dgx-01") == ("dgx-01/gpu5",)
    renumbered = "index, temperature.gpu\n" + "".join(f"{index}, 40\n" for index in range(7))
    assert not learnt(query, renumbered, "dgx-02")


def test_reasons_have_a_state_and_temperatures_have_none() -> None:
    query = "nvidia-smi --query-gpu=uuid,temperature.gpu,clocks_event_reasons.hw_thermal_slowdown --format=csv,noheader"
    uuid = "GPU-3e523cc3-a519-adbb-c2bb-9fe826b7ee8d"
    hot = learnt(query, f"{uuid}, 95, Active\n", "dgx-01")
    assert ("dgx-01/gpu5", "HW thermal slowdown", "Active", State.DEGRADED) in told(hot)
    assert ("dgx-01/gpu5", "temperature", "95 C", State.UNKNOWN) in told(hot)


def test_the_report_names_each_gpu() -> None:
    known = look(sandbox(), "ssh dgx-03 nvidia-smi -q -d TEMPERATURE,PERFORMANCE")
    assert known.value("dgx-03/gpu0", "SW thermal slowdown") == "Not Active"
    assert known.value("dgx-03/gpu7", "memory temperature") is not None
    picked = "ssh dgx-03 nvidia-smi -q | grep -E "
    assert len(look(sandbox(), f"{picked} '^GPU 0|GPU Current'").parts("dgx-03")) == 8
    assert not look(sandbox(), f"{picked} 'GPU Current|C3:00'").parts("dgx-03")


def test_a_driver_that_fails_tells_nothing_of_its_gpus() -> None:
    simulation = sandbox("driver.library_mismatch target=dgx-02")
    known = look(simulation, "ssh dgx-02 nvidia-smi")
    assert known.value("dgx-02", "driver") == "driver/library version mismatch"
    assert known.state("dgx-02") is State.DEGRADED and {known.state(gpu) for gpu in GPUS} == {State.UNKNOWN}


def test_a_log_says_what_was() -> None:
    known = look(sandbox(LOST), "ssh dgx-02 sudo dmesg -T | grep Xid")
    assert known.value("dgx-02/gpu5", "Xid 79") == "GPU has fallen off the bus."
    assert known.logged("dgx-02/gpu5") and known.state("dgx-02/gpu5") is State.UNKNOWN
    assert not known.logged("dgx-01/gpu5")
    assert look(sandbox(LOST), "ssh dgx-02 sudo journalctl -k").value("dgx-02/gpu5", "Xid 79")


def test_the_bus() -> None:
    known = look(sandbox(LOST), "ssh dgx-02 lspci | grep -i nvidia")
    assert known.value("dgx-02/gpu5", "PCI") == "rev ff" and known.state("dgx-02/gpu5") is State.DOWN
    assert known.state("dgx-02/nvswitch0") is State.OK
    gone = learnt("lspci", "1b:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)\n", "dgx-01")
    assert ("dgx-01/gpu1", "PCI", "not listed", State.DOWN) in told(gone)


def test_slurm() -> None:
    drain = "sudo scontrol update nodename=dgx-04 state=drain reason='bad fan'"
    known = look(sandbox(), drain)
    assert not known.sightings
    known = look(sandbox(), drain, "sinfo", "squeue")
    assert known.state("dgx-04") is State.DRAINED and known.state("dgx-01") is State.OK
    assert known.value("dgx-01", "jobs") == "48283 (priya)" and known.value("dgx-04", "jobs") == "none"
    for line in ("sinfo -R", "sinfo -N -l", "scontrol show node dgx-04", "sinfo -o '%n %E'"):
        assert look(sandbox(), drain, line).value("dgx-04", "Slurm reason") == "bad fan", line
    for line in ("sinfo | grep drain", "sinfo -Nh", "scontrol show node dgx-04 | grep State", "sinfo -l"):
        assert look(sandbox(), drain, line).state("dgx-04") is State.DRAINED, line
    part = look(sandbox(), "squeue -u wei", "scontrol show job 48287", "sinfo -s")
    assert set(part.sightings) == {"job 48287"} and part.value("job 48287", "where") == "dgx-03"


def test_a_node_that_does_not_respond_is_marked() -> None:
    silent = learnt("sinfo", "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nbatch* up 1:00 2 alloc* dgx-[01-02]\n")
    assert ("dgx-02", "Slurm", "alloc*", State.DEGRADED) in told(silent) and len(silent) == 2


def test_a_host_that_is_down() -> None:
    lines = ("ssh dgx-02 sudo poweroff", "sleep 120", "ping -c 1 dgx-02", "clush -bw dgx-[01-02] uptime")
    known = look(sandbox(), *lines)
    assert known.value("dgx-02", "ping") == "no answer" and known.value("dgx-02", "login") == "No route to host"
    assert known.state("dgx-02") is State.DOWN and known.state("dgx-01") is State.OK
    assert (known.value("dgx-01", "uptime") or "").startswith("up 28 days")


def test_sensors() -> None:
    simulation = sandbox("cooling.fan_failed target=dgx-02/fan3", 5 * MINUTE)
    for line in ("sdr", "sdr type fan", "sensor", "sdr elist"):
        known = look(simulation, f"ssh dgx-02 sudo ipmitool {line}")
        assert known.state("dgx-02/fan3") is State.DOWN and known.state("dgx-02/fan4") is State.OK, line
    remote = "sudo ipmitool -I lanplus -H dgx-02-bmc -U admin -P admin sdr"
    known = look(simulation, remote, "ssh dgx-02 sudo ipmitool sel elist")
    assert known.value("dgx-02", "inlet temperature") == "24 degrees C" and not known.of("head-01/fan3")
    assert known.state("dgx-02/psu0") is State.UNKNOWN and known.logged("dgx-02/fan3")


def test_ports_and_switches() -> None:
    for line in ("ibstat", "ibstatus"):
        known = look(sandbox(), f"ssh dgx-01 {line}")
        assert known.state("dgx-01/mlx5_0/1") is State.OK and known.state("dgx-01/mlx5_1/1") is State.UNKNOWN
        assert "no cable" in (known.value("dgx-01/mlx5_1/1", "link") or "")
    for line in ("ibswitches", "ibnodes", "ibnetdiscover", "iblinkinfo"):
        assert look(sandbox(), f"ssh dgx-01 sudo {line}").state("spine-02") is State.OK, line
    assert look(sandbox(), "ping -c 1 leaf-01").state("leaf-01") is State.OK


def test_links_of_the_fabric() -> None:
    for options in ("", " -l"):
        known = look(sandbox("fabric.port_disabled target=leaf-01/13"), f"ssh dgx-01 sudo iblinkinfo{options}")
        assert known.state("dgx-01/mlx5_0/1") is State.OK, options
        assert known.value("leaf-01/13", "link") == "Down, Disabled", options
        slow = look(sandbox("fabric.cable_slow target=leaf-01/13 rate=200"), f"ssh dgx-01 sudo iblinkinfo{options}")
        assert slow.value("dgx-04/mlx5_0/1", "speed of a lane") == "53.125 Gbps (could be 106.25 Gbps)", options


def test_errors_of_ports() -> None:
    simulation = sandbox("fabric.cable_bad target=leaf-01/13 exponent=9", 5 * MINUTE)
    known = look(simulation, "sudo ibqueryerrors")
    assert known.state("dgx-04/mlx5_0/1") is State.DEGRADED and known.state("dgx-03/mlx5_0/1") is State.UNKNOWN
    assert (known.value("leaf-01/13", "errors") or "").startswith("SymbolErrorCounter ")


def test_output_on_several_hosts_is_told_apart() -> None:
    for line in ("pdsh -w dgx-[01-02] nvidia-smi | dshbak -c", "clush -bw dgx-[01-02] nvidia-smi",
                 "clush -w dgx-[01-02] nvidia-smi"):  # fmt: skip
        known = look(sandbox(LOST), line)
        assert known.state("dgx-02/gpu5") is State.DOWN and known.state("dgx-01/gpu5") is State.OK, line
    both = look(sandbox(), "ssh dgx-01 nvidia-smi -L; ssh dgx-02 nvidia-smi -L")
    assert not both.of("dgx-01/gpu0") and not both.of("dgx-02/gpu0")


def test_rows_torn_from_their_table_are_not_read() -> None:
    assert not look(sandbox(), "ssh dgx-02 nvidia-smi | grep -v 43:00").sightings
    assert not look(sandbox(), "cat /etc/hosts; ssh dgx-02 nvidia-smi").sightings


def test_a_later_sighting_takes_the_place_of_an_earlier_one() -> None:
    known = look(sandbox(), "sinfo")
    first = known.version
    known.take("head-01", "sinfo", "batch* up 7-00:00:00 1 drain dgx-04\n", 40 * MINUTE)
    assert known.state("dgx-04") is State.DRAINED and known.version == first + 1
    assert known.seen_at("dgx-04") == 40 * MINUTE and known.seen_at("dgx-01") == 0


def test_dcgm_lists_gpus_by_address_and_one_without_values_is_known() -> None:
    known = look(sandbox(LOST), "ssh dgx-02 dcgmi discovery -l")
    assert known.value("dgx-02/gpu5", "DCGM") == "no values" and known.state("dgx-02/gpu5") is State.DOWN
    assert [known.state(gpu) for gpu in GPUS].count(State.OK) == 7
    part = look(sandbox(LOST), "ssh dgx-02 dcgmi discovery -l | head -20")
    assert not part.of("dgx-02/gpu5") and part.value("dgx-02/gpu0", "DCGM") == "listed"


def test_dcgm_health_and_diagnostics_say_how_a_node_is() -> None:
    simulation = sandbox("pcie.link_degraded target=dgx-03/gpu5")
    known = look(
        simulation, "ssh dgx-03 dcgmi health -s a", "ssh dgx-03 dcgmi health -c", "ssh dgx-03 dcgmi diag -r pcie"
    )
    assert known.value("dgx-03", "DCGM health") == "Healthy"
    assert known.value("dgx-03", "DCGM diag") == "pcie failed" and known.state("dgx-03") is State.DEGRADED
    assert known.value("dgx-03/gpu5", "DCGM diag") == "pcie failed"
    assert known.value("dgx-03/gpu4", "DCGM diag") == "passed"
    some = look(sandbox(), "ssh dgx-03 dcgmi diag -r 1 -i 1,2")
    assert some.value("dgx-03", "DCGM diag") == "1 passed" and not some.parts("dgx-03")


def test_a_stopped_host_engine_is_seen() -> None:
    known = look(sandbox(), "ssh dgx-03 sudo systemctl stop nvidia-dcgm", "ssh dgx-03 dcgmi group -l")
    assert known.value("dgx-03", "host engine") == "does not answer"


def test_nvlinks_are_counted_where_all_of_a_gpu_are_there() -> None:
    simulation = sandbox()
    simulation.world.nvlinks.update("dgx-03/gpu1", down=(4,), errors=(NvLinkErrors(2, replay=5),))
    known = look(simulation, "ssh dgx-03 nvidia-smi nvlink -s", "ssh dgx-03 nvidia-smi nvlink -e -i 1")
    assert known.value("dgx-03/gpu0", "NVLinks") == "18 of 18 up"
    assert known.value("dgx-03/gpu1", "NVLinks") == "17 of 18 up" and known.state("dgx-03/gpu1") is State.DEGRADED
    assert known.value("dgx-03/gpu1", "NVLink errors") == "5" and known.value("dgx-03/gpu0", "NVLink errors") is None
    part = look(sandbox(), "ssh dgx-03 nvidia-smi nvlink -s | head -5", "ssh dgx-03 nvidia-smi nvlink -s -l 3")
    assert part.value("dgx-03/gpu0", "NVLinks") is None
