"""What the programs of containers do: how long they run and with which status they end, when they serve, what they
write, and what they ask of GPUs.

A program is known by its image (the last word of its kind in tables/images.txt names a maker in `_BY_IMAGE`) or by its
command. Shell text is followed as far as it is plain: echo, sleep, exit, true, false, one after another, and an endless
loop around them. Texts of the system's programs are theirs, shortened to the lines of a start.
"""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Callable, Sequence

from engine.control.kubernetes import cni, store
from engine.control.kubernetes.objects import KubeDict, namespace_of
from engine.kernel.calendar import utc
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.world import World

Sim = Simulation[World]
Lines = tuple[tuple[int, str], ...]

UNKNOWN_COMMAND = 127
_SLEEP = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class Program:
    """What a container's first process does.

    `runs` is how long (None: until it is stopped), then it ends with `status`; it serves after `ready`, if ever
    (None: it never answers), and after SIGTERM it ends within `stops` (None: it waits to be killed). `lines` are what
    it writes, with times after its start; `work` is the kind of work that it gives its GPUs, `gpu_memory` MiB on each.
    `missing` says that the image has no such program.
    """

    runs: int | None = None
    status: int = 0
    ready: int | None = 0
    stops: int | None = SECOND
    lines: Lines = ()
    work: str | None = None
    gpu_memory: int = 0
    missing: bool = False
    writes: tuple[tuple[str, str], ...] = ()
    """Files of the node that it writes when it starts: (path, text)."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A container that is about to start: where, its pod, its spec, the GPUs in it by id, and its image's kind."""

    node: str
    pod: KubeDict
    container: KubeDict
    gpus: tuple[str, ...]
    kind: str

    @property
    def words(self) -> tuple[str, ...]:
        """Command and arguments as the pod gives them."""
        return (*(self.container.get("command") or ()), *(self.container.get("args") or ()))


Maker = Callable[[Sim, Launch], Program]


def program(simulation: Sim, launch: Launch) -> Program:
    """What a container will do."""
    maker = _BY_IMAGE.get(launch.kind)
    if maker is not None:
        return maker(simulation, launch)
    words = launch.words
    if not words:
        return Program(runs=0) if launch.kind in ("system", "cuda") else Program(stops=None)
    return _command(simulation, launch, words)


def _command(simulation: Sim, launch: Launch, words: Sequence[str]) -> Program:
    name = words[0].rpartition("/")[2]
    if name in ("sh", "bash", "ash") and len(words) > 2 and words[1].startswith("-") and "c" in words[1]:
        return _script(launch, words[2])
    if name == "mpirun":
        return _elsewhere("batch.launcher")(simulation, launch)
    if name in ("python", "python3", "torchrun", "vllm"):
        return _gpu_program(simulation, launch, words)
    return _simple(launch, words)


def _torchrun(simulation: Sim, words: Sequence[str]) -> Lines:
    """What torchrun (PyTorch 2.9) says first where it starts several ranks; the rest is the training program's, which
    is not modelled here.
    """
    if not words[0].endswith("torchrun") or not any(
        re.fullmatch(r"--nproc.per.node=([2-9]|\d\d+|gpu)", w) for w in words
    ):
        return ()
    stars = "*" * 41
    text = (
        "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being "
        "overloaded, please further tune the variable for optimal performance in your application as needed. "
    )
    moment = utc(simulation.world.inventory.start + simulation.now + 2 * SECOND)
    head = f"W{moment:%m%d %H:%M:%S}.{moment.microsecond // 1000:03d}000 1 torch/distributed/run.py:803]"
    return tuple((2 * SECOND, f"{head} {line}") for line in ("", stars, text, stars))


def _gpu_program(simulation: Sim, launch: Launch, words: Sequence[str]) -> Program:
    """A long program on the container's GPUs: serving where it has a port, else training."""
    lines = _torchrun(simulation, words)
    serves = bool(launch.container.get("ports"))
    if not launch.gpus:
        return Program(stops=2 * SECOND, lines=lines)
    memory = 21_500 if serves else 71_200
    return Program(
        ready=18 * SECOND if serves else 0, stops=2 * SECOND if serves else 4 * SECOND, gpu_memory=memory,
        work="inference" if serves else "training", lines=lines,
    )  # fmt: skip


