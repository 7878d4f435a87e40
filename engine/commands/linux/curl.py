"""curl 8.5: a transfer, in a site without a way out. Names fail to resolve, ports are closed. Compared with curl 7.88.

What web servers of the site answer: _support/web.py; what others would is not modelled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import bmc_web, paths, web
from engine.commands.linux._support.connections import Attempt, End, attempt
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.urls import BadUrl, split
from engine.commands.options import Option, UsageError, option_lines
from engine.hostfs.tree import FileError
from engine.kernel.units import MILLISECOND, SECOND

_TRY = "curl: try 'curl --help' or 'curl --manual' for more information\n"
_PORTS = {
    "http": 80, "https": 443, "ftp": 21, "ftps": 990, "telnet": 23, "scp": 22, "sftp": 22, "ldap": 389, "smtp": 25,
    "ws": 80, "wss": 443, "dict": 2628, "gopher": 70, "imap": 143, "pop3": 110, "rtsp": 554, "mqtt": 1883, "tftp": 69,
}  # fmt: skip
_SENDS = frozenset({"data", "form", "upload_file"})
_FIRST_ERROR = 400
_NO_METER = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
_HEADER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed"
)
_OPTIONS = (
    Option("s", "silent", help="no progress, no error messages"),
    Option("S", "show-error", help="error messages even so"),
    Option("v", "verbose", help="say what is done"),
    Option("f", "fail", help="fail where the server says so"),
    Option("o", "output", "FILE", help="write to FILE"),
    Option("O", "remote-name", help="write to a file of the remote name"),
    Option("I", "head", help="only the headers"),
    Option("L", "location", help="follow where the server points"),
    Option("k", "insecure", help="do not check certificates"),
    Option("X", "request", "METHOD", help="another method"),
    Option("H", "header", "LINE", help="one more header"),
    Option("d", "data", "DATA", help="send DATA"),
    Option("u", "user", "USER:PASSWORD", help="who one is"),
    Option("m", "max-time", "SECONDS", help="take no longer"),
    Option(None, "connect-timeout", "SECONDS", help="take no longer to connect"),
    Option("w", "write-out", "FORMAT", help="print this at the end"),
    Option("x", "proxy", "URL", help="through a proxy"),
    Option("i", "include", help="headers too"),
    Option("A", "user-agent", "NAME", help="call oneself NAME"),
    Option("T", "upload-file", "FILE", help="send FILE"),
    Option("F", "form", "NAME=VALUE", help="send a form"),
    Option("b", "cookie", "DATA", help="send cookies"),
    Option("c", "cookie-jar", "FILE", help="keep cookies"),
    Option("e", "referer", "URL", help="where one comes from"),
    Option("r", "range", "RANGE", help="only a part"),
    Option("C", "continue-at", "OFFSET", help="go on from there"),
    Option("z", "time-cond", "TIME", help="only if newer"),
    Option("g", "globoff", help="no {} and [] in URLs"),
    Option("G", "get", help="send data in the URL"),
    Option("4", "ipv4", help="only IPv4"),
    Option("6", "ipv6", help="only IPv6"),
    Option("#", "progress-bar", help="a bar"),
    Option("N", "no-buffer", help="as it comes"),
    Option("q", "disable", help="ignored"),
    Option("Z", "parallel", help="all at once"),
    Option(None, "retry", "N", help="try again N times"),
    Option(None, "retry-delay", "SECONDS", help="wait between tries"),
    Option(None, "cacert", "FILE", help="certificates to trust"),
    Option(None, "cert", "FILE", help="one's own certificate"),
    Option(None, "key", "FILE", help="one's own key"),
    Option(None, "url", "URL", help="what to fetch"),
    Option(None, "compressed", help="packed on the way"),
    Option(None, "http1.1", help="HTTP 1.1"),
    Option(None, "noproxy", "LIST", help="without a proxy for these"),
    Option(None, "resolve", "HOST:PORT:ADDRESS", help="this address for this name"),
    Option("h", "help", help="print this text"),
    Option("V", "version", help="print the version"),
)


_SELF_SIGNED = "self-signed certificate"
_MORE_ON_CERTIFICATES = """\
More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it. To learn more about this situation and
how to fix it, please visit the web page mentioned above.
"""
_SPEED = "9.92M"  # what a small body within a site shows (guess)


def _five(size: int) -> str:
    """A size in the five places that the meter has."""
    return str(size) if size < 100_000 else f"{size // 1024}k"


@dataclass(slots=True)
class _Line:
    """What was typed."""

    values: dict[str, str]
    urls: list[str]

    def __contains__(self, key: str) -> bool:
        return key in self.values


async def run(ctx: Context) -> int:
    """Try every URL. The status is the last one's, as curl numbers its errors."""
    line = _read(ctx)
    if "help" in line:
        ctx.write("\n".join(["Usage: curl [OPTION]... URL...", *option_lines(_OPTIONS), ""]))
        return 0
    if "version" in line:
        ctx.line("curl 8.5.0 (x86_64-pc-linux-gnu) libcurl/8.5.0")
        return 0
    if not line.urls:
        raise UsageError(("curl: no URL specified!\n" if ctx.arguments else "") + _TRY, 2)
    status = 0
    for url in line.urls:
        status = await _Transfer(ctx, line, url).run()
    return status


