"""The real ipmitool as a judge: a BMC that answers its requests from our simulation, byte by byte as the IPMI 2.0
specification has it, through the `dummy` interface that Debian's package is built with.

Readings are bytes in IPMI. `quantized` makes sensors whose readings and limits are exact in them, so that the real tool
and ours show the same numbers.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

from engine.commands.bmc._ipmitool.event import Event
from engine.commands.bmc._ipmitool.records import Record, RecordType, records
from engine.commands.bmc._ipmitool.session import Session
from engine.commands.context import Context, Place
from engine.control import bmc
from engine.control.accounts import identity
from engine.control.bmc import Sensor
from engine.control.bmc_identity import MOST_ACCOUNTS, accounts, lan, manufacturer
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.support.run import AdvancingClock, BytesInput, BytesOutput, OwnCommands

_REQUEST = struct.Struct("<BBBBHxxQ")
_BYE = (0x3F, 0xFF)
_NOT_THERE, _UNKNOWN, _NO_FIELD = b"\xcb", b"\xc1", b"\xcc"
_UNITS = {"degrees C": 1, "Volts": 4, "Watts": 6, "RPM": 18, "percent": 0}
_LIMIT_BITS = {"lnc": 0, "lcr": 1, "lnr": 2, "unc": 3, "ucr": 4, "unr": 5}
_EVENT_BITS = {"lnc": 0, "lcr": 2, "lnr": 4, "unc": 7, "ucr": 9, "unr": 11}


def installed() -> bool:
    """Whether there is an ipmitool of the modelled version with the dummy interface."""
    if not shutil.which("ipmitool"):
        return False
    return "1.8.19" in subprocess.run(["ipmitool", "-V"], capture_output=True, text=True, check=True).stdout


def quantized(sensor: Sensor) -> Sensor:
    """The sensor with its reading and limits rounded to what a byte can tell."""
    values = [getattr(sensor.thresholds, each.name) for each in fields(sensor.thresholds)]
    most = max((abs(value) for value in (sensor.value, *values) if value), default=1)
    step = next(digit * 10**power for power in range(9) for digit in (1, 2, 5) if most <= 255 * digit * 10**power)

    def rounded(value: int | None) -> int | None:
        return None if value is None else (value + step // 2) // step * step

    limits = replace(
        sensor.thresholds,
        **{each.name: rounded(getattr(sensor.thresholds, each.name)) for each in fields(sensor.thresholds)},
    )
    return replace(sensor, value=rounded(sensor.value), thresholds=limits)


def session(simulation: Simulation[World], host: str) -> Session:
    """A session of root's on `host` with the BMC of `host`."""
    who = identity(simulation.world.inventory, "root")
    place = Place(host, who, {}, "/root")
    stdin, stdout, clock = BytesInput(), BytesOutput(), AdvancingClock(simulation)
    runner = OwnCommands(simulation, clock, stdin, stdout, stdout)
    files = HostTree(simulation, host, who)
    context = Context("ipmitool", (), place, simulation, files, stdin, stdout, stdout, clock, runner)
    return Session(context, host)