def _simple(launch: Launch, words: Sequence[str]) -> Program:
    """One plain command."""
    name = words[0].rpartition("/")[2]
    if name == "sleep":
        return Program(runs=_duration(words[1:]), stops=None)
    if name == "sshd":
        return Program(stops=SECOND)
    if name in ("true", "false"):
        return Program(runs=0, status=int(name == "false"))
    if name == "echo":
        return Program(runs=0, lines=((0, " ".join(words[1:])),))
    if name == "tail" and "/dev/null" in words:
        return Program(stops=None)
    if launch.kind in ("distroless", "pause"):
        return Program(missing=True)
    return Program(missing=name not in _KNOWN)


_KNOWN = ("nvidia-smi", "ls", "cat", "date", "hostname", "env", "id", "cp", "wget", "nslookup", "sh", "bash")


def _duration(words: Sequence[str]) -> int | None:
    if "infinity" in words or "inf" in words:
        return None
    total = 0
    for word in words:
        found = _SLEEP.fullmatch(word)
        if found:
            whole, _, fraction = found[1].partition(".")
            scaled = int(whole + fraction) * _SECONDS[found[2]] * SECOND
            total += scaled // 10 ** len(fraction)
    return total


def _script(launch: Launch, text: str) -> Program:
    """Shell text, statement by statement."""
    endless = re.search(r"while\s+(true|:|\[ 1 \])\s*;?\s*do", text) is not None
    lines: list[tuple[int, str]] = []
    at = status = 0
    for statement in re.split(r"\s*(?:;|&&|\n)\s*", re.sub(r"\b(while|true;|do|done)\b", "", text)):
        words = _words(statement)
        if not words:
            continue
        if words[0] == "exit":
            status = int(words[1]) if len(words) > 1 and words[1].isdecimal() else status
            return Program(runs=at, status=status, lines=tuple(lines), stops=None)
        step = _simple(launch, words)
        lines += [(at + time, line) for time, line in step.lines]
        status = UNKNOWN_COMMAND if step.missing else step.status
        if step.missing:
            lines.append((at, f"sh: {words[0]}: not found"))
        if step.runs is None and not step.missing:
            return Program(lines=tuple(lines), stops=None)
        at += step.runs or 0
    return Program(runs=None if endless else at, status=status, lines=tuple(lines), stops=None)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _vector_add(simulation: Sim, launch: Launch) -> Program:
    """CUDA's sample vectorAdd (cuda-samples)."""
    from engine.control import driver

    begin = "[Vector addition of 50000 elements]"
    well = driver.nvml(simulation.world, launch.node).status is driver.NvmlStatus.OK
    if not launch.gpus or not well:
        why = (
            "CUDA driver version is insufficient for CUDA runtime version"
            if not launch.gpus
            else "no CUDA-capable device is detected"
        )
        failed = f"Failed to allocate device vector A (error code {why})!"
        return Program(
            runs=300 * MILLISECOND, status=1, lines=((250 * MILLISECOND, begin), (260 * MILLISECOND, failed))
        )
    texts = (
        begin, "Copy input data from the host memory to the CUDA device",
        "CUDA kernel launch with 196 blocks of 256 threads", "Copy output data from the CUDA device to the host memory",
        "Test PASSED", "Done",
    )  # fmt: skip
    return Program(
        runs=1200 * MILLISECOND, lines=tuple(((900 + 20 * n) * MILLISECOND, text) for n, text in enumerate(texts))
    )


