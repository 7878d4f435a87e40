"""Kernels, modules and keys at the prompt: GRUB's programs, dkms, update-initramfs, mokutil, modprobe's errors."""

from __future__ import annotations

import pytest

from engine.control import dkms, grub, secure_boot
from engine.faults.fault import parse_fault

HOST, OLD, NEW = "dgx-04", "6.8.0-51-generic", "6.8.0-52-generic"


def test_update_grub_tells_what_it_reads_and_finds(run) -> None:
    told = run("update-grub", host=HOST, user="root")
    lines = told.stderr.splitlines()
    assert lines[0] == "Sourcing file `/etc/default/grub'"
    assert "Sourcing file `/etc/default/grub.d/10-nv-iommu.cfg'" in lines
    assert f"Found linux image: /boot/vmlinuz-{OLD}" in lines and lines[-1] == "done"
    assert (told.stdout, told.status) == ("", 0)


def test_grub_mkconfig_prints_the_menu(run) -> None:
    told = run("grub-mkconfig", host=HOST, user="root")
    (entry,) = [each for each in grub.entries(told.stdout) if each.place == "0"]
    assert entry.release == OLD and "iommu=pt" in entry.options
    assert told.stderr.endswith("\ndone\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("update-grub", "grub-mkconfig: You must run this as root\n"),
        ("grub-reboot 0", "grub-editenv: error: cannot open `/boot/grub/grubenv.new': Permission denied.\n"),
        ("mokutil --import /var/lib/shim-signed/mok/MOK.der", "Failed to enroll new keys\nThis command requires root"),
        ("dkms autoinstall", "Error! You must be root to use this command.\n"),
    ],
)
def test_who_is_not_root_is_refused(run, line: str, error: str) -> None:
    told = run(line, host=HOST)
    assert told.stderr.startswith(error) and told.status != 0


def test_dkms_lists_and_builds(run) -> None:
    told = run("dkms status nvidia", host=HOST)
    assert told.stdout == f"nvidia/590.48.01, {OLD}, x86_64: installed\n"
    refused = run(f"dkms install nvidia/590.48.01 -k {NEW}", host=HOST, user="root")
    assert refused.stderr.startswith(
        f"Error! Your kernel headers for kernel {NEW} cannot be found at /lib/modules/{NEW}/"
    )
    assert refused.status == 21
    unknown = run("dkms build foo/1.0", host=HOST, user="root")
    assert "Directory: /usr/src/foo-1.0 does not exist." in unknown.stderr and unknown.status == 2


def test_a_removed_build_is_made_again(run) -> None:
    removed = run("dkms remove nvidia/590.48.01 -k " + OLD, host=HOST, user="root")
    assert f"Module nvidia-590.48.01 for kernel {OLD} (x86_64)." in removed.stdout
    assert run("dkms status nvidia", host=HOST).stdout == "nvidia/590.48.01: added\n"
    assert run("modinfo -n nvidia", host=HOST).stderr == "modinfo: ERROR: Module nvidia not found.\n"
    made = run("dkms autoinstall", host=HOST, user="root")
    assert "Signing module /var/lib/dkms/nvidia/590.48.01/build/nvidia.ko" in made.stdout
    assert run("modinfo -F signer nvidia", host=HOST).stdout == f"{dkms.machine_key(HOST)}\n"


def test_apt_brings_a_kernel_with_its_scripts(run) -> None:
    told = run(f"apt-get install -y linux-image-{NEW}", host=HOST, user="root")
    assert f"  linux-image-{NEW} linux-modules-{NEW}\n" in told.stdout
    assert "kernel headers for this kernel do not seem to be installed" in told.stdout
    assert f"update-initramfs: Generating /boot/initrd.img-{NEW}\n" in told.stdout
    assert run("ls -l /boot/vmlinuz", host=HOST).stdout.endswith(f" -> vmlinuz-{NEW}\n")
    gone = run(f"apt-get remove -y linux-image-{NEW}", host=HOST, user="root")
    assert f"The following packages will be REMOVED:\n  linux-image-{NEW}\n" in gone.stdout
    assert f"Removing linux-image-{NEW} (6.8.0-52.53) ...\n" in gone.stdout
    assert run("ls -l /boot/vmlinuz", host=HOST).stdout.endswith(f" -> vmlinuz-{OLD}\n")


