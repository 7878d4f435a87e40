"""The past and the recorded journal: one row, the same for everybody, from the inventory's own devices."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import journald, kernel_image, modules
from engine.control.history import journal
from engine.control.history.incidents import crashes
from engine.control.history.past import first_boot
from engine.control.pci_resources import bus_ranges, regions
from engine.control.process_ids import pid_at
from engine.control.slurm import accounting
from engine.kernel.units import DAY, SECOND
from engine.sites.build import load_site
from engine.world.records import BootRecord, Priority
from engine.world.world import World
from tests.engine.control.os_scene import HEAD, NODE, site

ADDRESS = re.compile(r"\b0000:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b")
HOSTS = ("head-01", "dgx-01", "dgx-02", "dgx-03", "dgx-04")


def world(seed: int = 1) -> World:
    return World(load_site("dgx-h100-4"), seed)


@pytest.mark.parametrize("host", HOSTS)
def test_time_never_runs_backwards(host: str) -> None:
    times = [entry.time for entry in journald.entries(world(), host)]
    assert times == sorted(times)
    assert times[-1] < 0 < len(times)


@given(st.integers(0, 10**9), st.sampled_from(HOSTS))
@settings(max_examples=10)
def test_the_past_depends_on_seed_and_host_alone(seed: int, host: str) -> None:
    one, other = world(seed), world(seed)
    journald.entries(other, "dgx-02")
    journald.ring_buffer(other, host)
    assert journald.entries(one, host) == journald.entries(other, host)


def test_hosts_and_seeds_differ() -> None:
    logs = [journald.entries(world(seed), host) for seed in (1, 2) for host in (NODE, "dgx-02")]
    assert all(one != other for index, one in enumerate(logs) for other in logs[:index])


def test_parts_of_the_journal_are_parts_of_the_whole() -> None:
    here = world()
    whole, since, until = journald.entries(here, NODE), -9 * DAY, -2 * DAY
    assert journald.entries(here, NODE, since, until) == [e for e in whole if since <= e.time <= until]
    assert journald.kernel_entries(here, NODE) == [e for e in whole if e.source == "kernel"]


@pytest.mark.parametrize("host", HOSTS)
def test_the_kernel_names_every_device_and_no_other(host: str) -> None:
    here = world()
    named = {match for entry in journald.ring_buffer(here, host) for match in ADDRESS.findall(entry.text)}
    assert named == {device.address for device in here.node(host).pcie}


def test_a_dgx_boots_with_what_it_has() -> None:
    here, node = world(), world().node(NODE)
    log = [entry.text for entry in journald.ring_buffer(here, NODE)]
    assert 300 < len(log) < 1000
    assert log[0] == kernel_image.banner(kernel_image.release(here.inventory))
    assert log[1] == "Command line: " + kernel_image.command_line(here, NODE)
    for gpu in node.gpus:
        assert f"nvidia {gpu.address}: enabling device (0140 -> 0142)" in log
    for hca in node.hcas:
        assert f"mlx5_core {hca.address}: firmware version: {hca.firmware}" in log
        state = f"mlx5_core {hca.address} {hca.name}: Port: 1 Link ACTIVE"
        assert (state in log) == (hca.port in here.inventory.cables and hca.link_layer == "InfiniBand")
    for number, chip in enumerate(node.nvswitches):
        assert any(f"Probing device {chip.address}, Vendor Id = 0x10de" in line for line in log)
        assert f"nvidia-nvswitch{number}: using MSI" in log
    for drive in node.drives:
        assert f"nvme {drive.name}: pci function {drive.address}" in log


def test_the_loaded_driver_is_the_one_that_the_log_tells_of() -> None:
    here = world()
    loading = [entry.text for entry in journald.ring_buffer(here, NODE) if entry.text.startswith("NVRM: loading")]
    assert len(loading) == 1
    assert f"x86_64  {modules.driver_version(here, NODE)}  Release Build" in loading[0]


def test_regions_do_not_overlap_and_lie_below_their_bridges() -> None:
    inventory = load_site("dgx-h100-4")
    node = inventory.node(NODE)
    spans = sorted((region.start, region.end) for owned in regions(inventory, NODE).values() for region in owned)
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(spans))
    assert all(region.start % region.size == 0 for owned in regions(inventory, NODE).values() for region in owned)
    ranges = bus_ranges(inventory, NODE)
    for device in node.pcie:
        if device.parent in ranges:
            first, last = ranges[device.parent]
            assert first <= int(device.address[5:7], 16) <= last


def test_boots_follow_each_other_with_pauses() -> None:
    boots = journald.boots(world(), NODE)
    assert [boot.index for boot in boots] == [-2, -1, 0]
    assert len({boot.id for boot in boots}) == 3
    assert boots[-1].end is None
    assert all(one.end and one.end < other.start for one, other in itertools.pairwise(boots))


def test_nothing_is_written_while_the_system_is_down() -> None:
    here = world()
    boots = journald.boots(here, HEAD)
    for one, other in itertools.pairwise(boots):
        assert one.end is not None
        assert not [e for e in journald.entries(here, HEAD, one.end + 1, other.start - 1)]


def test_daemons_of_the_past_bear_the_ids_that_they_have() -> None:
    simulation = site()
    boot = journald.boots(simulation.world, NODE)[-1].start
    ids = {e.pid for e in journald.entries(simulation.world, NODE, boot) if e.source == "slurmd"}
    from engine.control import systemd

    assert ids == {systemd.service(simulation.world, NODE, "slurmd").pid}


def test_what_is_written_is_read() -> None:
    simulation = site()
    simulation.advance(5 * SECOND)
    journald.kernel(simulation, NODE, "one", Priority.ERR)
    journald.log(simulation, NODE, "two", source="app", pid=7, unit="app.service")
    found = [e for e in journald.entries(simulation.world, NODE, 5 * SECOND) if e.text in ("one", "two")]
    assert [(e.source, e.priority) for e in found] == [("kernel", Priority.ERR), ("app", Priority.INFO)]
    assert found[0].time < found[1].time
    assert journald.ring_buffer(simulation.world, NODE)[-1].text == "one"


def test_benign_xids_name_a_gpu_of_the_host_first() -> None:
    for seed in range(6):
        here = world(seed)
        log = [entry.text for entry in journald.ring_buffer(here, "dgx-02")]
        for gpu in here.node("dgx-02").gpus:
            slot = gpu.address.rpartition(".")[0]
            xids = [index for index, text in enumerate(log) if f"Xid (PCI:{slot})" in text]
            if xids:
                assert log[xids[0] - 2 : xids[0]] == [
                    f"NVRM: GPU at PCI:{slot}: {gpu.uuid}",
                    f"NVRM: GPU Board Serial Number: {gpu.serial}",
                ]
                assert {re.sub(r".*\): (\d+),.*", r"\1", log[index]) for index in xids} == {"13", "43"}


def test_every_benign_xid_is_a_failed_job_in_the_accounting() -> None:
    """Seconds after the kernel's lines a job of a user is over as FAILED on that node, and it had the GPU."""
    found = 0
    for seed, host in itertools.product(range(1, 6), ("dgx-01", "dgx-02", "dgx-03")):
        here = world(seed)
        failed = [job for job in accounting.past(here) if job.state == "FAILED" and host in job.nodes]
        entries = journald.entries(here, host, end=0)
        for entry in entries:
            named = re.search(r"Xid \(PCI:(.*?)\): (13|43), (?:pid=(\d+), name=(\w+))?", entry.text)
            if named is None:
                continue
            (job,) = [job for job in failed if 0 < (job.ended or 0) - entry.time < 8 * SECOND]
            slots = [gpu.address.rpartition(".")[0] for gpu in here.node(host).gpus]
            assert slots.index(named[1]) < job.gpus_per_node
            assert here.inventory.user(job.user) is not None
            assert named[2] == "13" or named[4] == job.steps[-1].name
            found += 1
    assert found > 20


def test_a_crash_has_the_process_id_of_when_its_job_began() -> None:
    for crash in crashes(world(2), "dgx-02"):
        assert crash.job.started is not None
        before, after = (
            pid_at(world(2), "dgx-02", first_boot(world(2), "dgx-02"), time) for time in (crash.job.started, crash.time)
        )
        assert before <= crash.pid <= max(after, before + 1) + 8


def test_a_boot_tells_of_a_link_that_trained_narrower() -> None:
    simulation = site()
    adapter = simulation.world.node(NODE).hcas[0].address
    record = BootRecord(0, None, (), (), narrow=((adapter, 5, 8),))
    messages = journal.kernel_messages(simulation.world, NODE, record)
    told = [entry.text for entry in messages if "limited by" in entry.text]
    assert len(told) == 1 and told[0].startswith(
        f"mlx5_core {adapter}: 252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x8 link at 0000:"
    )
    assert told[0].endswith("(capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)")