def _server(_: Sim, launch: Launch) -> Program:
    """The lab's inference server: it loads its model onto its GPU and serves."""
    if not launch.gpus:
        failed = (2 * SECOND, "RuntimeError: No CUDA GPUs are available")
        return Program(runs=2 * SECOND, status=1, lines=(failed,))
    lines = (
        (2 * SECOND, "INFO:     Started server process [1]"),
        (2 * SECOND, "INFO:     Waiting for application startup."),
        (17 * SECOND, "INFO:     Application startup complete."),
        (17 * SECOND, "INFO:     Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)"),
    )
    return Program(ready=17 * SECOND, stops=SECOND, lines=lines, work="inference", gpu_memory=21_500)


def _coredns(simulation: Sim, launch: Launch) -> Program:
    """CoreDNS: a Corefile that it cannot read ends it (coredns/caddy's parser)."""
    kept = store.find(simulation.world, "configmaps", f"{namespace_of(launch.pod)}/coredns")
    text = (kept or {}).get("data", {}).get("Corefile", "")
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip().partition(" ")[0]
        depth = len(line) - len(line.lstrip())
        if word and word not in _DIRECTIVES and depth == 4 and word != "}":
            said = f"/etc/coredns/Corefile:{number} - Error during parsing: Unknown directive '{word}'"
            return Program(runs=150 * MILLISECOND, status=1, ready=None, lines=((100 * MILLISECOND, said),))
    mark = f"{hash64('Corefile', text):016x}" * 8
    lines = (
        (80 * MILLISECOND, ".:53"),
        (90 * MILLISECOND, f"[INFO] plugin/reload: Running configuration SHA512 = {mark}"),
        (95 * MILLISECOND, "CoreDNS-1.11.3"),
        (95 * MILLISECOND, "linux/amd64, go1.21.11, a6338e9"),
    )
    return Program(ready=SECOND, stops=5 * SECOND, lines=lines)


_DIRECTIVES = frozenset({
    "any", "auto", "autopath", "bind", "bufsize", "cache", "cancel", "chaos", "debug", "dnssec", "dnstap", "dns64",
    "erratic", "errors", "etcd", "file", "forward", "grpc", "header", "health", "hosts", "import", "k8s_external",
    "kubernetes", "loadbalance", "log", "loop", "metadata", "minimal", "nsid", "pprof", "prometheus", "ready",
    "reload", "rewrite", "root", "route53", "secondary", "sign", "template", "timeouts", "tls", "trace", "transfer",
    "view", "whoami",
})  # fmt: skip


def _klog(simulation: Sim, at: int, text: str) -> tuple[int, str]:
    """A line as klog writes it: `I1130 09:00:00.123456       1 file.go:12] text`."""
    moment = utc(simulation.world.inventory.start + simulation.now + at)
    return at, f"I{moment:%m%d %H:%M:%S.%f}       1 {text}"


def _flannel(simulation: Sim, launch: Launch) -> Program:
    texts = (
        "main.go:211] CLI flags config: {etcdEndpoints:http://127.0.0.1:4001,http://127.0.0.1:2379 "
        "etcdPrefix:/coreos.com/network ipMasq:true subnetLeaseRenewMargin:60 kubeSubnetMgr:true}",
        "kube.go:139] Waiting 10m0s for node controller to sync",
        "kube.go:163] Node controller sync successful",
        "main.go:447] Found network config - Backend type: vxlan",
        "main.go:396] Running backend.",
    )
    return Program(lines=tuple(_klog(simulation, (150 + 260 * n) * MILLISECOND, text) for n, text in enumerate(texts)))


def _flannel_plugin(_: Sim, __: Launch) -> Program:
    return Program(runs=120 * MILLISECOND)


def _flannel_image(simulation: Sim, launch: Launch) -> Program:
    """flanneld, or the copying of its network configuration to the node by the init container."""
    if launch.words[:1] != ("cp",):
        return _flannel(simulation, launch)
    kept = store.find(simulation.world, "configmaps", f"{namespace_of(launch.pod)}/kube-flannel-cfg")
    text = (kept or {}).get("data", {}).get("cni-conf.json", "")
    return Program(runs=120 * MILLISECOND, writes=((cni.CONFIGURATION, text),))


