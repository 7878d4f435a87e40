"""containerd's runtimes on a node: what /etc/containerd/config.toml (version 2) names, as read at its last start.

A GPU node's has the runtime `nvidia` and makes it the usual one, as `nvidia-ctk runtime configure --runtime=containerd
--set-as-default` writes it. The kept text is that of ContainerHost.configuration.
"""

from __future__ import annotations

import re

from engine.control import files
from engine.world.world import World

CONFIG = "/etc/containerd/config.toml"
_SECTION = re.compile(r'^\s*\[.*\.containerd\.runtimes\.(?:"([^"]+)"|([\w-]+))\]\s*$', re.MULTILINE)
_DEFAULT = re.compile(r'^\s*default_runtime_name\s*=\s*"([^"]*)"', re.MULTILINE)


def default_text(world: World, node: str) -> str:
    """config.toml as the node was set up with."""
    gpus = bool(world.node(node).gpus)
    lines = [
        "version = 2",
        "",
        "[plugins]",
        '  [plugins."io.containerd.grpc.v1.cri"]',
        '    sandbox_image = "registry.k8s.io/pause:3.10"',
        "",
        '    [plugins."io.containerd.grpc.v1.cri".containerd]',
        f'      default_runtime_name = "{"nvidia" if gpus else "runc"}"',
        '      snapshotter = "overlayfs"',
        "",
        '      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes]',
    ]
    for name in ("nvidia", "runc") if gpus else ("runc",):
        lines += [
            f'        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{name}]',
            '          runtime_type = "io.containerd.runc.v2"',
            "",
            f'          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.{name}.options]',
            *(['            BinaryName = "/usr/bin/nvidia-container-runtime"'] if name == "nvidia" else []),
            "            SystemdCgroup = true",
            "",
        ]
    lines += [
        '    [plugins."io.containerd.grpc.v1.cri".registry]',
        '      config_path = "/etc/containerd/certs.d"',
        "",
    ]
    return "\n".join(lines)


def with_nvidia(text: str, *, usual: bool) -> str:
    """config.toml with the runtime `nvidia` in it, as `nvidia-ctk runtime configure` leaves it; made the usual one on
    request.
    """
    lines = text.rstrip("\n").split("\n")
    if "nvidia" not in (first or second for first, second in _SECTION.findall(text)):
        table = '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia'
        lines += [
            "",
            f"        {table}]",
            '          runtime_type = "io.containerd.runc.v2"',
            "",
            f"          {table}.options]",
            '            BinaryName = "/usr/bin/nvidia-container-runtime"',
            "            SystemdCgroup = true",
        ]
    if usual:
        lines = [_DEFAULT.sub('      default_runtime_name = "nvidia"', line) for line in lines]
    return "\n".join(lines) + "\n"


def on_disk(world: World, node: str) -> str:
    """The text of config.toml as it lies there."""
    return files.text(world, node, CONFIG, default_text(world, node))


def read(world: World, node: str) -> str:
    """What containerd read when it started."""
    kept = world.container_hosts[node].configuration
    return default_text(world, node) if kept is None else kept


def handlers(world: World, node: str) -> tuple[str, ...]:
    """The runtimes that containerd knows."""
    return tuple(first or second for first, second in _SECTION.findall(read(world, node)))


def usual(world: World, node: str) -> str:
    """The runtime of pods that ask for none."""
    found = _DEFAULT.search(read(world, node))
    return found[1] if found else "runc"
