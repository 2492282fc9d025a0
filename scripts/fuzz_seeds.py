#!/usr/bin/python3
"""fuzz_seeds.py - inputs for the fuzz corpora: runs, and two formats that no tool here writes.

DUMPI: every function's record by its layout (src/trace/dumpi_layout.c), in files of some versions.
Chakra: nodes of every type and collective, process groups, kinds of fields.
Machines: every mechanism of this tree's, and each type with each key. Runs that are set up: every
workload, placement, mechanism and routing of this tree's files, on machines as small as possible.
Usage: fuzz_seeds.py FOLDER
Writes FOLDER/TARGET/* for the targets dumpi, chakra, setup and machine, which the minimising of the
corpora reduces.
Needs build/src/darner, whose help lists algorithms and keys.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PART_END = b"\n%%\n"
MAGIC = b"\xff\xaa\xddDUMPI"
WORLD, MADE, REQUEST, INT, DOUBLE = 2, 4, 2, 9, 14
STATUS, CPU, WALL, THREAD, COUNTERS = 3, 4, 8, 64, 128


def layouts():
    text = (ROOT / "src/trace/dumpi_layout.c").read_text()
    return re.findall(r'"([^"]*)"', text[text.index("dn_dumpi_layouts["):])


LAYOUTS = layouts()
NEW, OLD = (1, 0, 0), (0, 6, 1)


def number(value, size):
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "big")


def listed(values, size):
    return number(len(values), 4) + b"".join(number(v, size) for v in values)


def field(kind, value, mask, version):
    """Bytes of one field of a layout."""
    sizes = {"b": 1, "h": 2, "i": 4, "q": 8, "R": 4}
    if kind in sizes:
        return number(value or 0, sizes[kind])
    if kind in "IHB":
        return listed(value or [], {"I": 4, "H": 2, "B": 1}[kind])
    if kind in "VW":
        old = version < ((0, 6, 9) if kind == "V" else (0, 6, 8))
        return number((value or [0])[0], 4) if old else listed(value or [], 4)
    if kind == "M":
        return number(1, 4) + listed(value or [1], 4)
    if kind == "Z":
        return number(1, 4) + (number(1, 4) if version < (0, 6, 2) else b"") + listed(b"ab", 1)
    if kind in "sST":
        text = listed(b"x", 1)
        for _ in range("sST".index(kind)):
            text = number(1, 4) + text
        return text
    if kind == "t":
        one = number(8, 4) + number(1, 4) + number(0, 2)
        one += number(7, 4) if version >= (0, 6, 3) else b""
        return number(1, 4) + one if mask & STATUS else b""
    raise ValueError(kind)


def record(function, *values, mask=WALL, version=NEW, us=(1, 2)):
    """A record of @function; its fields take the next of @values if that is of their kind, a list
    or a number, else 0 or nothing."""
    out = number(function, 2) + number(mask, 1)
    out += number(0, 2) if mask & THREAD else b""
    for clock in (CPU, WALL):
        if mask & clock:
            out += b"".join(number(0, 2) + number(1000 * t, 4) for t in us)
    out += number(1, 1) + bytes(16) if mask & COUNTERS else b""
    values, layout = list(values), LAYOUTS[function]
    root, first, inside = -1, None, True
    for kind in layout:
        if kind == "(":
            inside = first == root
        elif kind == ")":
            inside = True
        elif inside:
            fits = values and isinstance(values[0], list) == (kind in "IHBVW")
            value = values.pop(0) if fits else None
            if kind == "R":
                root = value or 0
            if first is None:
                first = value or 0
            out += field(kind, value, mask, version)
    return out


def dumpi_file(records, version=NEW, parts=8):
    out = MAGIC + bytes(8) + b"".join(records) + number(293, 2)
    header = len(out)
    out += bytes(version) + bytes(20)
    sizes = len(out)
    out += listed([4 if i == INT else 8 if i == DOUBLE else 1 for i in range(28)], 4)
    out += MAGIC + (number(sizes, 8) if parts == 8 else b"") + bytes(8 * (min(parts, 7) - 5))
    return out + number(header, 8) + number(8, 8) + bytes(16)


def dumpi_input(*files, meta=b"numprocs=%d\nfileprefix=t\n"):
    meta = meta % len(files) if b"%d" in meta else meta
    return PART_END.join((meta, *files))


FINI = record(125)


def message_records(version):
    """Messages between two ranks: those of rank 0, those of rank 1."""
    zero, one = [], []
    for function in (0, 3, 4, 5):
        zero.append(record(function, 3, INT, 1, 7, WORLD, version=version))
        one.append(record(1, 3, INT, -1, -1, WORLD, mask=WALL | STATUS, version=version))
    for function in (8, 9, 10, 11):
        zero += [record(function, 3, INT, 1, 7, WORLD, REQUEST), record(13, REQUEST)]
        one += [record(12, 3, INT, 0, 7, WORLD, REQUEST), record(14, REQUEST, 1)]
    for function in (26, 27, 28, 29):
        zero += [record(function, 3, INT, 1, 7, WORLD, REQUEST), record(31, REQUEST),
                 record(18, [REQUEST]), record(15, REQUEST)]
        one += [record(30, 3, INT, 0, 7, WORLD, REQUEST), record(32, [REQUEST]),
                record(16, [1, REQUEST], 1), record(15, REQUEST)]
    for function, *values in ((17, [REQUEST], 0, 1), (17, [REQUEST], 0, 0), (19, [REQUEST], 1),
                              (19, [REQUEST], 0), (20, [REQUEST], [0]), (21, [REQUEST], [0])):
        zero += [record(8, 3, INT, 1, 7, WORLD, REQUEST), record(function, *values),
                 record(13, 1)]
        one.append(record(1, 3, INT, 0, 7, WORLD))
    zero += [record(22, 1, 7, WORLD, 0), record(23, 1, -1, WORLD),
             record(0, 1, INT, -2, 0, WORLD)]
    for function, rest in ((33, (1, DOUBLE)), (34, ())):
        for to, source in ((1, 1), (-2, 1), (1, -2), (-2, -2)):
            mine = (3, INT, to, 7, *rest, source, 7, WORLD)
            back = (3, INT, -2 if source == -2 else 0, 7, *rest, -2 if to == -2 else 0, 7, WORLD)
            zero.append(record(function, *mine))
            one.append(record(function, *back))
    return zero, one


def collective_records(rank):
    counts = [1, 2]
    calls = [(52, WORLD), (53, 5, DOUBLE, 1, WORLD), (54, rank, 1, INT, 0, WORLD, 1, INT),
             (55, rank, 1, INT, 0, WORLD, counts, [0, 1], INT),
             (56, rank, 1, INT, 0, WORLD, 1, INT), (58, 1, INT, 1, INT, WORLD),
             (59, 2, 1, INT, counts, [0, 1], INT, WORLD), (60, 1, INT, 1, INT, WORLD),
             (61, counts, [0, 1], INT, counts, [0, 1], INT, WORLD), (62, 1, INT, 1, 0, WORLD),
             (65, 1, INT, 1, WORLD), (66, counts, INT, 1, WORLD), (67, 1, INT, 1, WORLD),
             (155, counts, [0, 1], [INT, INT], counts, [0, 1], [INT, INT], WORLD),
             (156, 1, INT, 1, WORLD)]
    return [record(*call) for call in calls]


def object_records():
    types = [(35, 3, INT, 30), (36, 2, 2, 1, INT, 31), (37, 2, 2, 1, INT, 32),
             (38, [1, 2], [0, 1], INT, 33), (39, [1, 2], [0, 1], INT, 34),
             (40, [1, 2], [0, 1], [INT, DOUBLE], 35), (40, [1], [0], [40], 36), (178, INT, 37),
             (218, [1, 2], [0, 1], INT, 38), (219, 2, 2, 1, INT, 39), (220, 2, 1, [0, 1], INT, 41),
             (221, INT, 0, 8, 42), (222, [1, 2], [0, 1], [INT, DOUBLE], 43),
             (223, 2, [4, 4], [2, 2], [0, 0], 0, INT, 44), (43, 45, 16), (43, -1, 16),
             (35, 3, 99, 46)]
    groups = [(72, WORLD, 3), (76, 3, [0, 1, 9], 5), (77, 3, [1], 6), (76, 9, [0], 7), (72, 9, 8)]
    return [record(*call) for call in types + groups]


def communicator_records():
    return [record(84, WORLD, 4), record(85, WORLD, 5, 5), record(86, WORLD, 0, 0, 6),
            record(99, WORLD, 1, [2], [0], 0, 7), record(53, 5, DOUBLE, 1, 4),
            record(87, 4), record(86, WORLD, -1, 0, 1)]


def every_record(rank, version):
    """Each function that is no call of the replay, by its layout, with fields of 0."""
    return [record(f, mask=WALL | STATUS, version=version) for f in range(293)
            if f in range(63, 65) or f in range(68, 84) or f in range(88, 99) or f >= 100
            if f not in (124, 125, 155, 156, 171)]


def dumpi_seeds():
    zero, one = message_records(NEW)
    init = record(124, mask=THREAD | CPU | WALL | COUNTERS)
    yield dumpi_input(dumpi_file([init, *zero, FINI]), dumpi_file([init, *one, FINI]))
    yield dumpi_input(*(dumpi_file([init, *collective_records(r), FINI]) for r in (0, 1)))
    objects = object_records() + communicator_records()
    yield dumpi_input(*(dumpi_file([init, *objects, FINI]) for _ in (0, 1)))
    for version, parts in ((NEW, 8), (OLD, 7), (OLD, 5)):
        first = record(124, version=version)
        files = [dumpi_file([first, *every_record(r, version), FINI], version, parts)
                 for r in (0, 1)]
        yield dumpi_input(*files)
        yield dumpi_input(*files, meta=b"")  # by the binary file itself
    late = [record(52, WORLD, us=(1, 2)), record(52, WORLD, us=(5, 9))]
    yield dumpi_input(dumpi_file(late))
    yield dumpi_input(dumpi_file([record(171), record(0, 1, INT, -1, 0, WORLD)]))
    yield dumpi_input(dumpi_file([record(33, 1, INT, -1, 0, 1, INT, 0, 0, WORLD)]))
    yield dumpi_input(dumpi_file([record(0, -1, INT, 0, 0, WORLD)]))
    yield dumpi_input(dumpi_file([record(0, 1, 99, 0, 0, WORLD)]))
    yield dumpi_input(dumpi_file([record(85, WORLD, 9, 5)]))
    yield dumpi_input(dumpi_file([number(300, 2)]))
    yield dumpi_input(dumpi_file([number(32, 2) + number(0, 1) + number(1 << 27, 4)]))
    yield dumpi_input(dumpi_file([])[:-8])
    yield dumpi_input(dumpi_file([])[:-32] + number(1 << 40, 8) * 4)
    yield dumpi_input(b"\x50MUD")
    yield dumpi_input(b"", meta=b"fileprefix=t\n")
    yield dumpi_input(b"", meta=b"numprocs=1\n")
    yield dumpi_input(dumpi_file([]), meta=b"numprocs=3\nfileprefix=t\n")
    yield dumpi_input(dumpi_file([]), meta=MAGIC)


# ---- Chakra ----

META, LOAD, STORE, COMP, SEND, RECV, COLLECTIVE = range(1, 8)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def key(number_, wire):
    return varint(number_ << 3 | wire)


def part(number_, content):
    return key(number_, 2) + varint(len(content)) + content


def attribute(name, value, kind=9):
    """An attribute whose value is in field @kind of its type."""
    if isinstance(value, bytes):
        return part(10, part(1, name.encode()) + part(kind, value))
    if kind in (15, 17):
        value *= 2
    if kind in (3, 4):
        wire = (1, 8) if kind == 4 else (5, 4)
        return part(10, part(1, name.encode()) + key(kind, wire[0]) + value.to_bytes(wire[1],
                                                                                    "little"))
    return part(10, part(1, name.encode()) + key(kind, 0) + varint(value))


def node(number_, kind, *attributes, us=0, control=(), data=(), inputs=None):
    out = key(1, 0) + varint(number_) + part(2, b"n") + key(3, 0) + varint(kind)
    out += b"".join(key(4, 0) + varint(c) for c in control)
    out += part(5, b"".join(varint(d) for d in data)) if data else b""
    out += key(7, 0) + varint(us)
    out += part(8, part(1, inputs)) if inputs is not None else b""
    out += b"".join(attributes)
    return varint(len(out)) + out


def chakra_file(*nodes):
    return varint(3) + part(1, b"1") + b"".join(nodes)


def collective(number_, kind, *more, size=300):
    return node(number_, COLLECTIVE, attribute("comm_type", kind), attribute("comm_size", size),
                *more)


def chakra_seeds():
    host = attribute("is_cpu_op", 1)
    work = [node(1, META), node(2, LOAD, attribute("num_ops", 9)), node(3, STORE, us=2),
            node(4, COMP, host, us=3, data=(1, 2), control=(3,))]
    talk = [[node(10, SEND, attribute("comm_size", 300), attribute("comm_dst", 1, 7),
                  attribute("comm_tag", 1, 17)), node(11, COLLECTIVE, host, us=2)],
            [node(10, RECV, attribute("comm_size", 300), attribute("comm_src", 0, 15),
                  attribute("comm_tag", 1, 3)), node(11, COLLECTIVE, host, us=2)]]
    alls = [collective(20 + i, i) for i in range(10)]
    for group_file in (b'{"1": [0, 1], "2": []}', b'{"1": [0, 1], "2": [0]}', b'{"1": [0, 0]}',
                       b'{"1": [7]}', b'["1"]', b""):
        named = [collective(40 + i, i, attribute("pg_name", b"1", 13)) for i in (0, 6)]
        files = [chakra_file(*work, *talk[r], *alls, *named) for r in (0, 1)]
        yield PART_END.join((*files, group_file))
    groups = b"['[{\"pg_name\": \"3\", \"ranks\": [0, 1]}, {\"pg_name\": \"4\", \"ranks\": []}]']"
    noted = [node(1, META, inputs=groups)]
    noted += [collective(2 + i, 0, attribute("pg_name", g, 13)) for i, g in
              enumerate((b"4", b"3", b"0", b"4"))]
    yield PART_END.join((chakra_file(*noted), chakra_file(*noted)))
    for bad in (b"[{\"pg_name\": 1]}]", b"[{\"pg_name\": \"1\", \"ranks\": [9]}]", b"no list",
                b"[{\"pg_name\": \"1\"}]", b"[{\"pg_name\": [}]"):
        yield chakra_file(node(1, META, inputs=bad))
    one = (node(1, 9), node(1, COMP, us=10**11), node(1, SEND), collective(1, 11),
           collective(1, 0, attribute("root", 5)), node(1, COMP) + node(1, COMP),
           node(1, SEND, attribute("comm_size", 1), attribute("comm_dst", 5)),
           node(1, RECV, attribute("comm_size", 1), attribute("comm_src", 5)),
           node(1, SEND, attribute("comm_size", 1), attribute("comm_dst", 0),
                attribute("comm_tag", 1 << 40)), node(1, COMP, data=(9,)),
           node(1, COMP, control=(9,)), node(1, COMP, data=(2,)) + node(2, COMP, data=(1,)),
           node(1, COMP, attribute("x", 1, 4)),
           varint(1 << 30), varint(9) + b"\x08", b"\xff" * 12, varint(2) + b"\x0b\x00",
           collective(1, 0, attribute("pg_name", b"7", 13)))
    for text in one:
        yield chakra_file(text)
    outside = b'{"7": [1]}'
    yield PART_END.join((chakra_file(one[-1]), chakra_file(), outside))
    yield PART_END.join((chakra_file(), b"", b""))


# Machines as small as they can be, with all that a run may ask of one.
NODE = """  node:
    vertices: [{name: gpu, kind: gpu, count: 2}, {name: cpu, kind: cpu}, {name: nic, kind: nic}]
    links: {bus: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 16 KiB}}
    edges: [{each: [gpu, cpu], class: bus}, {each: [nic, cpu], class: bus}]
    nics: [{nic: nic, serves: [gpu0, gpu1, cpu]}]
  nccl: {gpu: ampere, version: 2.18, node_channels: 4}
  mpi: {library: ompi}
  default_mechanism: {host: h, gpu: g, ccl: c}
  mechanisms: {h: {type: host_mpi, t_start: 1 us}, g: {type: gpu_mpi, t_start: 2 us},
               c: {type: ccl, t_start: 1 us}}