def _read(ctx: Context) -> _Line:
    by_short = {option.short: option for option in _OPTIONS if option.short}
    by_long = {option.long: option for option in _OPTIONS if option.long}
    line, queue = _Line({}, []), list(ctx.arguments)
    while queue:
        word = queue.pop(0)
        if word.startswith("--") and len(word) > 2:
            option = by_long.get(word[2:]) or by_long.get(word[2:].removeprefix("no-"))
            if option is None:
                raise UsageError(f"curl: option {word}: is unknown\n{_TRY}", 2)
            _take(line, option, word, "", queue)
        elif word.startswith("-") and word != "-":
            letters = word[1:]
            while letters:
                short, letters = by_short.get(letters[0]), letters[1:]
                if short is None:
                    raise UsageError(f"curl: option {word}: is unknown\n{_TRY}", 2)
                letters = _take(line, short, word, letters, queue)
        else:
            line.urls.append(word)
    if "url" in line:
        line.urls.append(line.values["url"])
    return line


def _take(line: _Line, option: Option, word: str, rest: str, queue: list[str]) -> str:
    """Keep an option's value. Returns letters that are left of a cluster."""
    if option.argument is None:
        line.values[option.key] = ""
        return rest
    if not rest and not queue:
        raise UsageError(f"curl: option {word}: requires parameter\n{_TRY}", 2)
    value = rest or queue.pop(0)
    if option.argument == "SECONDS" and not re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
        raise UsageError(f"curl: option {word}: expected a proper numerical parameter\n{_TRY}", 2)
    line.values[option.key] = value
    return ""