def test_the_boot_loaders_variables(run) -> None:
    run("grub-reboot '1>0'", host=HOST, user="root")
    run("grub-set-default 0", host=HOST, user="root")
    assert run("grub-editenv list", host=HOST).stdout == "next_entry=1>0\nsaved_entry=0\n"
    run("grub-editenv - unset next_entry", host=HOST, user="root")
    assert run("grub-editenv list", host=HOST).stdout == "saved_entry=0\n"


def test_an_initramfs_holds_the_settings_of_its_day(run) -> None:
    run("tee /etc/modprobe.d/mine.conf", host=HOST, user="root", stdin=b"blacklist ast\n")
    path = f"lsinitramfs /boot/initrd.img-{OLD}"
    assert "etc/modprobe.d/mine.conf" not in run(path, host=HOST).stdout
    told = run("update-initramfs -u", host=HOST, user="root")
    assert told.stdout == f"update-initramfs: Generating /boot/initrd.img-{OLD}\n"
    assert "etc/modprobe.d/mine.conf" in run(path, host=HOST).stdout.splitlines()


def test_mokutil_tells_state_and_keys(run) -> None:
    assert run("mokutil --sb-state", host=HOST).stdout == "SecureBoot disabled\n"
    listed = run("mokutil --list-enrolled", host=HOST).stdout
    assert all(f"CN={name}" in listed for name in secure_boot.IMAGE_KEYS) and dkms.machine_key(HOST) not in listed
    key = "/var/lib/shim-signed/mok/MOK.der"
    assert run(f"mokutil --test-key {key}", host=HOST).stdout == f"{key} is not enrolled\n"
    assert run(f"mokutil --import {key}", host=HOST, user="root").status == 0
    assert dkms.machine_key(HOST) in run("mokutil --list-new", host=HOST).stdout


def test_what_an_upgrade_left_is_shown_and_ended(run, simulation) -> None:
    simulation.apply(parse_fault(f"os.upgrade_broken_off target={HOST} restart=no"))
    table = run("dpkg -l nvidia-dkms-590-open nvidia-utils-590", host=HOST).lines[5:]
    assert [line[:3] for line in table] == ["iF ", "iU "]
    assert "only half configured" in run("dpkg --audit", host=HOST).stdout
    refused = run("apt-get install -y curl", host=HOST, user="root")
    assert refused.stderr.startswith("E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a'")
    assert run("dkms status nvidia", host=HOST).stdout == "nvidia/590.52.01: added\n"
    told = run("dpkg --configure -a", host=HOST, user="root")
    assert told.stdout.startswith("Setting up nvidia-dkms-590-open (590.52.01-0ubuntu0.24.04.1) ...\n")
    assert run("dkms status nvidia", host=HOST).stdout == f"nvidia/590.52.01, {OLD}, x86_64: installed\n"
    assert run("dpkg --audit", host=HOST).stdout == ""


def test_systemd_analyze_and_the_tree_of_units(run) -> None:
    blame = [line.split() for line in run("systemd-analyze blame", host=HOST).lines]
    assert blame[0][1] == "nvidia-fabricmanager.service" and {"openibd.service"} <= {line[-1] for line in blame}
    chain = run("systemd-analyze critical-chain", host=HOST).lines
    assert [line.split("@")[0].strip(" └─") for line in chain[3:6]] == [
        "graphical.target",
        "multi-user.target",
        "slurmd.service",
    ]
    tree = run("systemctl list-dependencies", host=HOST).stdout
    assert tree.startswith("graphical.target\n● └─multi-user.target\n") and "├─nvidia-persistenced.service" in tree
    run("systemctl disable nvidia-persistenced", host=HOST, user="root")
    assert "nvidia-persistenced" not in run("systemctl list-dependencies", host=HOST).stdout
    above = run("systemctl list-dependencies --reverse munge", host=HOST).stdout
    assert above == "munge.service\n● └─multi-user.target\n●   └─graphical.target\n"
