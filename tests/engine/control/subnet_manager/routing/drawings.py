"""Fabrics to route: drawn, damaged, and written as netlists."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Socket = tuple[int, int]
"""A device's number in the drawing, and a port."""


@dataclass(eq=False)
class Device:
    """A switch or an adapter."""

    number: int
    switch: bool
    ports: int
    name: str
    guid: int

    @property
    def identifier(self) -> str:
        return f"{'S' if self.switch else 'H'}-{self.guid:016x}"


@dataclass
class Drawing:
    """Devices, adapters first, and what is plugged into what."""

    devices: list[Device] = field(default_factory=list)
    cables: dict[Socket, Socket] = field(default_factory=dict)

    def switch(self, ports: int, name: str, guid: int) -> int:
        self.devices.append(Device(len(self.devices), True, ports, name, guid))
        return len(self.devices) - 1

    def adapter(self, name: str, guid: int, ports: int = 1) -> int:
        self.devices.append(Device(len(self.devices), False, ports, name, guid))
        return len(self.devices) - 1

    def cable(self, near: Socket, far: Socket) -> None:
        assert near not in self.cables and far not in self.cables
        self.cables[near], self.cables[far] = far, near

    def unplug(self, socket: Socket) -> None:
        del self.cables[self.cables.pop(socket)]

    def free_port(self, device: int, draw: random.Random) -> int:
        free = [port for port in range(1, self.devices[device].ports + 1) if (device, port) not in self.cables]
        return draw.choice(free)

    def switch_sockets(self) -> list[Socket]:
        """One end of each cable between switches."""
        both = ((near, far) for near, far in self.cables.items() if near < far)
        return [near for near, far in both if self.devices[near[0]].switch and self.devices[far[0]].switch]

    def of(self, name: str) -> int:
        return next(device.number for device in self.devices if device.name.startswith(name))

    def damaged(self, cables: int = 0, switches: tuple[str, ...] = (), seed: int = 1) -> Drawing:
        """Without some cables between switches, and without some switches."""
        draw = random.Random(seed)
        for name in switches:
            number = self.of(name)
            for socket in [socket for socket in self.cables if socket[0] == number]:
                self.unplug(socket)
        for socket in draw.sample(self.switch_sockets(), cables):
            self.unplug(socket)
        return self

    def with_guids_drawn(self, seed: int) -> Drawing:
        draw = random.Random(seed)
        for device in self.devices:
            device.guid = 0x0002C90000000000 | draw.getrandbits(36) << 8
        return self

    def text(self) -> str:
        """The netlist, as ibsim reads it; a device without cables is left out."""
        used = [device for device in self.devices if any((device.number, p) in self.cables for p in range(1, 255))]
        return "\n".join(self._device_text(device) for device in used)

    def _device_text(self, device: Device) -> str:
        kind = "switch" if device.switch else "ca"
        head = f"vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{device.guid:x}\n{kind}guid=0x{device.guid:x}"
        if device.switch:
            tail = f'({device.guid:x})\nSwitch\t{device.ports} "{device.identifier}"\t\t# "{device.name}" enhanced'
            tail += " port 0 lid 0 lmc 0"
        else:
            tail = f'\nCa\t{device.ports} "{device.identifier}"\t\t# "{device.name}"'
        ports = [port for port in range(1, device.ports + 1) if (device.number, port) in self.cables]
        return "\n".join([head + tail, *(self._port_text(device, port) for port in ports)]) + "\n"

    def _port_text(self, device: Device, port: int) -> str:
        number, there = self.cables[device.number, port]
        far = self.devices[number]
        end = f'"{far.identifier}"[{there}]'
        if not device.switch:
            return f'[{port}]({device.guid + port:x}) \t{end}\t\t# lid 0 lmc 0 "{far.name}" lid 0 4xEDR'
        return f'[{port}]\t{end}{"" if far.switch else f"({far.guid + there:x})"} \t\t# "{far.name}" lid 0 4xEDR'