def _proxy(simulation: Sim, _: Launch) -> Program:
    texts = (
        'server_linux.go:66] "Using iptables proxy"',
        'server_linux.go:170] "Using iptables Proxier"',
        'server.go:483] "Version info" version="v1.32.4"',
        'shared_informer.go:320] "Caches are synced" controller="service config"',
        'shared_informer.go:320] "Caches are synced" controller="endpoint slice config"',
    )
    return Program(lines=tuple(_klog(simulation, (200 + 90 * n) * MILLISECOND, text) for n, text in enumerate(texts)))


def _device_plugin(simulation: Sim, launch: Launch) -> Program:
    from engine.control.kubernetes.device_plugins import nvidia

    if nvidia.FEATURES in launch.words:
        return _feature_discovery(simulation, launch)
    refusal = nvidia.refusal(simulation, launch.node, launch.pod)
    if refusal:
        return Program(runs=700 * MILLISECOND, status=1, lines=refusal)
    return Program(stops=SECOND, lines=nvidia.start_lines(simulation, launch.node, launch.pod))


def _feature_discovery(simulation: Sim, launch: Launch) -> Program:
    """gpu-feature-discovery: what it labels is in engine.control.kubernetes.gpu_operator.labels."""
    from engine.control.kubernetes.device_plugins import mig

    place = "/etc/kubernetes/node-feature-discovery/features.d/gfd"
    variables = {each["name"]: each.get("value") for each in launch.container.get("env") or ()}
    single = variables.get("MIG_STRATEGY") == mig.SINGLE
    invalid = mig.invalid_labels(simulation.world, launch.node) if single else ""
    texts = (
        "main.go:139] Starting OS watcher.",
        "main.go:144] Loading configuration.",
        "main.go:203] Start running",
        *(
            (f"mig-strategy.go:259] Invalid configuration detected for mig-strategy=single: {invalid}",)
            if invalid
            else ()
        ),
        "main.go:285] Creating Labels",
        f'output.go:82] Writing labels to output file "{place}"',
        "main.go:217] Sleeping for 60000000000",
    )
    return Program(lines=tuple(_klog(simulation, (90 + 70 * n) * MILLISECOND, text) for n, text in enumerate(texts)))


def _elsewhere(module: str) -> Maker:
    """The program that a module of this package has for its image; it is imported when such a container starts."""

    def make(simulation: Sim, launch: Launch) -> Program:
        found: Program = importlib.import_module(f"engine.control.kubernetes.{module}").program(simulation, launch)
        return found

    return make


def _nginx(_: Sim, __: Launch) -> Program:
    return Program(ready=300 * MILLISECOND, stops=500 * MILLISECOND)


def _stays(_: Sim, __: Launch) -> Program:
    return Program()


_BY_IMAGE: dict[str, Maker] = {
    "cuda-sample": _vector_add,
    "server": _server,
    "coredns": _coredns,
    "flannel": _flannel_image,
    "flannel-cni-plugin": _flannel_plugin,
    "kube-proxy": _proxy,
    "k8s-device-plugin": _device_plugin,
    "nginx": _nginx,
    "gpu-operator": _stays,
    "network-operator": _stays,
    "rdma-shared-dev-plugin": _elsewhere("network_operator.rdma_plugin"),
    "sriov-network-device-plugin": _elsewhere("network_operator.sriov_plugin"),
    "multus-cni": _elsewhere("network_operator.multus"),
    "cni-plugins": _stays,
    "ipoib-cni": _stays,
    "whereabouts": _stays,
    "gpu-operator-validator": _elsewhere("gpu_operator.validation"),
    "k8s-mig-manager": _stays,
    "dcgm-exporter": _stays,
    "node-feature-discovery": _stays,
    "local-path-provisioner": _stays,
    "etcd": _stays,
    "kube-apiserver": _stays,
    "kube-controller-manager": _stays,
    "kube-scheduler": _stays,
    "pause": _stays,
    "mpi-operator": _stays,
    "training-operator": _stays,
    "kai-scheduler": _stays,
}
