"""A Kubernetes cluster: objects as they lie in etcd, what kubelets have latched of pods and nodes, and events.

Everything else that the API shows (a node's conditions and capacity, a pod's status, the counts of a rollout,
endpoints) is worked out from these by engine.control.kubernetes when somebody asks.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class KubeObject:
    """An API object without its status, as JSON with sorted keys ("": there is none)."""

    manifest: str = ""


@dataclass(frozen=True, slots=True)
class KubeCluster:
    """The API server's and the controllers' own: the last resource version, how many names were made, and when events
    were last looked through for old ones.
    """

    version: int = 0
    names: int = 0
    swept: int = 0


@dataclass(frozen=True, slots=True)
class ContainerEnd:
    """How a run of a container ended: its id, exit status, the reason's word, message, and when it ran."""

    id: str
    exit_code: int
    reason: str
    started: int
    finished: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class ContainerRun:
    """A container of a pod. `state` is waiting, running or terminated; `reason` and `message` say why it waits.

    `id` is that of the container in containerd's store ("": none was made yet), `started` when it began to run, `ready`
    since when it answers its readiness probe (None: it does not). `last` is the run before this one, `ended` the end of
    this one. `stage` says what the kubelet does with it: new, pulling, backing_off (its pull), crashed, running,
    stopping or "" (nothing more). `pulls` counts failed attempts to get the image, `crashes` restarts since it last
    ran for long; `due` is the next step's moment: a step of another moment is outdated. `ends` is when its program
    ends by itself.
    """

    name: str
    state: str = "waiting"
    reason: str = "PodInitializing"
    message: str = ""
    id: str = ""
    started: int = 0
    ready: int | None = None
    restarts: int = 0
    ended: ContainerEnd | None = None
    last: ContainerEnd | None = None
    stage: str = "new"
    pulls: int = 0
    crashes: int = 0
    ends: int | None = None
    due: int = 0


@dataclass(frozen=True, slots=True)
class PodRun:
    """What the kubelet of `node` has latched of a pod: `phase` is Pending, Running, Succeeded or Failed.

    `bound` is when it was given to the node, `taken` when the kubelet took it up (None: not yet), `sandbox` whether its
    network stands and under which `address`. `devices` are (resource, id of the device) that it holds. `reason` and
    `message` are those of a pod that failed as a whole (Evicted, UnexpectedAdmissionError). `initialized` is when its
    init containers were through, `sandboxes` how often making one failed.
    """

    node: str
    bound: int
    phase: str = "Pending"
    taken: int | None = None
    sandbox: bool = False
    address: str = ""
    init: tuple[ContainerRun, ...] = ()
    containers: tuple[ContainerRun, ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    message: str = ""
    initialized: int | None = None
    sandboxes: int = 0
    due: int = 0


@dataclass(frozen=True, slots=True)
class KubeDevice:
    """A device that a plugin offers: its id, and whether the plugin calls it healthy."""

    id: str
    healthy: bool = True


@dataclass(frozen=True, slots=True)
class DevicePlugin:
    """A device plugin at a kubelet: the resource's name, its devices, and whether its socket is connected. `owner` is
    the id of the container that it runs in, `plugin` the DaemonSet whose plugin it is.

    After a plugin has gone its resource stays with no allocatable device, until the kubelet starts anew.
    """

    resource: str
    devices: tuple[KubeDevice, ...] = ()
    connected: bool = True
    owner: str = ""
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class KubeNode:
    """A node as its kubelet last posted it, and as the node controller thinks of it.

    `ready` is True, False or Unknown with `reason` and `message` since `since`; `silent` is the last heartbeat of a
    kubelet that posts no more (None: it posts). `plugins` are the kubelet's device plugins, `stopped` names its static
    pods that do not run (`etcd`).
    """

    ready: str = "True"
    reason: str = "KubeletReady"
    message: str = "kubelet is posting ready status"
    since: int | None = None
    silent: int | None = None
    plugins: tuple[DevicePlugin, ...] = ()
    stopped: tuple[str, ...] = ()
    due: int = 0
    mig_change: str = ""
    """What the node's MIG manager has taken up: its container's id, a slash, the configuration's name."""


@dataclass(frozen=True, slots=True)
class KubeEvent:
    """An event with its count: about which object (kind, namespace, name, uid, version, API version, field path), its
    type, reason, message, who reports it (component and host), when first and last.
    """

    kind: str
    namespace: str
    object: str
    uid: str
    type: str
    reason: str
    message: str
    component: str
    host: str
    first: int
    last: int
    count: int = 1
    api_version: str = "v1"
    field_path: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class ContainerLog:
    """What a container of a pod has written or, at moments yet to come, will write unless it ends: (time, line)."""

    lines: tuple[tuple[int, str], ...] = ()
    status: int = 0