def two_tier(leaves: int, spines: int, adapters: int, cables: int = 1, ports: int = 64) -> Drawing:
    """Every leaf to every spine with some parallel cables."""
    drawing = Drawing()
    ends = [drawing.adapter(f"gpu{n:04d} mlx5_0", 0xE8EBD30300000000 + n * 0x10) for n in range(leaves * adapters)]
    low = [drawing.switch(ports, f"leaf{n:02d}", 0xB83FD20300000000 + n * 0x100) for n in range(leaves)]
    high = [drawing.switch(ports, f"spine{n:02d}", 0xB83FD20300100000 + n * 0x100) for n in range(spines)]
    for n, end in enumerate(ends):
        drawing.cable((end, 1), (low[n // adapters], n % adapters + 1))
    for i, leaf in enumerate(low):
        for j, spine in enumerate(high):
            for cable in range(cables):
                drawing.cable((leaf, adapters + 1 + j * cables + cable), (spine, i * cables + cable + 1))
    return drawing


def rails(nodes: int, width: int, unit: int, spines: int, ports: int = 64) -> Drawing:
    """Node after node with one adapter on each rail: a leaf for each rail of a unit of nodes."""
    drawing = Drawing()
    count = -(-nodes // unit) * width
    cables = max(1, unit // spines)
    ends = [
        drawing.adapter(f"gpu{n:04d} mlx5_{rail}", 0xE8EBD30300000000 + n * 0x10000 + rail * 0x10)
        for n in range(nodes)
        for rail in range(width)
    ]
    low = [drawing.switch(ports, f"leaf{n:02d}", 0xB83FD20300000000 + n * 0x100) for n in range(count)]
    high = [
        drawing.switch(max(ports, cables * count), f"spine{n:02d}", 0xB83FD20300100000 + n * 0x100)
        for n in range(spines)
    ]
    for n, end in enumerate(ends):
        node, rail = divmod(n, width)
        drawing.cable((end, 1), (low[node // unit * width + rail], node % unit + 1))
    for i, leaf in enumerate(low):
        for j, spine in enumerate(high):
            for cable in range(cables):
                drawing.cable((leaf, unit + 1 + j * cables + cable), (spine, i * cables + cable + 1))
    return drawing


def three_tier(adapters: int, radix: int) -> Drawing:
    """Pods of radix/2 leaves and radix/2 spines, joined by planes of core switches."""
    half = radix // 2
    pods = -(-adapters // half**2)
    cores = max(1, -(-pods * half // radix))
    drawing = Drawing()
    ends = [drawing.adapter(f"gpu{n:05d} mlx5_0", 0xE8EBD30300000000 + n * 0x10) for n in range(adapters)]
    low = [drawing.switch(radix, f"leaf{n:03d}", 0xB83FD20300000000 + n * 0x100) for n in range(-(-adapters // half))]
    middle = [drawing.switch(radix, f"agg{n:03d}", 0xB83FD20301000000 + n * 0x100) for n in range(pods * half)]
    top = [drawing.switch(radix, f"core{n:03d}", 0xB83FD20302000000 + n * 0x100) for n in range(half * cores)]
    for n, end in enumerate(ends):
        drawing.cable((end, 1), (low[n // half], n % half + 1))
    for n, leaf in enumerate(low):
        for way in range(half):
            drawing.cable((leaf, half + 1 + way), (middle[n // half * half + way], n % half + 1))
    for n, spine in enumerate(middle):
        pod, plane = divmod(n, half)
        for up in range(half):
            slot = pod * (half // cores) + up // cores + 1
            if slot <= radix:
                drawing.cable((spine, half + 1 + up), (top[plane * cores + up % cores], slot))
    return drawing


def irregular(switches: int, degree: int, adapters: int, seed: int) -> Drawing:
    """A connected graph with parallel cables, adapters (some with two ports) spread unevenly, GUIDs drawn."""
    draw = random.Random(seed)
    drawing = Drawing()
    ends = [drawing.adapter(f"host{n}", 0x100 + n * 0x10, ports=1 + (n % 7 == 3)) for n in range(adapters)]
    ports = min(3 * degree + 4 * adapters // switches + 12, 250)
    nodes = [drawing.switch(ports, f"sw{n:03d}", 0x1000000 + n * 0x100) for n in range(switches)]
    for n in range(1, switches):
        near, far = nodes[n], nodes[draw.randrange(n)]
        drawing.cable((near, drawing.free_port(near, draw)), (far, drawing.free_port(far, draw)))
    for _ in range(switches * (degree - 2) // 2):
        near, far = draw.sample(nodes, 2)
        drawing.cable((near, drawing.free_port(near, draw)), (far, drawing.free_port(far, draw)))
    for end in ends:
        for port in range(1, drawing.devices[end].ports + 1):
            switch = nodes[min(int(draw.random() ** 1.5 * switches), switches - 1)]
            if sum(socket[0] == switch for socket in drawing.cables) > ports - 2:
                switch = draw.choice(nodes)
            drawing.cable((end, port), (switch, drawing.free_port(switch, draw)))
    return drawing.with_guids_drawn(seed)
