"""The options of perftest's programs, read and refused as they do it: parser() and force_dependecies() of
perftest_parameters.c in release 6.24, of late 2024 (MLNX_OFED 24.10's is taken to be the same).

The words of the usage text are breakfix's own. Built with CUDA, as sites do that test GPUDirect RDMA; the package of
MLNX_OFED itself has no CUDA. Like the real ones, the programs end with status 1 after --help and --version.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.commands.perftest._program.checks import CHECKS, failed
from engine.commands.perftest._program.kinds import BANDWIDTH, READ, SEND, WRITE, Kind

VERSION = "6.24"
RULE = "-" * 87

_TABLE = """
p port PORT the TCP port to meet on, 18515 if not given
d ib-dev DEVICE the RDMA device, the first if not given
i ib-port PORT its port, 1 if not given
m mtu BYTES packets of at most 256, 512, 1024, 2048 or 4096 bytes
s size BYTES bytes of a message; K and M may follow
n iters COUNT messages to exchange for each size
t tx-depth COUNT messages under way at a time
u qp-timeout EXPONENT a packet is lost after 4.096 us x 2^EXPONENT, 14 if not given
S sl LEVEL the service level
x gid-index INDEX which GID of the port to use
a all - all sizes from 2 to 2^23
F CPU-freq - no warning about CPUs of different clocks
c connection TYPE RC, UC or UD
q qp COUNT queue pairs side by side (bandwidth only)
e events - sleep until a completion comes
X vector NUMBER the completion vector for events
I inline_size BYTES messages up to this size travel with the work request
o outs COUNT reads under way at a time (reads only)
g mcg - (not modelled) multicast
z comm_rdma_cm - (not modelled) both ends meet over rdma_cm
R rdma_cm - queue pairs are connected by rdma_cm
T tos VALUE type of service, with -R
L hop_limit VALUE hop limit of raw Ethernet
h help - print this text
M MGID GID the multicast group
r rx-depth COUNT receives that are posted ahead (send only)
b bidirectional - both directions at once (bandwidth only)
Q cq-mod COUNT one completion for so many messages
N noPeak - no peak bandwidth
V version - print the version
C report-cycles - (not modelled) latencies in CPU cycles
H report-histogrm - (not modelled) all latencies, sorted
U report-unsorted - (not modelled) all latencies as they came
A atomic_type TYPE CMP_AND_SWAP or FETCH_AND_ADD
O dualport - (not modelled) both ports of a device
l post_list COUNT post so many messages at once
D duration SECONDS run so long instead of for a number of messages
f margin SECONDS leave out so long at begin and end of a duration
w limit_bw VALUE fail if the bandwidth stays below
y limit_msgrate VALUE fail if the rate of messages stays below
- run_infinitely - a line every -D seconds until Ctrl-C
- report_gbits - bandwidth in Gb/s instead of MiB/s
- report-both - (not modelled) with -b, both directions for themselves
- pkey_index INDEX which partition key of the port to use
- tclass VALUE the traffic class of packets with a GID
- output WHAT print one number alone: bandwidth, message_rate or latency
- use_cuda NUMBER memory of this GPU
- use_cuda_bus_id ADDRESS memory of the GPU at a PCI address
- use_cuda_dmabuf - register GPU memory through DMA-BUF
- retry_count COUNT tries for a packet, 7 if not given
- disable_pcie_relaxed - no relaxed ordering on PCIe
- use_old_post_send - the older way to post messages
- perform_warm_up - some messages before the measurement
- ipv6 - a GID that is an IPv6 address
"""
_UNMODELLED_FLAGS = (
    "no_lock use-srq use-null-mr reversed tcp cpu_util out_json dont_xchg_versions use_neuron_dmabuf ipv6-addr "
    "raw_ipv6 report-per-port odp use_hugepages promiscuous sniffer raw_mcast mr_per_qp vlan_en aes_xts encrypt_on_tx "
    "sig_before use_ooo write_with_imm no_ddp unsolicited_write connectionless server client mac_fwd use_rss"
)
_UNMODELLED_VALUES = (
    "burst_size typical_pkt_size rate_limit rate_limit_type rate_units out_json_file latency_gap flow_label "
    "payload_file_path use_rocm use_neuron use_hl use_mlu mmap mmap-offset dlid wait_destroy flows flows_burst "
    "reply_every vlan_pcp recv_post_list aes_block_size kek_path credentials_path data_enc_keys_number "
    "data_enc_key_app_path log_dci_streams log_active_dci_streams congest_type bind_source_ip source_mac dest_mac "
    "dest_ip source_ip dest_port source_port ethertype report-counters force-link remote_mac local_mac remote_ip "
    "local_ip remote_port local_port"
)
_UNMODELLED = frozenset(f"{_UNMODELLED_FLAGS} {_UNMODELLED_VALUES}".replace("-", "_").split()) | {
    "mcg", "comm_rdma_cm", "report_both", "MGID", "hop_limit", "report_cycles", "report_histogrm", "report_unsorted",
    "dualport",
}  # fmt: skip
_LARGEST_SIZE = 1 << 23
_LARGE = 8192


def _option(line: str) -> Option:
    short, long, argument, text = line.split(" ", 3)
    return Option(None if short == "-" else short, long, None if argument == "-" else argument, help=text)


OPTIONS = (
    *map(_option, _TABLE.strip().splitlines()),
    *(Option(None, name, help="(not modelled)") for name in _UNMODELLED_FLAGS.split()),
    *(Option(None, name, "VALUE", help="(not modelled)") for name in _UNMODELLED_VALUES.split()),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One run of a program. `server` is the name of the other end for a client; `notes` what the parser printed."""

    server: str | None = None
    port: int = 18515
    ib_dev: str | None = None
    ib_port: int = 1
    mtu: int = 0
    size: int = 65536
    iters: int = 1000
    tx_depth: int = 128
    rx_depth: int = 1
    qp_timeout: int = 14
    sl: int = 0
    gid_index: int = -1
    all: bool = False
    CPU_freq: bool = False
    connection: str = "RC"
    qp: int = 1
    events: bool = False
    vector: int = 0
    inline_size: int = -1
    outs: int = 0
    rdma_cm: bool = False
    tos: int = -1
    bidirectional: bool = False
    cq_mod: int = 100
    noPeak: bool = False
    post_list: int = 1
    duration: int = 0
    margin: int = -1
    limit_bw: float = 0.0
    limit_msgrate: float = 0.0
    run_infinitely: bool = False
    report_gbits: bool = False
    pkey_index: int = 0
    tclass: int = 0
    output: str = ""
    use_cuda: int = -1
    use_cuda_bus_id: str = ""
    use_cuda_dmabuf: bool = False
    retry_count: int = 7
    disable_pcie_relaxed: bool = False
    use_old_post_send: bool = False
    perform_warm_up: bool = False
    ipv6: bool = False
    notes: str = ""

    @property
    def client(self) -> bool:
        return self.server is not None

    @property
    def full(self) -> bool:
        """Whether everything is printed, not one number alone."""
        return not self.output

    @property
    def cuda(self) -> bool:
        return self.use_cuda >= 0 or bool(self.use_cuda_bus_id)

    @property
    def timed(self) -> bool:
        """Whether it runs for a time instead of a number of messages."""
        return self.duration > 0 or self.run_infinitely


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command line came to: settings, or else what to print (with status 1), or what is not modelled."""

    settings: Settings | None = None
    text: str = ""
    gap: str = ""


def usage(kind: Kind) -> str:
    """The text of --help."""
    name = kind.name
    shown = [option for option in OPTIONS if not option.help.startswith("(not modelled)")]
    return "\n".join(
        [
            "Usage:",
            f"  {name}            start a server and wait for connection",
            f"  {name} <host>     connect to server at <host>",
            "",
            "Options:",
            *option_lines(shown),
            "",
        ]
    )


def read(kind: Kind, arguments: tuple[str, ...]) -> Reading:
    """The settings of a command line. Raises UsageError with the program's words."""
    try:
        parsed = parse(kind.name, OPTIONS, arguments)
    except UsageError as error:
        text = f"{error.text} Invalid Command or flag.\n Please check command line and run again.\n\n"
        raise UsageError(f"{text}{usage(kind)} Parser function exited with Error\n") from None
    settings = _defaults(kind)
    seen: set[str] = set()
    for key, value in parsed.given:
        option = next(each for each in OPTIONS if each.key == key)
        if key in seen:
            raise failed(f" Duplicated argument: {'-' + option.short if option.short else option.long} ")
        seen.add(key)
        if key == "version":
            return Reading(text=f"Version: {VERSION}\n")
        if key == "help":
            return Reading(text=usage(kind))
        if key in _UNMODELLED:
            return Reading(gap=f"{kind.name} --{option.long}")
        if key == "use_cuda_dmabuf" and not settings.cuda:
            raise failed("CUDA DMA-BUF cannot be used without CUDA")
        changes = CHECKS[key](kind, value) if key in CHECKS else {key: value}
        settings = replace(settings, **changes)
    return _whole(kind, parsed, settings)


