"""containerd of a node does not know the NVIDIA runtime: its config.toml was replaced by one without it (a template for
nodes without GPUs), containerd was restarted, and the GPU operands were started anew. Their sandboxes fail (`no runtime
for "nvidia" is configured`), the kubelet has no GPU to give; what ran goes on. nvidia-ctk runtime configure
--runtime=containerd --set-as-default, and a restart of containerd, mend it.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.kubernetes import deleting, runtime
from engine.control.kubernetes.gpu_operator import operands
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_OPERANDS = ("nvidia-device-plugin-daemonset-", operands.DISCOVERY, operands.VALIDATOR)
TEXT = """version = 2

[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "registry.k8s.io/pause:3.10"

    [plugins."io.containerd.grpc.v1.cri".containerd]
      default_runtime_name = "runc"
      snapshotter = "overlayfs"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes]
        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
          runtime_type = "io.containerd.runc.v2"

          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
            SystemdCgroup = true

    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"
"""


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """Replace the file, restart containerd, and have the operands start anew."""
    files.write(simulation, target, runtime.CONFIG, TEXT.encode(), uid=0, gid=0)
    simulation.apply(systemd.RestartUnit(target, "containerd", ""))
    for prefix in _OPERANDS:
        key = operands.pod_on(simulation.world, target, prefix)
        if key:
            deleting.pod(simulation, key)


FAULT = Fault(
    id="kubernetes.runtime_unconfigured",
    title="containerd of a node does not know the NVIDIA runtime",
    targets=("kube_worker",),
    inject=inject,
    doc="FailedCreatePodSandBox names the runtime. nvidia-ctk runtime configure writes it; then restart containerd.",
)
