"""The options of iperf3 3.16, read and refused as iperf_parse_arguments and iperf_strerror do it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.commands.options import Option, Parsed, UsageError, option_lines, parse

VERSION = "iperf 3.16"
_USAGE = "Usage: iperf3 [-s|-c host] [options]\nTry `iperf3 --help' for more information.\n"
_FACTORS = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BYTE_FACTORS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_FORMATS = "kmgtKMGT"
_MOST_STREAMS, _LONGEST, _LARGEST_BLOCK = 128, 86_400, 1024 * 1024

_UNMODELLED_VALUES = (
    "cport", "bind-dev", "dscp", "extra-data", "logfile", "fq-rate", "pacing-timer", "idle-timeout", "rcv-timeout",
    "snd-timeout", "server-bitrate-limit", "username", "rsa-public-key-path", "rsa-private-key-path",
    "authorized-users-path", "time-skew-threshold",
)  # fmt: skip
_UNMODELLED_FLAGS = (
    "repeating-payload", "timestamps", "udp-counters-64bit", "dont-fragment", "no-fq-socket-pacing", "sctp",
)  # fmt: skip

OPTIONS = (
    Option("p", "port", "PORT", help="listen on or connect to this port, 5201 if not given"),
    Option("f", "format", "UNIT", help="k, m, g, t: bits; K, M, G, T: bytes"),
    Option("i", "interval", "SECONDS", help="a report every so many seconds, 1 if not given; 0: none"),
    Option("V", "verbose", help="(not modelled) tell more"),
    Option("J", "json", help="print JSON"),
    Option("v", "version", help="print the version"),
    Option("h", "help", help="print this text"),
    Option("s", "server", help="be the server"),
    Option("D", "daemon", help="be a server in the background"),
    Option("1", "one-off", help="serve one client and end"),
    Option("c", "client", "HOST", help="be the client of HOST"),
    Option("u", "udp", help="(not modelled) UDP"),
    Option("b", "bitrate", "RATE", help="at most so many bit/s for each stream; K, M, G may follow"),
    Option(None, "bandwidth", "RATE", name="bitrate"),
    Option("t", "time", "SECONDS", help="send for so long, 10 if not given"),
    Option("n", "bytes", "COUNT", help="send so much instead; K, M, G may follow"),
    Option("k", "blockcount", "COUNT", help="(not modelled) send so many blocks"),
    Option("l", "length", "SIZE", help="the size of a block"),
    Option("P", "parallel", "STREAMS", help="so many streams at once"),
    Option("R", "reverse", help="the server sends"),
    Option(None, "bidir", help="(not modelled) both send"),
    Option("w", "window", "SIZE", help="(not modelled) socket buffers"),
    Option("M", "set-mss", "SIZE", help="(not modelled) the largest segment"),
    Option("N", "no-delay", help="no delay for small segments"),
    Option("4", "version4", help="only IPv4"),
    Option("6", "version6", help="(not modelled) only IPv6"),
    Option("S", "tos", "VALUE", help="the type of service"),
    Option("Z", "zerocopy", help="send without copying"),
    Option("O", "omit", "SECONDS", help="leave out the first seconds"),
    Option("T", "title", "TEXT", help="begin each line with TEXT"),
    Option("A", "affinity", "CPU", help="run on a CPU"),
    Option("B", "bind", "HOST", help="(not modelled) use the interface with this address"),
    Option("C", "congestion", "NAME", help="(not modelled) the congestion control"),
    Option("F", "file", "NAME", help="(not modelled) send a file"),
    Option("I", "pidfile", "FILE", help="(not modelled) write the process id"),
    Option("d", "debug", help="(not modelled) tell everything"),
    Option(None, "get-server-output", help="(not modelled) show what the server prints"),
    Option(None, "forceflush", help="no buffering"),
    Option(None, "connect-timeout", "MS", help="give up connecting after so long"),
    *(Option(None, name, "VALUE", help="(not modelled)") for name in _UNMODELLED_VALUES),
    *(Option(None, name, help="(not modelled)") for name in _UNMODELLED_FLAGS),
)
_GAPS = frozenset(option.key for option in OPTIONS if option.help.startswith("(not modelled)"))


@dataclass(frozen=True, slots=True)
class Settings:
    """One run. `rate` in bit/s for each stream (0: no limit), times in seconds, `amount` bytes to send (0: by time)."""

    server: bool = False
    daemon: bool = False
    once: bool = False
    host: str = ""
    port: int = 5201
    unit: str = "a"
    interval: float = 1.0
    json: bool = False
    time: int = 10
    omit: int = 0
    amount: int = 0
    rate: int = 0
    streams: int = 1
    reverse: bool = False
    block: int = 131_072
    title: str = ""
    tos: int = 0


def usage() -> str:
    """The text of --help."""
    shown = [option for option in OPTIONS if option.help and option.key not in _GAPS]
    head = ["Usage: iperf3 [-s|-c host] [options]", "       iperf3 [-h|--help] [-v|--version]", ""]
    return "\n".join([*head, *option_lines(shown), ""])


def _wrong(text: str) -> UsageError:
    return UsageError(f"iperf3: parameter error - {text}\n\n{_USAGE}")


def read(arguments: tuple[str, ...]) -> Settings | str:
    """The settings; a text that begins with `-` for an option that is not modelled, another one to print. Raises
    UsageError with iperf3's words.
    """
    parsed = parse("iperf3", OPTIONS, arguments, trailer=f"\n{_USAGE}")
    for key, _ in parsed.given:
        if key in ("help", "version"):
            return usage() if key == "help" else f"{VERSION}\n"
        if key in _GAPS:
            return f"--{next(option.long for option in OPTIONS if option.key == key)}"
    return _settings(parsed)


def _settings(parsed: Parsed) -> Settings:
    server = "server" in parsed or "daemon" in parsed
    if "client" in parsed and "server" in parsed:
        raise _wrong("cannot be both server and client")
    _check_role(parsed, server)
    if "time" in parsed and "bytes" in parsed:
        raise _wrong("only one test end condition (-t, -n, -k) may be specified")
    return Settings(
        server=server,
        daemon="daemon" in parsed,
        once="one_off" in parsed,
        host=parsed["client"] or "",
        port=_port(parsed["port"]),
        unit=_unit(parsed["format"]),
        interval=_interval(parsed["interval"]),
        json="json" in parsed,
        time=_within(parsed["time"], 10, _LONGEST, "test duration too long (maximum = 86400 seconds)"),
        omit=_within(parsed["omit"], 0, 60, "bogus value for --omit"),
        amount=amount(parsed["bytes"] or "0", _BYTE_FACTORS),
        rate=amount((parsed["bitrate"] or "0").partition("/")[0], _FACTORS),
        streams=_within(parsed["parallel"], 1, _MOST_STREAMS, "number of parallel streams too large (maximum = 128)"),
        reverse="reverse" in parsed,
        block=_block(parsed["length"]),
        title=parsed["title"] or "",
        tos=_within(parsed["tos"], 0, 255, "bad TOS value (must be between 0 and 255 inclusive)"),
    )


def _check_role(parsed: Parsed, server: bool) -> None:
    of_clients = (
        "bitrate",
        "time",
        "bytes",
        "length",
        "parallel",
        "reverse",
        "omit",
        "tos",
        "no_delay",
        "zerocopy",
        "title",
    )
    if server and any(key in parsed for key in of_clients if key != "title"):
        raise _wrong("some option you are trying to set is client only")
    if "client" in parsed and any(key in parsed for key in ("daemon", "one_off")):
        raise _wrong("some option you are trying to set is server only")
    if not server and "client" not in parsed:
        raise _wrong("must either be a client (-c) or server (-s)")


def _port(text: str | None) -> int:
    port = _leading(text) if text is not None else 5201
    if not 1 <= port <= 65_535:
        raise _wrong("port number must be between 1 and 65535 inclusive")
    return port


def _unit(text: str | None) -> str:
    if text is not None and text[:1] not in _FORMATS:
        raise _wrong("bad format specifier (valid formats are in the set [kmgtKMGT])")
    return text[:1] if text else "a"


def _interval(text: str | None) -> float:
    if text is None:
        return 1.0
    found = re.match(r"\s*\d*\.?\d+|\s*\d+", text)
    value = float(found[0]) if found else 0.0
    if value and not 0.1 <= value <= 60:
        raise _wrong("invalid report interval (min = 0.1, max = 60 seconds)")
    return value


def _within(text: str | None, default: int, most: int, refusal: str) -> int:
    value = default if text is None else _leading(text)
    if not 0 <= value <= most:
        raise _wrong(refusal)
    return value


def _block(text: str | None) -> int:
    size = amount(text or "128K", _BYTE_FACTORS)
    if size > _LARGEST_BLOCK:
        raise _wrong(f"block size too large (maximum = {_LARGEST_BLOCK} bytes)")
    return size


def _leading(text: str) -> int:
    """What atoi makes of it."""
    found = re.match(r"\s*[+-]?\d+", text)
    return int(found[0]) if found else 0


def amount(text: str, factors: dict[str, int]) -> int:
    """A number with a suffix, as unit_atof and unit_atoi read it."""
    found = re.match(r"\s*(\d*\.?\d+|\d+)([a-zA-Z]?)", text)
    return int(float(found[1]) * factors.get(found[2].lower(), 1)) if found else 0