def _defaults(kind: Kind) -> Settings:
    return Settings(
        size=65536 if kind.bandwidth else 2,
        iters=5000 if kind.bandwidth and kind.verb == WRITE else 1000,
        tx_depth=128 if kind.bandwidth else 1,
        rx_depth=512 if kind.verb == SEND else 1,
    )


def _whole(kind: Kind, parsed: Parsed, settings: Settings) -> Reading:
    """What options mean together."""
    if len(parsed.operands) > 1:
        raise failed(" Invalid Command line. Please check command rerun ")
    if settings.connection not in ("RC", "UC", "UD"):
        return Reading(gap=f"{kind.name} -c {settings.connection}")
    settings = replace(settings, server=parsed.operands[0] if parsed.operands else None)
    return Reading(_Forced(kind, parsed, settings).settings())


@dataclass(slots=True)
class _Forced:
    """force_dependecies(): settings that follow from others, and combinations that are refused after a rule."""

    kind: Kind
    parsed: Parsed
    given: Settings
    notes: list[str] = field(default_factory=list)

    def settings(self) -> Settings:
        settings = self._timed(self._listed(self._counted(self.given)))
        if settings.rdma_cm and settings.connection == "UC":
            raise self._refuse(" UC is not supported in librdmacm")
        if settings.tos >= 0 and not settings.rdma_cm:
            raise UsageError(" TOS only valid for rdma_cm based QP and RawEth QP \n")
        if self.kind.verb == SEND and self.kind.test == BANDWIDTH and not (settings.client or settings.bidirectional):
            settings = self._no_peak(settings)
        return replace(settings, notes="".join(f"{note}\n" for note in self.notes))

    def _refuse(self, text: str) -> UsageError:
        """A rule, then the reason; the program ends at once."""
        return UsageError("".join(f"{line}\n" for line in (*self.notes, RULE, text)))

    def _no_peak(self, settings: Settings) -> Settings:
        if not settings.noPeak and self.kind.test == BANDWIDTH:
            self.notes.append(" WARNING: BW peak won't be measured in this run.")
        return replace(settings, noPeak=True)

    def _counted(self, settings: Settings) -> Settings:
        if not settings.timed:
            depth = min(settings.tx_depth, settings.iters)
            settings = replace(settings, tx_depth=depth, rx_depth=min(settings.rx_depth, max(settings.iters, 1)))
        one_size = not settings.all and not settings.events and settings.connection != "UD"
        if settings.size > _LARGE and one_size:
            if "cq_mod" not in self.parsed:
                settings = replace(settings, cq_mod=1)
            elif settings.cq_mod > 1:
                self.notes.append(RULE)
                self.notes.append("Warning: Large message requested and CQ moderation enabled")
                self.notes.append("Warning: It can lead to inaccurate results")
        settings = replace(settings, cq_mod=min(settings.cq_mod, settings.tx_depth))
        if self.kind.verb == READ:
            settings = replace(settings, inline_size=0)
        return replace(settings, size=_LARGEST_SIZE) if settings.all else settings

    def _listed(self, settings: Settings) -> Settings:
        if settings.post_list <= 1:
            return settings
        if self.kind.test != BANDWIDTH:
            raise self._refuse("Post list is supported in BW tests only")
        if not settings.timed and settings.iters % settings.post_list:
            raise self._refuse("Number of iterations must be a multiple of post list size")
        if "cq_mod" in self.parsed:
            if settings.post_list % settings.cq_mod:
                raise self._refuse("Post list size must be a multiple of CQ moderation")
            return settings
        self.notes += [RULE, "Post List requested - CQ moderation will be the size of the post list"]
        return replace(settings, cq_mod=settings.post_list)

    def _timed(self, settings: Settings) -> Settings:
        if settings.duration and not settings.run_infinitely:
            settings = self._no_peak(settings)
            if settings.events:
                raise self._refuse("Duration mode doesn't work with events.")
            if settings.all:
                raise self._refuse("Duration mode currently doesn't support running on all sizes.")
        if settings.run_infinitely:
            settings = self._no_peak(replace(settings, duration=settings.duration or 5))
            if self.kind.test != BANDWIDTH:
                raise self._refuse(" run_infinitely exists only in BW tests for now.")
            if settings.bidirectional and self.kind.verb == SEND:
                raise self._refuse(" run_infinitely mode is not supported in SEND or WRITE_IMM Bidirectional BW test")
        margin = settings.duration // 4 if settings.margin < 0 else settings.margin
        if settings.timed and not settings.duration > 2 * margin:
            raise self._refuse("please check that DURATION > 2*MARGIN")
        return replace(settings, margin=margin)