@dataclass(frozen=True)
class Oracle:
    """The BMC of a session's node, behind a socket."""

    session: Session
    place: Path

    def ask(self, *arguments: str) -> str:
        """What the real ipmitool prints."""
        with socket.socket(socket.AF_UNIX) as listener:
            path = self.place / "bmc"
            path.unlink(missing_ok=True)
            listener.bind(str(path))
            listener.listen()
            thread = threading.Thread(target=self._serve, args=(listener,), daemon=True)
            thread.start()
            environment = {**os.environ, "IPMI_DUMMY_SOCK": str(path), "TZ": "UTC", "LC_ALL": "C"}
            command = ["ipmitool", "-I", "dummy", *arguments]
            result = subprocess.run(command, capture_output=True, env=environment, timeout=20, check=False)
            thread.join(5)
        return result.stdout.decode("latin-1")

    def _serve(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as requests:
            while header := requests.read(_REQUEST.size):
                function, _, command, _, length, _ = _REQUEST.unpack(header)
                if (function, command) == _BYE:
                    return
                answer = self._answer(function, command, requests.read(length))
                head = struct.pack("<BBBBBxxxixxxxQ", function, command, 0, 0, answer[0], len(answer) - 1, 0)
                connection.sendall(head + answer[1:])

    def _answer(self, function: int, command: int, data: bytes) -> bytes:
        """Completion code and data."""
        answers: dict[tuple[int, int], Callable[[bytes], bytes]] = {
            (0x00, 0x01): self._chassis,
            (0x04, 0x27): self._limits,
            (0x04, 0x29): self._enabled,
            (0x04, 0x2B): self._asserted,
            (0x04, 0x2D): self._reading,
            (0x06, 0x01): self._device,
            (0x00, 0x04): lambda _: b"\x00",
            (0x06, 0x04): lambda _: b"\x00\x55\x00",
            (0x06, 0x42): lambda data: bytes([0, data[0], 4 if data[0] == 1 else 5, 1, 0x80, 0xF2, 0x1B, 0, 0, 0]),
            (0x06, 0x44): self._access,
            (0x06, 0x46): self._user,
            (0x0A, 0x10): lambda data: _NOT_THERE if data[0] else struct.pack("<BHB", 0, len(self._fru()), 0),
            (0x0A, 0x11): self._fru_data,
            (0x0A, 0x20): self._repository_info,
            (0x0A, 0x22): lambda _: b"\x00\x01\x00",
            (0x0A, 0x23): self._record,
            (0x0A, 0x40): self._log,
            (0x0A, 0x43): self._entry,
            (0x0A, 0x48): lambda _: b"\x00" + struct.pack("<I", self._epoch(self.session.context.now)),
            (0x0C, 0x02): self._lan,
        }
        answer = answers.get((function, command))
        return answer(data) if answer else _UNKNOWN

    @property
    def _repository(self) -> list[Record]:
        return records(self.session)

    def _repository_info(self, _: bytes) -> bytes:
        return b"\x00\x51" + struct.pack("<HH", len(self._repository), 0xFFFF) + bytes(8) + b"\x02"

    def _sensor(self, number: int) -> Record:
        return next(record for record in self._repository if record.number == number)

    def _epoch(self, time: int) -> int:
        return (self.session.context.inventory.start + time) // SECOND

    def _device(self, _: bytes) -> bytes:
        maker, _name = manufacturer(self.session.world, self.session.host)
        major, minor, patch = map(int, self.session.world.node(self.session.host).bmc_firmware.split("."))
        return (
            bytes([0, 32, 1, major, int(str(minor), 16), 0x02, 0xBF]) + maker.to_bytes(3, "little") + bytes(2)
            + bytes([patch, 0, 0, 0])
        )  # fmt: skip

    def _chassis(self, _: bytes) -> bytes:
        status = bmc.chassis_status(self.session.world, self.session.host, self.session.context.now)
        power = status.power_on | status.power_fault << 3 | 1 << 5
        return bytes([0, power, 0x01 if status.last_power_event == "ac-failed" else 0x10, status.cooling_fault << 3])

    def _record(self, data: bytes) -> bytes:
        number, offset, length = int.from_bytes(data[2:4], "little"), data[4], data[5]
        last = number == len(self._repository) - 1
        body = _sdr(self._repository[number])
        whole = struct.pack("<HBBB", number, 0x51, body[0], len(body) - 1) + body[1:]
        following = 0xFFFF if last else number + 1
        return b"\x00" + struct.pack("<H", following) + whole[offset : offset + length]

    def _reading(self, data: bytes) -> bytes:
        record = self._sensor(data[0])
        if not record.readable:
            return bytes([0, 0, 0xE0, 0])
        if record.value is None:
            return bytes([0, 0, 0xC0, record.mask & 0xFF, record.mask >> 8 | 0x80])
        beyond = sum(1 << _LIMIT_BITS[name] for name in record.beyond)
        return bytes([0, record.raw(record.value), 0xC0, beyond | 0xC0])

    def _limits(self, data: bytes) -> bytes:
        record = self._sensor(data[0])
        values = {limit.short: record.raw(limit.value) for limit in record.limits}
        mask = sum(1 << _LIMIT_BITS[name] for name in values)
        return bytes([0, mask, *(values.get(name, 0) for name in _LIMIT_BITS)])

    def _asserted(self, data: bytes) -> bytes:
        record = self._sensor(data[0])
        if not record.readable:
            return bytes([0, 0xE0, 0, 0])
        events = sum(1 << _EVENT_BITS[name] for name in record.beyond) if record.is_threshold else record.mask
        return b"\x00\xc0" + struct.pack("<HH", events, 0)

    def _enabled(self, data: bytes) -> bytes:
        record = self._sensor(data[0])
        if not record.is_threshold:
            return b"\x00\xc0" + struct.pack("<HH", (1 << len(record.event.texts)) - 1, 0)
        events = sum(1 << _EVENT_BITS[limit.short] for limit in record.limits)
        return b"\x00\xc0" + struct.pack("<HH", events, events)

    def _log(self, _: bytes) -> bytes:
        entries = self.session.entries
        free = (bmc.CAPACITY - len(entries)) * 16
        cleared = self.session.world.sel[self.session.host].cleared_at
        added = self._epoch(entries[-1].time) if entries else 0
        removed = 0 if cleared is None else self._epoch(cleared)
        return b"\x00\x51" + struct.pack("<HHIIB", len(entries), free, added, removed, 0x0A)

    def _entry(self, data: bytes) -> bytes:
        entries = self.session.entries
        asked = int.from_bytes(data[2:4], "little")
        number = {0: 1, 0xFFFF: len(entries)}.get(asked, asked)
        if not 1 <= number <= len(entries):
            return _NOT_THERE
        event = Event(self.session, number, entries[number - 1])
        code = 0 if event.record is None else event.record.code
        following = 0xFFFF if number == len(entries) else number + 1
        return b"\x00" + struct.pack(
            "<HHBIHBBBB3B", following, number, 0x02, self._epoch(event.entry.time), 0x20, 0x04, code,
            event.sensor_number, event.type.code | (0 if event.entry.asserted else 0x80), *event.data,
        )  # fmt: skip

    def _user(self, data: bytes) -> bytes:
        name = next((a.name for a in accounts(self.session.world, self.session.host) if a.number == data[0]), None)
        return _NO_FIELD if name is None else b"\x00" + name.encode().ljust(16, b"\0")

    def _access(self, data: bytes) -> bytes:
        known = accounts(self.session.world, self.session.host)
        limits = {"ADMINISTRATOR": 0x14, "USER": 0x12}
        limit = next((limits[account.privilege] for account in known if account.number == data[1]), 0x0F)
        return bytes([0, MOST_ACCOUNTS, 0x40 | len(known), 1, limit])

    def _lan(self, data: bytes) -> bytes:
        own = lan(self.session.world, self.session.host)
        values = {
            0: b"\0", 1: b"\x14", 2: b"\x04" * 5, 3: _address(own.address), 4: b"\x01",
            5: bytes.fromhex(own.mac.replace(":", "")), 6: _address(own.netmask), 7: b"\x40\x40\x10", 10: b"\x02",
            11: b"\x02", 12: _address(own.gateway), 13: bytes(6), 14: bytes(4), 15: bytes(6),
            16: b"public".ljust(18, b"\0"), 20: bytes(2), 21: b"\0", 22: b"\x02", 23: bytes([0, 3, 17]),
            24: bytes([0, 0x44, *bytes(7)]),
        }  # fmt: skip
        return b"\x00\x11" + values[data[1]] if data[1] in values else b"\x80"

    def _fru_data(self, data: bytes) -> bytes:
        offset = int.from_bytes(data[1:3], "little")
        part = self._fru()[offset : offset + data[3]]
        return bytes([0, len(part)]) + part

    def _fru(self) -> bytes:
        node = self.session.world.node(self.session.host)
        chassis = _area(bytes([23]), ["", node.serial])
        board = _area(bytes([0, 0, 0, 0]), [node.vendor, node.product_name, node.serial, "", ""])
        product = _area(b"\0", [node.vendor, node.product_name, "", "", node.serial, "", ""])
        places = [1, 1 + len(chassis) // 8, 1 + (len(chassis) + len(board)) // 8]
        return bytes([1, 0, *places, 0, 0, 0]) + chassis + board + product


def _address(text: str) -> bytes:
    return bytes(map(int, text.split(".")))


def _area(head: bytes, texts: list[str]) -> bytes:
    body = head + b"".join(bytes([0xC0 | len(text)]) + text.encode() for text in texts) + b"\xc1"
    length = (len(body) + 3 + 7) // 8
    return bytes([1, length]) + body.ljust(8 * length - 2, b"\0")


def _sdr(record: Record) -> bytes:
    """Type and body of a record of the repository."""
    entity, _, instance = record.entity.partition(".")
    name = bytes([0xC0 | len(record.name)]) + record.name.encode()
    start = bytes([0x20, 0, record.number, int(entity), int(instance)])
    if record.type is RecordType.EVENT:
        return b"\x03" + start + bytes([record.code, record.event.code, 1, 0, 0, 0]) + name
    if not record.is_threshold:
        kind = bytes([0x67, 0x40, record.code, record.event.code])
        return b"\x02" + start + kind + bytes(6) + bytes([0xC0, 0, 0]) + bytes(8) + name
    digit, exponent = _digit(record.factor)
    mask = sum(1 << _LIMIT_BITS[limit.short] for limit in record.limits)
    masks = struct.pack("<HHBB", mask << 12 & 0x7000, mask >> 3 << 12, mask, mask)
    values = {limit.short: record.raw(limit.value) for limit in record.limits}
    limits = bytes(values.get(name, 0) for name in ("unr", "ucr", "unc", "lnr", "lcr", "lnc"))
    factors = bytes([0, digit, 0, 0, 0, 0, (exponent - 3 & 0xF) << 4])
    return (
        b"\x01" + start + bytes([0x7F, 0x68, record.code, 1]) + masks
        + bytes([record.unit == "percent", _UNITS[record.unit], 0]) + factors
        + bytes([0, 0, 0, 0, 0xFF, 0]) + limits + bytes(2) + bytes(3) + name
    )  # fmt: skip


def _digit(factor: int) -> tuple[int, int]:
    exponent = len(str(factor)) - 1
    return factor // 10**exponent, exponent