"""
WIRE = "{bandwidth: 100 Gb/s, latency: 10 ns, buffer: 16 KiB}"
SMALL = ("\n  name: dragonfly-1056\n  fabric: {groups: 3, switches_per_group: 2, "
         "terminals_per_switch: 2, global_links_per_switch: 1}\n")
MACHINES = (SMALL, SMALL + NODE, " torus-4x4x4\n", " h200x4\n", " apenet-4x2\n",
            f"\n  fabric: {{type: fat_tree, levels: 2, radix: 4, links: {{terminal: {WIRE}, "
            f"link: {WIRE}}}}}\n" + NODE)
PINGPONG, ALLTOALL = "{type: pingpong, bytes: 64 KiB}", "{type: alltoall, bytes: 4 KiB}"
# Values that the tree has in several lines only.
MORE = {
    "placement": ["{coordinates: [[0, 0, 0], [1, 2, 3]]}", "{torus: [2, 2]}",
                  "{torus: [4, 2], onto: [[0, 1], [2]]}", "{coordinates: [[0, 9, 0], [1]]}"],
    "background": ["{utilisation: 50 %, sizes: {1: 5, 2: 1}, weights: nodes}",
                   "{placement: random_switch, service_nodes: 2, service_level: 1}",
                   "{placement: contiguous, ranks_per_node: 2, packet_aggregation: 4}",
                   "{traffic: {alltoall: 1, halo: 0, incast: 0, io: 0}}", "{traffic: incast}"],
    "mechanism": ["{type: device_copy, engines: 2, engine_rate: 10 GB/s, t_setup: 1 us}",
                  "{type: device_copy, engines: 2, engine_rate: 1 GB/s, setup_threshold: 4 KiB, "
                  "t_setup: 1 us}", "[{to: 1 KiB, use: direct}, {to: 2 KiB, use: direct}]",
                  "[{use: direct}, {use: direct}]", "{type: host_mpi, connect_above: 4}",
                  "{type: host_mpi, connect_above: 4, t_connect: 1 us}"],
}
COLLECTIVES = ("allreduce", "alltoall", "bcast", "reduce", "allgather", "reduce_scatter", "gather",
               "scatter", "scan", "barrier")


def lines_of_tree(key):
    """The values of @key in one line, of all runs, tests and pages in this tree."""
    value = r"(\{[^{}]*(\{[^{}]*\}[^{}]*)*\}|\[[^]]*\]|[a-z0-9][a-z0-9_. -]*)"
    found = subprocess.run(["git", "grep", "-ohE", f"\\b{key}: *{value}"], cwd=ROOT, text=True,
                           capture_output=True).stdout
    lines = {re.sub(r"\s+", " ", line.replace('\\"', '"')) for line in found.splitlines()}
    return sorted(line[line.index(":") + 1:].strip() for line in lines) + MORE.get(key, [])


def setup_seeds():
    """Each workload, placement, mechanism and routing that is written somewhere in this tree."""
    def run(machine, workload, job="", top=""):
        ranks = 2 if workload == PINGPONG else 8
        return (f"machine:{machine}{top}jobs:\n  - name: a\n    workload: {workload}\n"
                f"    ranks: {ranks}\n{job}").encode()

    algorithms = re.findall(r"^  ([a-z_0-9]+)\b", help_page("algorithm"), re.M)
    workloads = lines_of_tree("workload") + [
        f"{{type: {name}, algorithm: {algorithm}{', bytes: 64 KiB' * (name != 'barrier')}}}"
        for name in COLLECTIVES for algorithm in algorithms]
    jobs = ("placement", "mechanism", "noise", "background", "routing_mode", "service_level",
            "packet_aggregation", "start", "iterations", "exclusive")
    tops = ("routing", "engine", "packet", "measure", "background", "flow", "slowdown", "bound",
            "measured", "repeat", "until")
    for machine in MACHINES:
        for workload in workloads:
            yield run(machine, workload)
        for key in jobs:
            for value in lines_of_tree(key):
                yield run(machine, PINGPONG, job=f"    {key}: {value}\n")
                yield run(machine, ALLTOALL, job=f"    {key}: {value}\n")
        for key in tops:
            for value in lines_of_tree(key):
                yield run(machine, ALLTOALL, top=f"{key}: {value}\n")


def help_page(*topic):
    return subprocess.run([ROOT / "build/src/darner", "help", *topic], text=True,
                          capture_output=True, check=True).stdout


def mechanism_seeds():
    """Each type of mechanism with each of its keys and with all, as YAML in one line."""
    values = {"time": "1 us", "data rate": "10 GB/s", "size": "4 KiB", "whole number": "1",
              "yes or no": "yes", "number": "1", "rate per second": "1e6 /s"}
    for name in re.findall(r"^  ([a-z_]+) ", help_page("mechanism"), re.M):
        if name in ("list", "source"):
            continue
        keys = re.findall(r"^  ([a-z_0-9]+): (one of [a-z0-9_]+|[a-z ]+)",
                          help_page("mechanism", name), re.M)
        each = [f"{key}: {values.get(kind, kind.split()[-1])}" for key, kind in keys]
        yield from (f"{{type: {name}, {key}}}" for key in each)
        whole = f"{{type: {name}, {', '.join(each)}}}"
        yield whole
        yield f"[{{to: 4 KiB, between: nodes, use: {{type: basic}}}}, {{use: {whole}}}]"


def machine_seeds():
    """Each mechanism of the machines in this tree, and of the above, alone on a node."""
    node = textwrap.dedent(NODE[:NODE.index("  default_mechanism")])
    for mechanism in mechanism_seeds():
        yield f"{node}mechanisms: {{m: {mechanism}}}\n".encode()
    for file in sorted(ROOT.glob("topologies/*.yaml")):
        section = re.search(r"^mechanisms:\n((?:[ #].*\n|\n)+)", file.read_text(), re.M)
        for entry in re.split(r"^(?=  [a-z0-9])", section[1] if section else "", flags=re.M)[1:]:
            yield f"{node}mechanisms:\n{entry}".encode()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, seeds in (("dumpi", dumpi_seeds()), ("chakra", chakra_seeds()),
                        ("setup", dict.fromkeys(setup_seeds())),
                        ("machine", machine_seeds())):
        folder = pathlib.Path(sys.argv[1], name)
        folder.mkdir(parents=True, exist_ok=True)
        for i, seed in enumerate(seeds):
            (folder / f"seed-{i}").write_bytes(seed)


if __name__ == "__main__":
    main()
