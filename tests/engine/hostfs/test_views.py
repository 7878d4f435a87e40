"""Views: everything can be read on every host, what is read follows the state, and no two views disagree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.control import accounts, driver, journald, modules, packages, processes, sensors, service_state
from engine.control.accounts import identity
from engine.control.packages import Upgrade
from engine.control.subnet_manager.lids import lid
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat
from engine.kernel.simulation import Simulation
from engine.physics import gpu_bus, links
from engine.world.records import BusState
from engine.world.world import World
from tests.engine.hostfs.conftest import Seen

NODE, HEAD = "dgx-01", "head-01"
# What reading a file may answer instead of giving content: no show function, not while down, not modelled.
HONEST_REFUSALS = {ErrorCode.PERMISSION, ErrorCode.INVALID, ErrorCode.NOT_MODELLED}
HEXADECIMAL = frozenset("0123456789abcdef")


def tree_of(simulation: Simulation[World], host: str) -> HostTree:
    return HostTree(simulation, host, identity(simulation.world.inventory, "root"), programs=lambda: ("nvidia-smi",))


def walk(tree: HostTree, top: str) -> Iterator[tuple[str, Stat]]:
    """Everything below a directory; of processes the first ones stand for all."""
    for name, stat in tree.entries(top or "/"):
        path = f"{top}/{name}"
        if top == "/proc" and name.isdigit() and int(name) > 20:
            continue
        yield path, stat
        if stat.kind is FileKind.DIRECTORY:
            yield from walk(tree, path)


def text(tree: HostTree, path: str) -> str:
    return tree.read(path).decode().rstrip("\n")


def names(tree: HostTree, path: str) -> list[str]:
    return [name for name, _ in tree.entries(path)]


@pytest.mark.parametrize("host", [NODE, "dgx-02", "dgx-03", "dgx-04", HEAD])
def test_every_file_is_readable_and_as_long_as_it_says(site: Simulation[World], host: str) -> None:
    tree = tree_of(site, host)
    for path, stat in walk(tree, ""):
        if stat.kind is FileKind.SYMLINK:
            assert tree.read_link(path), path
            assert tree.exists(path) or path in ("/dev/log",), path
            continue
        if stat.kind is FileKind.DIRECTORY:
            continue
        try:
            content = tree.read(path)
        except FileError as refused:
            assert refused.code in HONEST_REFUSALS, path
            continue
        if stat.kind is FileKind.FILE and not path.startswith(("/proc/", "/sys/")):
            assert stat.size == len(content), path


@pytest.mark.parametrize("host", ["dgx-02", "dgx-03", "dgx-04"])
def test_other_hosts_have_the_same_files(site: Simulation[World], host: str) -> None:
    def shape(name: str) -> set[str]:
        found = {path for path, _ in walk(tree_of(site, name), "/sys")} | set(names(tree_of(site, name), "/etc"))
        return {path for path in found if "/pkeys/" not in path}

    assert shape(host) == shape(NODE)


def test_times_follow_from_the_state(site: Simulation[World]) -> None:
    tree, start = tree_of(site, NODE), site.world.inventory.start
    now = start + site.now
    booted = start + site.world.nodes[NODE].booted_at
    assert tree.stat("/proc/uptime").modified == tree.stat("/sys/class/net").modified == booted
    assert tree.stat("/usr/bin/ls").modified < booted
    assert booted < tree.stat("/var/log/syslog").modified <= now
    assert tree.stat("/run/sshd.pid").modified == start + service_state.service(site.world, NODE, "ssh").since
    assert all(stat.modified <= now for _, stat in walk(tree, "/etc"))


def test_two_seeds_and_two_hosts_have_files_of_their_own(site: Simulation[World]) -> None:
    here, there = tree_of(site, NODE), tree_of(site, "dgx-02")
    for path in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/sys/class/net/eno3/address", "/etc/hostname"):
        assert here.read(path) != there.read(path), path
    assert here.read("/etc/munge/munge.key") == there.read("/etc/munge/munge.key")


# GPUs: inventory, driver, device nodes, sysfs


def gpu_views(simulation: Simulation[World], host: str) -> dict[str, list[str]]:
    """GPU addresses as each view has them."""
    tree = tree_of(simulation, host)
    minors = {
        text(tree, f"/proc/driver/nvidia/gpus/{address}/information")
        .split("Device Minor: \t ")[1]
        .split("\n")[0]: address
        for address in names(tree, "/proc/driver/nvidia/gpus")
    }
    return {
        "procfs": sorted(minors.values()),
        "devices": [
            minors[name.removeprefix("nvidia")]
            for name in names(tree, "/dev")
            if name[6:].isdigit() and name[:6] == "nvidia"
        ],
        "sysfs": sorted(name for name in names(tree, "/sys/bus/pci/drivers/nvidia") if ":" in name),
        "nvml": [gpu.address for gpu in driver.bound_gpus(simulation.world, host)],
    }


def test_all_views_show_the_gpus_of_the_inventory(site: Simulation[World]) -> None:
    expected = [gpu.address for gpu in site.world.node(NODE).gpus]
    assert gpu_views(site, NODE) == dict.fromkeys(("procfs", "devices", "sysfs", "nvml"), expected)


def test_a_lost_gpu_reads_all_ones_and_stays_listed(simulation: Simulation[World]) -> None:
    gpu = simulation.world.node(NODE).gpus[5]
    tree, place = tree_of(simulation, NODE), f"/sys/bus/pci/devices/{gpu.address}"
    assert text(tree, f"{place}/current_link_speed") == "32.0 GT/s PCIe"
    gpu_bus.drop(simulation, gpu.id)
    assert text(tree, f"{place}/current_link_speed") == "Unknown"
    assert text(tree, f"{place}/current_link_width") == "63"
    assert text(tree, f"{place}/device") == "0x2330"
    views = gpu_views(simulation, NODE)
    assert all(gpu.address in view and len(view) == 8 for view in views.values())


def test_a_gpu_that_was_absent_at_boot_is_nowhere(simulation: Simulation[World]) -> None:
    gpu = simulation.world.node(NODE).gpus[2]
    simulation.world.gpus.update(gpu.id, bus=BusState.ABSENT, bound=False)
    views = gpu_views(simulation, NODE)
    assert all(gpu.address not in view and len(view) == 7 for view in views.values())
    tree = tree_of(simulation, NODE)
    assert gpu.address not in names(tree, "/sys/bus/pci/devices")
    assert "nvidia7" not in names(tree, "/dev")


def test_without_the_module_there_is_no_driver_anywhere(simulation: Simulation[World]) -> None:
    from types import MappingProxyType

    family = dict.fromkeys(("nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_drm", "nvidia_peermem"))
    tree = tree_of(simulation, NODE)
    assert tree.exists("/proc/driver/nvidia/version")
    simulation.world.systems.update(NODE, modules=MappingProxyType(family))
    assert not tree.exists("/proc/driver/nvidia")
    assert not tree.exists("/sys/module/nvidia")
    assert not tree.exists("/dev/nvidia0")
    assert not tree.exists(f"/sys/bus/pci/devices/{simulation.world.node(NODE).gpus[0].address}/driver")
    assert "nvidia" not in tree.read("/proc/modules").decode()


def test_an_upgrade_changes_files_on_disk_and_nothing_in_memory(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)
    before = text(tree, "/sys/module/nvidia/version")
    library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"
    assert tree.read_link(library) == f"libnvidia-ml.so.{before}"
    simulation.advance(60 * 10**9)
    simulation.apply(Upgrade(NODE, "nvidia-utils-*", "590.99.01", "alex (1001)", "apt-get upgrade"))
    assert tree.read_link(library) == "libnvidia-ml.so.590.99.01"
    assert tree.stat(library).modified == simulation.world.inventory.start + simulation.now
    assert text(tree, "/sys/module/nvidia/version") == before == modules.driver_version(simulation.world, NODE)
    assert before in text(tree, "/proc/driver/nvidia/version")
    assert "Commandline: apt-get upgrade" in text(tree, "/var/log/apt/history.log")
    assert "590.99.01" in text(tree, "/var/log/dpkg.log")
    version = packages.installed(simulation.world, NODE)["libnvidia-compute-590"].version
    assert f"Version: {version}" in text(tree, "/var/lib/dpkg/status")


# RDMA and network


def test_ports_read_what_links_and_subnet_manager_say(simulation: Simulation[World]) -> None:
    tree, world = tree_of(simulation, NODE), simulation.world
    for hca in world.node(NODE).hcas:
        place = f"/sys/class/infiniband/{hca.name}"
        port = f"{place}/ports/1"
        assert text(tree, f"{port}/state").split(": ")[0] == str(links.logical_state(world, hca.port).value[0])
        assert text(tree, f"{port}/phys_state").split(": ") == [
            str(part) for part in links.physical_state(world, hca.port).value
        ]
        assert int(text(tree, f"{port}/rate").split()[0]) == links.rate(world, hca.port)
        assert int(text(tree, f"{port}/lid"), 16) == lid(world, hca.port)
        assert text(tree, f"{port}/link_layer") == hca.link_layer
        assert text(tree, f"{place}/node_guid").replace(":", "") == f"{hca.guid:016x}"
        assert tree.real_path(f"{place}/device").endswith(hca.address)
        assert tree.real_path(f"/sys/class/net/{hca.netdev}/device").endswith(hca.address)


def test_pulling_a_cable_shows_at_once(simulation: Simulation[World]) -> None:
    tree, world = tree_of(simulation, NODE), simulation.world
    hca = next(hca for hca in world.node(NODE).hcas if hca.port in world.inventory.cables)
    port = f"/sys/class/infiniband/{hca.name}/ports/1"
    assert [text(tree, f"{port}/{name}") for name in ("state", "phys_state", "rate")] == [
        "4: ACTIVE", "5: LinkUp", "400 Gb/sec (4X NDR)",
    ]  # fmt: skip
    links.change_cable(simulation, world.inventory.cables[hca.port], plugged=False)
    assert [text(tree, f"{port}/{name}") for name in ("state", "phys_state", "rate")] == [
        "1: DOWN", "2: Polling", "10 Gb/sec (4X SDR)",
    ]  # fmt: skip


def test_latched_errors_are_counters(simulation: Simulation[World]) -> None:
    from types import MappingProxyType

    tree = tree_of(simulation, NODE)
    counts = MappingProxyType({"symbol_error": 7, "link_downed": 2})
    simulation.world.port_counters.update(f"{NODE}/mlx5_0/1", counts=counts)
    counters = "/sys/class/infiniband/mlx5_0/ports/1/counters"
    assert [text(tree, f"{counters}/{name}") for name in ("symbol_error", "link_downed", "port_rcv_errors")] == [
        "7",
        "2",
        "0",
    ]


def test_counters_only_grow(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)
    paths = (
        "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data",
        "/sys/class/net/bond0/statistics/rx_bytes",
        "/proc/uptime",
    )
    first = [float(text(tree, path).split()[0]) for path in paths]
    simulation.advance(30 * 10**9)
    assert all(
        later > before
        for later, before in zip((float(text(tree, path).split()[0]) for path in paths), first, strict=True)
    )


def test_cpu_time_only_grows(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)

    def ticks() -> list[int]:
        return [int(word) for word in text(tree, "/proc/stat").split("\n")[0].split()[1:]]

    first = ticks()
    pid = processes.start(simulation, NODE, user="priya", command="burn", cpu_permille=100_000)
    simulation.advance(10 * 10**9)
    second = ticks()
    processes.end(simulation, NODE, [pid], "exit")
    simulation.advance(10 * 10**9)
    third = ticks()
    assert all(after >= before for before, after in zip(first + second, second + third, strict=True))
    assert second[0] - first[0] > 50_000  # 100 CPUs for 10 s are 100,000 ticks, most of them user time
    assert third[0] - second[0] < 10_000


# Processes, modules, units, accounts


def test_processes_are_directories(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)
    pid = processes.start(
        simulation, NODE, user="priya", command="python train.py", gpus=(0, 1), workload="training", job=7
    )
    place = f"/proc/{pid}"
    assert text(tree, f"{place}/comm") == "python"
    assert tree.read(f"{place}/cmdline") == b"python\0train.py\0"
    assert tree.stat(f"{place}/environ").uid == 2001
    assert b"SLURM_JOB_ID=7\0" in tree.read(f"{place}/environ")
    assert b"job_7" in tree.read(f"{place}/cgroup")
    listed = [int(name) for name in names(tree, "/proc") if name.isdigit()]
    assert {process.pid for process in processes.processes(simulation.world, NODE)} <= set(listed)
    processes.end(simulation, NODE, [pid], "exit")
    assert not tree.exists(place)


def test_environments_are_private(simulation: Simulation[World], seen: Seen) -> None:
    pid = processes.start(simulation, NODE, user="priya", command="python train.py")
    with pytest.raises(FileError, match="Permission denied"):
        seen(NODE, "jonas").read(f"/proc/{pid}/environ")
    assert b"USER=priya\0" in seen(NODE, "priya").read(f"/proc/{pid}/environ")


def test_meminfo_and_loadavg_are_those_of_the_model(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)
    fields = dict(line.split(":", 1) for line in text(tree, "/proc/meminfo").split("\n"))
    figures = processes.memory(simulation.world, NODE)
    for name, kib in (("MemTotal", figures.total), ("MemFree", figures.free), ("MemAvailable", figures.available)):
        assert fields[name].split() == [str(kib), "kB"]
    averages = [
        f"{value // 100}.{value % 100:02d}" for value in processes.load_average(simulation.world, NODE, simulation.now)
    ]
    assert text(tree, "/proc/loadavg").split()[:3] == averages


def test_cpuinfo_has_every_cpu_once(site: Simulation[World]) -> None:
    node = site.world.node(NODE)
    blocks = text(tree_of(site, NODE), "/proc/cpuinfo").split("\n\n")
    assert len(blocks) == node.cpu.sockets * node.cpu.cores * node.cpu.threads
    places = {
        tuple(line for line in block.split("\n") if line.startswith(("physical id", "core id", "apicid")))
        for block in blocks
    }
    assert len(places) == len(blocks)


def test_numa_nodes_share_the_cpus_out(site: Simulation[World]) -> None:
    tree = tree_of(site, NODE)

    def cpus(path: str) -> set[int]:
        bounds = [part.split("-") for part in text(tree, path).split(",")]
        return {cpu for first, *last in bounds for cpu in range(int(first), int((last or [first])[0]) + 1)}

    shares = [cpus(f"/sys/devices/system/node/node{number}/cpulist") for number in range(2)]
    assert shares[0].isdisjoint(shares[1])
    assert shares[0] | shares[1] == cpus("/sys/devices/system/cpu/online")
    for gpu in site.world.node(NODE).gpus:
        assert cpus(f"/sys/bus/pci/devices/{gpu.address}/local_cpulist") == shares[gpu.numa]
        assert text(tree, f"/sys/bus/pci/devices/{gpu.address}/numa_node") == str(gpu.numa)
    mask = int(text(tree, "/sys/devices/system/node/node1/cpumap").replace(",", ""), 16)
    assert {cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1} == shares[1]


def test_module_views_agree(site: Simulation[World]) -> None:
    tree = tree_of(site, NODE)
    loaded = [line.name for line in modules.loaded(site.world, NODE)]
    assert [line.split()[0] for line in text(tree, "/proc/modules").split("\n")] == loaded
    assert names(tree, "/sys/module") == sorted(loaded)
    for name in loaded:
        assert tree.exists(modules.module_path(site.world, NODE, name)), name


def test_units_have_files_and_links(site: Simulation[World]) -> None:
    tree = tree_of(site, HEAD)
    for name in service_state.units(site.world, HEAD):
        unit = service_state.find(site.world, HEAD, name)
        assert unit is not None
        assert f"Description={unit.description}\n" in tree.read(f"{unit.folder}/{name}").decode()
    wanted = names(tree, "/etc/systemd/system/multi-user.target.wants")
    assert "slurmctld.service" in wanted
    assert "slurmd.service" not in wanted


def test_accounts_are_those_of_the_site(site: Simulation[World]) -> None:
    tree = tree_of(site, NODE)
    listed = [line.split(":")[0] for line in text(tree, "/etc/passwd").split("\n")]
    assert listed == [account.name for account in accounts.accounts(site.world.inventory)]
    assert listed == [line.split(":")[0] for line in text(tree, "/etc/shadow").split("\n")]
    for user in site.world.inventory.users:
        assert tree.stat(user.home).uid == user.uid


def test_programs_are_stubs_that_call_the_command(site: Simulation[World]) -> None:
    tree = tree_of(site, NODE)
    for path in ("/usr/bin/nvidia-smi", "/bin/nvidia-smi", "/usr/bin/grep"):
        stat, name = tree.stat(path), path.rpartition("/")[2]
        assert stat.mode == 0o755
        assert tree.read(path) == f'#!/bin/bash\n{name} "$@"\n'.encode()
    assert b"not modelled: nv-hostengine" in tree.read("/usr/bin/nv-hostengine")
    for name in ("tput", "host", "strace", "screen", "numastat", "rdma", "lshw", "nvsm"):
        assert f"not modelled: {name}".encode() in tree.read(f"/usr/bin/{name}")
    assert not tree_of(site, HEAD).exists("/usr/bin/nvsm")
    assert not tree.exists("/usr/bin/slurmctld")
    assert tree_of(site, HEAD).exists("/usr/sbin/slurmctld")


def test_the_board_is_the_inventorys(site: Simulation[World]) -> None:
    tree, node = tree_of(site, NODE), site.world.node(NODE)
    assert text(tree, "/sys/class/dmi/id/product_name") == node.product_name
    assert text(tree, "/sys/class/dmi/id/product_serial") == node.serial
    assert names(tree, "/sys/class/nvme") == sorted(drive.name for drive in node.drives)
    for drive in node.drives:
        assert text(tree, f"/sys/class/nvme/{drive.name}/serial").strip() == drive.serial
        assert int(text(tree, f"/sys/block/{drive.name}n1/size")) * 512 == drive.bytes
    assert names(tree, "/sys/bus/pci/devices") == [device.address for device in node.pcie]


def test_mounts_name_places_that_exist(site: Simulation[World]) -> None:
    for host in (NODE, HEAD):
        tree = tree_of(site, host)
        for line in text(tree, "/proc/mounts").split("\n"):
            target = line.split()[1]
            assert tree.stat(target).kind is FileKind.DIRECTORY, target


def test_random_bytes_depend_on_host_and_moment(simulation: Simulation[World]) -> None:
    first = tree_of(simulation, NODE).read("/dev/urandom")
    assert first == tree_of(simulation, NODE).read("/dev/urandom")
    assert first != tree_of(simulation, "dgx-02").read("/dev/urandom")
    simulation.advance(1)
    assert first != tree_of(simulation, NODE).read("/dev/urandom")


def test_a_path_below_sys_does_not_build_proc(simulation: Simulation[World], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("somebody listed the processes")

    monkeypatch.setattr("engine.hostfs.views._proc_pid.processes", fail)
    tree = tree_of(simulation, NODE)
    assert tree.read("/sys/class/infiniband/mlx5_0/ports/1/state")
    assert names(tree, "/")
    with pytest.raises(AssertionError):
        tree.entries("/proc")


def test_the_shell_sees_the_kernels_log_grow(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation, NODE)
    before = tree.read("/var/log/kern.log")
    journald.kernel(simulation, NODE, "usb 1-1: new device")
    after = tree.read("/var/log/kern.log")
    assert after.startswith(before)
    assert after.endswith(b" dgx-01 kernel: usb 1-1: new device\n")
    assert tree.stat("/var/log/kern.log").size == len(after)
    assert (
        replace(tree.stat("/var/log/kern.log"), inode=0).modified == simulation.world.inventory.start + simulation.now
    )


def test_package_temperatures_are_the_bmcs(site: Simulation[World]) -> None:
    tree = tree_of(site, NODE)
    readings = {sensor.name: sensor.value for sensor in sensors.sensors(site.world, NODE, site.now)}
    shown = {text(tree, f"/sys/class/hwmon/{name}/temp1_label"): name for name in names(tree, "/sys/class/hwmon")}
    for package in (0, 1):
        reading = int(text(tree, f"/sys/class/hwmon/{shown[f'Package id {package}']}/temp1_input"))
        assert reading == readings[f"TEMP_CPU{package}"]