class _Transfer:
    """One URL."""

    def __init__(self, ctx: Context, line: _Line, url: str) -> None:
        self.ctx, self.line, self.url = ctx, line, url
        self.meter = ctx.terminal is None or "output" in line or "remote_name" in line

    async def run(self) -> int:
        """Try it. Returns curl's error number."""
        try:
            url = split(self.url)
        except BadUrl:
            return self.fail(3, "URL using bad/illegal format or missing URL")
        if url.scheme == "file":
            return self.read_file(url.path)
        if url.scheme not in _PORTS:
            return self.fail(1, f'Protocol "{url.scheme}" not supported or disabled in libcurl')
        if not url.host:
            return self.fail(3, "URL using bad/illegal format or missing URL")
        port = _PORTS[url.scheme] if url.port is None else url.port
        return await self.connect(url.scheme, url.host, port, url.path)

    async def connect(self, scheme: str, host: str, port: int, path: str) -> int:
        """Resolve, connect, and take what is answered."""
        tried = attempt(self.ctx, host, port)
        if tried.end is End.OPEN:
            return self.fetch(scheme, host, port, path, tried.address)
        self.say(_HEADER + f"\n\r{_NO_METER}", "", meter=True)
        if tried.end is End.UNKNOWN_HOST:
            self.say(f"* Could not resolve host: {host}\n* Closing connection\n", "verbose")
            return self.fail(6, f"Could not resolve host: {host}")
        return await self.refused(host, port, tried)

    def fetch(self, scheme: str, host: str, port: int, path: str, address: str) -> int:
        """Somebody answers: show it, or say that it is not modelled."""
        kind, owner = Resolver(self.ctx).owner_of(address) or ("", "")
        if kind == "bmc" and scheme == "https" and port == bmc_web.PORT:
            return self.fetch_from_bmc(owner, host, path, address)
        plain = scheme == "http" and kind == "node" and not _SENDS & self.line.values.keys()
        answer = web.answer(self.ctx, owner, port, path) if plain else None
        if answer is None:
            return self.ctx.not_modelled(f"what answers at {host} port {port}")
        return self.take(host, port, path, address, answer)

    def fetch_from_bmc(self, owner: str, host: str, path: str, address: str) -> int:
        """A BMC answers with Redfish, under a certificate that it has signed itself."""
        if "insecure" not in self.line:
            self.say(_HEADER + f"\n\r{_NO_METER}\n", "", meter=True)
            status = self.fail(60, f"SSL certificate problem: {_SELF_SIGNED}")
            self.say(_MORE_ON_CERTIFICATES, "")
            return status
        lacking = {"form", "upload_file", "proxy", "range"} & self.line.values.keys()
        body = self.line.values.get("data", "")
        login = self.line.values.get("user") or bmc_web.login_of(self.url)
        method = self.line.values.get("request") or ("POST" if "data" in self.line else "GET")
        if body.startswith("@"):
            try:
                body = paths.read(self.ctx, body[1:]).decode("utf-8", "replace")
            except FileError:
                return self.fail(26, f"Failed to open {body[1:]}")
        asked = "GET" if "head" in self.line else method
        answer = None if lacking else bmc_web.answer(self.ctx, owner, asked, path or "/", login, body)
        if answer is None:
            return self.ctx.not_modelled(f"what answers at {host} port {bmc_web.PORT}")
        return self.take(host, bmc_web.PORT, path, address, answer)

    def take(self, host: str, port: int, path: str, address: str, answer: web.Answer) -> int:
        """Show what was answered."""
        self.exchange(host, port, path, address, answer)
        if "fail" in self.line and answer.status >= _FIRST_ERROR:
            return self.fail(22, f"The requested URL returned error: {answer.status}")
        only_head = "head" in self.line
        text = (answer.head if only_head or "include" in self.line else "") + ("" if only_head else answer.body)
        status = self.deliver(text.encode(), path)
        self.write_out(answer)
        return status

    def exchange(self, host: str, port: int, path: str, address: str, answer: web.Answer) -> None:
        """The progress meter, and with -v what goes over the wire."""
        size = "0" if "head" in self.line else _five(len(answer.body))
        known = 100 if "Content-Length" in dict(answer.headers) and size != "0" else 0
        last = f"\r{100 if size != '0' else 0:>3} {size:>5}  {known:>3} {size:>5}    0     0  {_SPEED}      0"
        self.say(f"{_HEADER}\n\r{_NO_METER}{last} --:--:-- --:--:-- --:--:-- {_SPEED}\n", "", meter=True)
        method = "HEAD" if "head" in self.line else self.line.values.get("request") or "GET"
        sent = [f"{method} {path or '/'} HTTP/1.1", f"Host: {host}:{port}", "User-Agent: curl/8.5.0", "Accept: */*", ""]
        self.say(f"*   Trying {address}:{port}...\n* Connected to {host} ({address}) port {port}\n", "verbose")
        self.say("".join(f"> {line}\n" for line in sent), "verbose")
        self.say("".join(f"< {line}\n" for line in answer.head.split("\r\n")[:-1]), "verbose")
        self.say(f"* Connection #0 to host {host} left intact\n", "verbose")

    def write_out(self, answer: web.Answer) -> None:
        """-w: the variables that scripts ask for; others are empty."""
        if "write_out" in self.line:
            known = {"http_code": f"{answer.status}", "response_code": f"{answer.status}"}
            known |= {"size_download": f"{len(answer.body)}", "content_type": dict(answer.headers)["Content-Type"]}
            shown = self.line.values["write_out"].replace("\\n", "\n")
            self.ctx.write(re.sub(r"%\{(\w+)\}", lambda match: known.get(match[1], ""), shown))

    def deliver(self, data: bytes, path: str) -> int:
        """To standard output, or to the file that -o or -O names."""
        target = self.line.values.get("output")
        if "remote_name" in self.line:
            target = path.rpartition("/")[2]
            if not target:
                return self.fail(23, "Remote file name has no length!")
        if target is None or target == "-":
            self.ctx.write(data)
            return 0
        try:
            paths.tree(self.ctx).write(paths.absolute(self.ctx, target), data)
        except FileError as error:
            self.say(f"Warning: Failed to open the file {target}: {error.text}\n", "")
            return self.fail(23, "Failure writing output to destination")
        return 0

    async def refused(self, host: str, port: int, tried: Attempt) -> int:
        """Nobody answers, or nobody listens."""
        self.say(f"*   Trying {tried.address}:{port}...\n", "verbose")
        limit = self.limit()
        if limit is not None and tried.took > limit:
            await self.ctx.sleep(limit)
            self.say(f"\r{_NO_METER}\n", "", meter=True)
            return self.fail(28, f"Connection timed out after {limit // MILLISECOND} milliseconds")
        await self.ctx.sleep(tried.took)
        failed = (
            f"Failed to connect to {host} port {port} after {tried.took // MILLISECOND} ms: Couldn't connect to server"
        )
        self.say(f"* connect to {tried.address} port {port} failed: {tried.end.value}\n* {failed}\n", "verbose")
        self.say(f"\r{_NO_METER}\n", "", meter=True)
        self.say("* Closing connection\n", "verbose")
        return self.fail(7, failed)

    def limit(self) -> int | None:
        """How long connecting may take, in ns."""
        texts = [self.line.values[key] for key in ("max_time", "connect_timeout") if key in self.line]
        limits = [int(whole or 0) * SECOND for whole, _, _ in (text.partition(".") for text in texts)]
        return min(limits) if limits else None

    def read_file(self, path: str) -> int:
        """file:/// is this host's own."""
        try:
            data = paths.read(self.ctx, path)
        except FileError:
            return self.fail(37, f"Couldn't open file {path}")
        return self.deliver(data, path)

    def fail(self, number: int, text: str) -> int:
        """Say why, unless told to be silent."""
        if "silent" not in self.line or "show_error" in self.line:
            self.ctx.error(f"curl: ({number}) {text}")
        if "write_out" in self.line:
            shown = self.line.values["write_out"].replace("\\n", "\n").replace("%{http_code}", "000")
            self.ctx.write(re.sub(r"%\{\w+\}", "", shown))
        return number

    def say(self, text: str, key: str, meter: bool = False) -> None:
        """To standard error: with -v, or as part of the progress meter, which silence turns off."""
        wanted = self.meter and "silent" not in self.line if meter else not key or key in self.line
        if wanted:
            self.ctx.stderr.write(text.encode())


COMMAND = Command(
    "curl",
    "transfer a URL",
    run,
    "curl [OPTION]... URL...",
    _OPTIONS,
    "The site has no way to the internet: names outside do not resolve. GPU nodes publish metrics of their GPUs on\n"
    "port 9400 (curl http://HOST:9400/metrics). What other web servers of the site would answer is not modelled;\n"
    "whether a port is open can be told.",
)
