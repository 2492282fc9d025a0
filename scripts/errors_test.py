#!/usr/bin/python3
"""errors_test.py - wrong input, as a user would give it: what the program answers.

Each case writes its files into an empty folder and runs the program there. Expected: exit status 2,
one line on standard error that fits the pattern, nothing on standard output, no output folder.
Usage: errors_test.py PROGRAM
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

# A machine with a typing mistake in a mechanism that the run does not use.
UNUSED = "{name: h200x4, mechanisms: {own: {type: host_mpi, t_strat: 3 us}}}"
GOOD = """machine: h200x4
jobs:
  - name: a
    workload: {type: pingpong, bytes: 1 MiB}
    ranks: 2
    mechanism: d2d
"""


FABRIC = """machine:
  fabric:
    type: dragonfly
    assumed: any values do
    groups: 5
    switches_per_group: 2
    terminals_per_switch: 2
    global_links_per_switch: 2
    links:
      terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}
      local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}
      global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}
    switch: {latency: 100 ns}
  hardware: {lanes: 2, packet: 1 KiB}
routing: {algorithm: aries}
jobs:
  - name: a
    workload: {type: uniform, bytes: 64 B, load: 0.5, rate: 80 Gb/s, messages: 2}
"""
LARGE = FABRIC.replace("switches_per_group: 2", "switches_per_group: 7474")


def run(text, *options):
    """A case with one run file."""
    return {"bad.yaml": text}, ["run", "bad.yaml", *options]


def changed(old, new, *options):
    assert old in GOOD, old
    return run(GOOD.replace(old, new), *options)


def fabric(old, new):
    assert old in FABRIC, old
    return run(FABRIC.replace(old, new))


def own_nics(nics, machine="", mechanism="{type: basic}"):
    """GPUs that forward nothing, each with a NIC; @machine: further keys of it."""
    link = "{bandwidth: 1 Gb/s, latency: 1 us, buffer: 1 MiB}"
    pairs = ", ".join(f"{{nic: nic{i}, serves: gpu{i}}}" for i in range(nics))
    return {
        "m.yaml": f"""fabric: {{type: full_mesh, switches: 1, terminals_per_switch: {nics},
  links: {{terminal: {link}}}, switch: {{latency: 0}}}}
node:
  vertices: [{{name: gpu, kind: gpu, count: {nics}}}, {{name: nic, kind: nic, count: {nics}}}]
  links: {{wire: {link}}}
  edges: [{{pairwise: [gpu, nic], class: wire}}, {{all_to_all: gpu, class: wire}}]
  nics: [{pairs}]
{machine}
""",
        "r.yaml": f"machine: m.yaml\njobs: [{{workload: {{type: pingpong, bytes: 8 B}}, "
        f"mechanism: {mechanism}}}]\n",
    }, ["run", "r.yaml", "-o", "out"]


def mesh(link, hardware, workload, job="ranks: 2"):
    """Two NICs on a switch, without nodes; links have what @link says, and else common values."""
    link = "latency: 1 us, " + link + ("" if "buffer" in link else ", buffer: 64 KiB")
    return {"m.yaml": f"""fabric: {{type: full_mesh, switches: 1, terminals_per_switch: 2,
  links: {{terminal: {{{link}}}}}, switch: {{latency: 0}}}}
hardware: {{{hardware}}}
""",
            "r.yaml": f"machine: m.yaml\njobs: [{{workload: {{{workload}}}, {job}}}]\n",
            }, ["run", "r.yaml", "-q", "-o", "out"]


def chain(switches, routing):
    """Switches in a row, with a terminal each."""
    link = "{bandwidth: 1 Gb/s, latency: 1 us, buffer: 1 MiB}"
    return {"m.yaml": f"""fabric: {{type: edges, switches: {switches}, terminals_per_switch: 1,
  links: {{terminal: {link}, link: {link}}}, switch: {{latency: 0}},
  edges: {[[i, i + 1] for i in range(switches - 1)]}}}
""",
            "r.yaml": "machine: m.yaml\njobs: [{workload: {type: pingpong, bytes: 8 B}}]\n"
                      f"routing: {routing}\n",
            }, ["run", "r.yaml", "-q", "-o", "out"]


def node_chain(switches):
    """Two GPUs at the ends of switches in a row, inside one node."""
    names = ["gpu0", *(f"nvswitch{i}" for i in range(switches)), "gpu1"]
    edges = ", ".join(f"{{link: [{a}, {b}], class: wire}}" for a, b in zip(names, names[1:]))
    return {"m.yaml": f"""node:
  vertices: [{{name: gpu, kind: gpu, count: 2}},
             {{name: nvswitch, kind: nvswitch, count: {switches}}}]
  links: {{wire: {{bandwidth: 1 Gb/s, latency: 1 us, buffer: 1 MiB}}}}
  edges: [{edges}]
""",
            "r.yaml": "machine: m.yaml\njobs: [{workload: {type: pingpong, bytes: 8 B}}]\n",
            }, ["run", "r.yaml", "-q", "-o", "out"]


def samples(rows):
    header = "job,point,repetition,seed,iteration,alone,start_s,time_s,flow\n"
    return {"d/samples.csv": header + rows}, ["compare-runs", "d", "d"]


# name: (files, arguments, pattern of the one line)
CASES = {
    "unknown key": (*changed("machine:", "machin:"), r"bad\.yaml:1:1: .*'machin'.*'machine'"),
    "unknown key after a byte order mark": (*run("\ufeff" + GOOD.replace("machine:", "machin:")),
                                            r"bad\.yaml:1:1: .*'machin'.*'machine'"),
    "injection of a packet in days": (*fabric("packet: 1 KiB", "packet: 1 KiB, injection: 1 b/s"),
                                      r"bad\.yaml:2:3: .*hardware\.injection.*10 s"),
    "injection that rounds to no limit": (
        *fabric("packet: 1 KiB", "packet: 1 KiB, injection: 0.001 b/s"),
        r"bad\.yaml:14:50: .*'0\.001 b/s' would round to 0; allowed: 0 or 1 b/s and more"),
    "text direction in a job's name": (*changed("name: a", 'name: "a\\u202e"'),
                                       r"bad\.yaml:3:11: .*control characters"),
    "control characters in a key": (*run(GOOD + '"x\\e[31m": 1\n'),
                                    r"bad\.yaml:7:1: unknown key 'x\\u001b\[31m'"),
    "no ranks in the file": (*changed("ranks: 2", "ranks: 0"), r"bad\.yaml:5:12: .*'0'.*1 to "),
    "no ranks on the command line": (*run(GOOD, "--set", "jobs[0].ranks=0"), r"ranks: '0'.*1 to "),
    "no nodes in the file": (*run(GOOD + "nodes: 0\n"), r"bad\.yaml:7:8: .*'0'.*1 to "),
    "no nodes on the command line": (*run(GOOD, "--set", "nodes=0"), r"nodes: '0'.*1 to "),
    "no repetitions": (*run(GOOD, "--set", "repeat=0"), r"repeat: '0'.*1 to "),
    "sweep of the output folder on the command line": (
        *run(GOOD, "--set", "sweep={output: [a, b]}"), r"--set sweep:1:2: .*one folder"),
    "trace with a byte order mark and no number": (
        {"t.ti": "\ufeff0 init\n0 compute x\n"}, ["trace", "info", "t.ti"], r"t\.ti:2:11: .*'x'"),
    "computation that is no number": (
        {"t.ti": "0 init\n0 compute nan\n"}, ["trace", "info", "t.ti"], r"t\.ti:2:11: .*'nan'"),
    "message of a negative size": (
        {"t.ti": "0 init\n1 init\n0 send 1 0 -5\n"}, ["trace", "info", "t.ti"],
        r"t\.ti:3:12: .*'-5'"),
    "control characters in a job's name": (*changed("name: a", 'name: "a\\e[31m"'),
                                           r"bad\.yaml:3:11: .*control characters"),
    "sweep of the output folder": (*run(GOOD + "sweep: {output: [o, p]}\n"),
                                   r"bad\.yaml:7:9: .*one folder"),
    "value of an option that has none": (*run(GOOD, "--restart=no"),
                                         r"^--restart takes no value; see --help$"),
    "output folder without a name": (*run(GOOD, "--output="), r"^'': cannot make .* no name"),
    "control characters in a file's name": ({}, ["run", "a\x1b[31m.yaml"],
                                            r"^a\\u001b\[31m\.yaml: cannot read"),
    "line break in a file's name": ({}, ["run", "a\nb.yaml"], r"^a\\nb\.yaml: cannot read"),
    "two columns of one name": ({"m.csv": "bytes,time_us,bytes\n1,1,2\n"}, ["calibrate", "m.csv"],
                                r"^m\.csv:1:15: two columns are called 'bytes'; "),
    "sweep over one size in two units": (
        *run(GOOD + "sweep: {'jobs[0].workload.bytes': [1 KiB, 1024 B]}\n"),
        r"^bad\.yaml:7:43: .*'1024 B' is the same value as '1 KiB' at bad\.yaml:7:36; "),
    "calibration into a folder that is not there": (
        {"m.csv": "bytes,time_us\n1,x\n"}, ["calibrate", "m.csv", "-o", "none/m.yaml"],
        r"^--output: none/m\.yaml: cannot write it: No such file"),
    "seed of analyze below 0": ({}, ["analyze", "h200x4", "--seed=-1"], r"--seed -1; .* 0 or more"),
    "analysis into a folder that is not there": (
        {}, ["analyze", "dragonfly-16512", "--json", "none/a.json"],
        r"^--json: none/a\.json: cannot write it: No such file"),
    "page into a folder that is not there": (
        {}, ["validate", "-q", "h200x4-p2p", "--page", "none/p.md"],
        r"^--page: none/p\.md: cannot write it: No such file"),
    "validation into a folder": ({}, ["validate", "-q", "h200x4-p2p", "--json", "/"],
                                 r"^--json: /: cannot write it: Is a directory"),
    "sizes that are one": ({"m.csv": "bytes,time_us\n1,1\n1,1\n"}, ["calibrate", "m.csv"],
                           r"^m\.csv: messages of 1 size for 2 parameters; "),
    "no threads": (*changed("ranks: 2", "ranks: 2", "--threads=0"), r"--threads.*1 to 256"),
    "topo of no nodes": ({}, ["topo", "h200x4", "--nodes=0"], r"--nodes 0; wanted: 1 or more"),
    "analyze of no nodes": ({}, ["analyze", "h200x4", "--nodes=0"],
                            r"--nodes 0; wanted: 1 or more"),
    "export of no nodes": ({}, ["topo", "export", "h200x4", "-f", "dot", "--nodes=0"],
                           r"--nodes 0; wanted: 1 or more"),
    "replay of a send without a receive": (
        {"t.ti": "0 init\n1 init\n0 send 1 0 1000\n"},
        ["replay", "t.ti", "--on", "h200x4", "-o", "out"],
        r"run\.yaml: messages of job t .*: 1; .*rank 0 to rank 1, tag 0; --allow-unmatched"),
    "more NICs of a node than a path can name": (
        *own_nics(128), r"m\.yaml:1:1: a node has 128 NICs; at most 127"),
    "a NIC that serves a GPU without a path to it": (
        {**own_nics(2)[0], "m.yaml": own_nics(2)[0]["m.yaml"]
            .replace("nic0, serves: gpu0", "nic0").replace("serves: gpu1", "serves: [gpu0, gpu1]")},
        ["run", "r.yaml", "-o", "out"],
        r"m\.yaml:4:3: graph: no path inside the node from node 0 gpu0 to node 0 nic1"),
    "GPUs of a node that meet in the fabric alone": (
        {**own_nics(2)[0], "m.yaml": own_nics(2)[0]["m.yaml"]
            .replace(", {all_to_all: gpu, class: wire}", "")},
        ["run", "r.yaml", "-o", "out"],
        r"m\.yaml:4:3: graph: no path inside the node from node 0 gpu0 to node 0 gpu1"),
    "NICs in turn that not every GPU reaches": (
        *own_nics(2, machine="hardware: {rails: round_robin}"),
        r"m\.yaml:1:1: no path from node 0 gpu0 to node 0 nic1 .* \(hardware\.rails\)"),
    "a read by NICs that not every GPU reaches": (
        *own_nics(2, mechanism="{type: host_mpi, t_issue: 0, t_start: 0, t_recv: 0, "
                               "rendezvous: read, read_rails: 2}"),
        r"m\.yaml:1:1: no path from node 0 gpu0 to node 0 nic1 .* \(read_rails"),
    "replay with more ranks a node than it has endpoints": (
        {"t.ti": "0 init\n1 init\n0 finalize\n1 finalize\n"},
        ["replay", "t.ti", "--on", "h200x4", "-o", "out", "--ranks-per-node=99"],
        r"--ranks-per-node: ranks_per_node: 99; a node of this machine has 4 endpoints"),
    "negative computation in a trace": (
        {"t.ti": "0 init\n0 compute -5\n"}, ["trace", "info", "t.ti"],
        r"t\.ti:2.*'-5' is no duration"),
    "import of an endless file": ({}, ["topo", "import", "/dev/zero"], r"/dev/zero:1:1: "),
    "measurements of an endless file": ({}, ["calibrate", "/dev/zero"], r"/dev/zero:1:1: "),
    "unknown key of a job": (*changed("ranks:", "rank:"), r"bad\.yaml:5:5: .*'rank'.*'ranks'"),
    "almost a key of another mapping": (
        *changed("ranks:", "nnodes:"), r"bad\.yaml:5:5: unknown key 'nnodes' here; did you mean "
        r"'nodes'\? a job takes `ranks`, "),
    "almost a key of a job at the top": (
        *run(GOOD + "iteration: 2\n"), r"unknown key 'iteration' here; did you mean "
        r"'iterations'\? it is a key of an item of `jobs:`$"),
    "unknown key of a workload": (*changed("bytes:", "byte:"), r"bad\.yaml:4:32: .*'byte'.*bytes"),
    "key given twice": (*changed("    ranks: 2\n", "    ranks: 2\n    ranks: 3\n"),
                        r"bad\.yaml:6:5: .*ranks"),
    "list for a word": (*changed("machine: h200x4", "machine: [h200x4]"), r"bad\.yaml:1:10: "),
    "word for a list": (*run("machine: h200x4\njobs: all\n"), r"bad\.yaml:2:7: .*list"),
    "word for a number": (*changed("ranks: 2", "ranks: two"), r"bad\.yaml:5:12: .*two"),
    "fraction for a number": (*changed("ranks: 2", "ranks: 2.5"), r"bad\.yaml:5:12: .*2\.5"),
    "missing unit": (*changed("1 MiB", "1024"), r"bad\.yaml:4:39: .*1024.*unit"),
    "unit of another kind": (*changed("1 MiB", "3 ns"), r"bad\.yaml:4:39: .*3 ns"),
    "unknown unit": (*changed("1 MiB", "3 parsec"), r"bad\.yaml:4:39: .*parsec"),
    "negative size": (*changed("1 MiB", "-1 MiB"), r"bad\.yaml:4:39: .*-1 MiB"),
    "size that is no number above 0": (*changed("1 MiB", "1e-999 B"),
                                       r"bad\.yaml:4:39: .*'1e-999 B' is too small"),
    "huge size": (*changed("1 MiB", "1e30 TiB"), r"bad\.yaml:4:39: .*1e30 TiB"),
    "not a number": (*changed("1 MiB", "nan B"), r"bad\.yaml:4:39: .*nan"),
    "negative ranks": (*changed("ranks: 2", "ranks: -2"), r"bad\.yaml:5:12: .*-2"),
    "more ranks than endpoints": (*changed("ranks: 2", "ranks: 5"), r"bad\.yaml:5:12: .*5.*4"),
    "too few ranks": (*changed("ranks: 2", "ranks: 1"), r"bad\.yaml:\d+:\d+: .*2"),
    "unknown machine": (*changed("h200x4", "h200x5"), r"bad\.yaml:1:10: .*'h200x5'.*'h200x4'"),
    "unknown workload": (*changed("pingpong", "pingpang"), r"bad\.yaml:4:.*'pingpang'.*'pingpong'"),
    "mechanism that no job uses": (
        *changed("h200x4", UNUSED),
        r"bad\.yaml:1:\d+: unknown key 't_strat'; did you mean 't_start'\?"),
    "mechanisms that are a word": (*changed("h200x4", "{name: torus-4x4x4, mechanisms: x}"),
                                   r"bad\.yaml:1:\d+: mechanisms: .*mapping"),
    "library that no job uses": (*changed("h200x4", "{name: torus-4x4x4, nccl: {gpus: x}}"),
                                 r"bad\.yaml:1:\d+: .*'gpus'"),
    "mechanism that no job uses, analyze": (
        changed("h200x4", UNUSED)[0], ["analyze", "bad.yaml"], r"bad\.yaml:1:\d+: .*'t_strat'"),
    "mechanism that no job uses, export": (
        changed("h200x4", UNUSED)[0], ["export", "bad.yaml", "-o", "in"],
        r"bad\.yaml:1:\d+: .*'t_strat'"),
    "unknown mechanism": (*changed("d2d", "d3d"), r"bad\.yaml:6:16: .*'d3d'.*'d2d'"),
    "key of another routing algorithm": (
        *run(GOOD + "routing: {algorithm: minimal, threshold: 1 KiB}\n"),
        r"^bad\.yaml:7:31: .*'threshold'.* \(of algorithm minimal\)$"),
    "later point of a sweep": (*run(GOOD + "sweep: {'jobs[0].ranks': [2, 5]}\n"),
                               r"^bad\.yaml:7:\d+: .* \(at jobs\[0\]\.ranks=5\)$"),
    "unit in wrong capitals": (*changed("1 MiB", "1 Mib"), r"bad\.yaml:4:39: .*mean 'MiB'\?"),
    "unknown routing": (*run(GOOD + "routing: {algorithm: minimum}\n"),
                        r"bad\.yaml:7:22: .*'minimum'.*'minimal'"),
    "unknown engine": (*run(GOOD + "engine: paket\n"), r"bad\.yaml:7:9: .*'paket'.*'packet'"),
    "unknown placement": (*run(GOOD + "    placement: spraed\n"), r"bad\.yaml:7:16: .*spraed"),
    "no machine": (*changed("machine: h200x4\n", ""), r"bad\.yaml:.*machine"),
    "no jobs": (*run("machine: h200x4\n"), r"bad\.yaml:.*jobs"),
    "too many nodes": (*run(GOOD + "nodes: 2\n"), r"bad\.yaml:\d+:\d+: .*node"),
    "memory": (*run(GOOD + "packet: {max_memory: 1 kB}\n"), r"memory"),
    "machine of gigabytes": (*run(LARGE + "packet: {max_memory: 1 GiB}\n"),
                             r"bad\.yaml:3:5: .*at least .* GiB; packet\.max_memory allows 1 GiB"),
    "more ports than a number of 16 bits": (
        *fabric("global_links_per_switch: 2", "global_links_per_switch: 65536"),
        r"bad\.yaml:2:3: .* has \d+ ports; at most 65534"),
    "sweep of an unknown key": (*run(GOOD + "sweep: {'jobs[0].workload.size': [1 B]}\n"),
                                r"bad\.yaml.*size"),
    "sweep without values": (*run(GOOD + "sweep: {'jobs[0].workload.bytes': []}\n"),
                             r"bad\.yaml:7:"),
    "messages beyond the longest run": (
        *run("machine: torus-4x4x4\nengine: bound\njobs:\n  - {ranks: 2, iterations: 47, "
             "workload: {type: ring, bytes: 909 TiB}}\n"), r"^messages are under way after more "
        r"than the 1,000,000 s that a run may take$"),
    "buffer that would be cut": (*mesh("bandwidth: 1 Gb/s, buffer: 1025 MiB", "",
                                       "type: pingpong, bytes: 8 B"),
                                 r"m\.yaml:2:64: buffer: '1025 MiB' .* allowed: 1 B to 1 GiB$"),
    "shared buffer that would be cut": (
        *mesh("bandwidth: 1 Gb/s, buffer: 1 MiB, shared_buffer: 513 MiB", "",
              "type: pingpong, bytes: 8 B"),
        r"m\.yaml:2:86: shared_buffer: '513 MiB' .* allowed: 0 B to 512 MiB$"),
    "aggregated packets of a gigabyte": (
        *mesh("bandwidth: 1 Gb/s, buffer: 1 GiB", "packet: 16 MiB", "type: pingpong, bytes: 1 GiB",
              "packet_aggregation: 20"),
        r"r\.yaml:1:10: packet_aggregation: 20 packets of 16777216 B .* at most 256 MiB"),
    "response that no buffer holds": (
        *mesh("bandwidth: 1 Gb/s", "window: 16, response: 900 KiB", "type: ring, bytes: 1 MiB"),
        r"m\.yaml:3:34: links of class 'terminal' have 65536 B of buffer, a response has 921600 B; "
        r"raise the buffer or lower hardware\.response$"),
    "responses to aggregated packets that no buffer holds": (
        *mesh("bandwidth: 1 Gb/s", "window: 16, response: 4 KiB", "type: ring, bytes: 1 MiB",
              "packet_aggregation: 64"),
        r"r\.yaml:1:10: links of class 'terminal' .* 65536 B of buffer, .* 64 .* 262144 B; raise"),
    "responses that take too long": (
        *mesh("bandwidth: 100 kb/s, buffer: 1 MiB", "window: 16, response: 900 KiB, packet: 1 KiB",
              "type: ring, bytes: 1 MiB"), r"too slow .* a packet of 921600 B .* than 10 s$"),
    "a channel for each of too many hops": (
        *chain(40, "{algorithm: minimal, channels: hop}"),
        r"r\.yaml:3:41: channels: hop would take 39 virtual channels here; at most 32; "),
    "more channels inside a node than there are": (
        *node_chain(40), r"m\.yaml:1:1: routing '.*' needs \d+ virtual channels .* at most 32$"),
    "packets beyond the longest run": (
        *mesh("bandwidth: 1 b/s", "packet: 1 B", "type: pingpong, bytes: 200 kB"),
        r"^messages are under way after more than the 1,000,000 s that a run may take$"),
    "more parts of a step than are counted": (
        *run("machine: torus-4x4x4\njobs:\n  - {ranks: 2, workload: {type: ml_step, bytes: 1 B, "
             "tensor: 2, microbatches: 1000000, allreduces: 1000000}}\n"),
        r"^bad\.yaml:3:\d+: 2 x microbatches x .* at most 4294967294$"),
    "sample of a negative time": (*samples("a,0,0,1,0,no,0,-1,\n"),
                                  r"^d/samples\.csv:2:16: time_s is -1; allowed: numbers from 0"),
    "sample that is alone or not": (*samples("a,0,0,1,0,maybe,0,1,\n"),
                                    r"^d/samples\.csv:2:11: alone is 'maybe'; allowed: yes, no"),
    "sample that is there twice": (*samples("a,0,0,1,0,no,0,1,\n" * 2),
                                   r"^d/samples\.csv:3:9: iteration 0 of .* is there twice"),
    "not YAML": (*run("machine: {h200x4\njobs: [\n"), r"bad\.yaml:\d+:\d+: "),
    "tab": (*run("machine: h200x4\n\tjobs: 1\n"), r"bad\.yaml:2:1: "),
    "binary": ({"bad.yaml": "\x00\x01\x02\x7fELF"}, ["run", "bad.yaml"], r"bad\.yaml:1:1: "),
    "empty file": (*run(""), r"bad\.yaml:1:1: empty"),
    "a list at the top": (*run("- machine: h200x4\n"), r"bad\.yaml:1:1: "),
    "missing file": ({}, ["run", "none.yaml"], r"none\.yaml"),
    "folder for a file": ({"bad.yaml/x": ""}, ["run", "bad.yaml"], r"bad\.yaml"),
    "missing include": (*run("include: none.yaml\n" + GOOD), r"bad\.yaml:1:10: .*none\.yaml"),
    "include cycle": ({"bad.yaml": "include: b.yaml\n", "b.yaml": "include: bad.yaml\n"},
                      ["run", "bad.yaml"], r"b\.yaml:1:10: .*cycle"),
    "--set of an unknown key": (*run(GOOD, "--set", "jobs[0].workload.byte=1 B"), r"byte"),
    "--set beyond the list": (*run(GOOD, "--set", "jobs[7].ranks=2"), r"jobs\[7\]"),
    "--set without a value": (*run(GOOD, "--set", "seed"), r"seed"),
    "--set of a wrong value": (*run(GOOD, "--set", "jobs[0].ranks=many"), r"many"),
    "buffer smaller than a packet": (*fabric("packet: 1 KiB", "packet: 16 KiB"),
                                     r"bad\.yaml:2:3: .*'terminal' have 8192 B of buffer.*16384 B"),
    "shared buffer smaller than a packet": (
        *fabric("70 ns, buffer: 8 KiB}", "70 ns, buffer: 8 KiB, shared_buffer: 40 B}"),
        r"bad\.yaml:12:\d+: 40 B hold no packet.*1024 B"),
    "unknown routing mode": (*fabric("{algorithm: aries}", "{algorithm: aries, mode: ADAPTIVE_4}"),
                             r"bad\.yaml:15:35: .*'ADAPTIVE_4'.*'ADAPTIVE_0'.*NMIN_HASH"),
    # in the last point of a sweep, before the first one starts
    "sweep to a wrong background": (
        *run(FABRIC + "background: {}\n"
             "sweep: {background.placement: [contiguous, contigous]}\n"),
        r"bad\.yaml:20:44: unknown placement 'contigous'; did you mean 'contiguous'"),
    "sweep to weights of the background's jobs": (
        *run(FABRIC + "background: {utilisation: 50 %, sizes: {1: 1}}\n"
             "sweep: {'background.sizes.1': [1, 0]}\n"), r"sizes: no value has a weight above 0"),
    "sweep to traffic of the background": (
        *run(FABRIC + "background: {utilisation: 50 %, sizes: {2: 1}, traffic: {shape: 2}}\n"
             "sweep: {background.traffic.shape: [1.5, 1]}\n"), r"bad\.yaml:20:41: .*shape"),
    "sweep to hosts that are none": (
        *run(FABRIC + "    ranks: 2\n    placement: {hosts: 'n[1-2]'}\n"
             "sweep: {'jobs[0].placement.hosts': ['n[1-2]', 'n[20-21]']}\n"),
        r"bad\.yaml:21:47: hosts: 'n21' is no node of this machine"),
    "hosts in a list of lists": (
        *run(FABRIC + "    ranks: 2\n    placement: {hosts: [n1, [n2]]}\n"),
        r"bad\.yaml:20:29: jobs\[0\]\.placement\.hosts\[1\]: a single value is wanted"),
    "hosts in a mapping": (
        *run(FABRIC + "    ranks: 2\n    placement: {hosts: {n1: n2}}\n"),
        r"bad\.yaml:20:24: .*hosts: a single value is wanted, not a mapping"),
    "sweep to an endpoint that is none": (
        *run(FABRIC + "    placement: [0, 1]\n"
             "sweep: {'jobs[0].placement': [[0, 1], [0, 99]]}\n"),
        r"bad\.yaml:20:43: endpoint 99; this machine's are 0 to 19"),
    "sweep to an unknown mode of application-aware routing": (
        *run(FABRIC.replace("lanes: 2", "window: 64") + "    routing_mode: {biased: ADAPTIVE_3}\n"
             "sweep: {'jobs[0].routing_mode.biased': [ADAPTIVE_3, ADAPTIV_2]}\n"),
        r"bad\.yaml:20:53: unknown mode 'ADAPTIV_2'.*did you mean 'ADAPTIVE_2'"),
    "application-aware routing without counters": (
        *run(FABRIC + "    routing_mode: {}\n"), r"bad\.yaml:19:19: .*set hardware\.window"),
    "sweep to more jobs than lanes": (
        *run(FABRIC + "sweep: {'jobs[0].service_level': [0, 9]}\n"),
        r"service level 9; this machine keeps 2 apart"),
    "sweep to a cycle": (
        *run(FABRIC + "sweep: {packet.virtual_channels: [0, 1]}\n"),
        r"bad\.yaml:15:10: .*needs 4.*can deadlock"),
    "unknown mode of a job": (*run(FABRIC + "    routing_mode: ADAPTIV_3\n"),
                              r"bad\.yaml:19:19: .*'ADAPTIV_3'.*'ADAPTIVE_3'"),
    "unknown input buffers": (*fabric("lanes: 2", "input_buffers: fof"),
                              r"bad\.yaml:14:29: .*'fof'.*fifo"),
    "lanes without weights": (*fabric("lanes: 2", "lanes: 2, arbitration: weighted"),
                              r"bad\.yaml:14:37: .*2 lanes.*lane_weights, not 0"),
    "weights of other lanes": (*fabric("lanes: 2",
                                       "lanes: 2, arbitration: weighted, lane_weights: [1, 2, 3]"),
                               r"bad\.yaml:14:61: .*2 lanes.*not 3"),
    "weight of zero": (*fabric("lanes: 2",
                               "lanes: 2, arbitration: weighted, lane_weights: [0, 1]"),
                       r"bad\.yaml:14:62: .*'0'.*1 to 1000"),
    "weights without use": (*fabric("lanes: 2", "lanes: 2, lane_weights: [1, 1]"),
                            r"bad\.yaml:14:38: .*'round_robin'.*'weighted'"),
    "lane of a service level": (*fabric("lanes: 2", "lanes: 2, service_levels: [0, 2]"),
                                r"bad\.yaml:14:\d+: .*lane 2.*0 to 1"),
    "unknown service level": (*run(FABRIC + "    service_level: 2\n"),
                              r"bad\.yaml:19:20: .*0 to 1"),
    "lanes beyond the engine's": (*fabric("lanes: 2", "lanes: 16"),
                                  r"bad\.yaml:2:3: 16 lanes.*at most 32"),
    "bias out of range": (*fabric("{algorithm: aries}", "{algorithm: aries, bias_high: 2 GiB}"),
                          r"bad\.yaml:15:40: .*'2 GiB'.*0 B to 1 GiB"),
    "biases the wrong way round": (*fabric("{algorithm: aries}",
                                           "{algorithm: aries, bias_low: 9 KiB, bias_high: 1 KiB}"),
                                   r"bad\.yaml:15:39: .*bias_low.*above.*bias_high"),
    "load over 1": (*fabric("load: 0.5", "load: 1.5"), r"bad\.yaml:18:50: .*'1\.5'.*0 to 1"),
    "load so low that a run never ends": (
        *fabric("load: 0.5", "load: 1e-300"), r"bad\.yaml:18:50: messages are .* s apart"),
    "more columns than anybody reads": (
        {"m.csv": "," * 100000 + "\n"}, ["calibrate", "m.csv"],
        r"^m\.csv:1:1: no column 'bytes' .{3900,4100}, and \d+ more$"),
    "load of nothing": (*fabric("load: 0.5", "load: 0"), r"bad\.yaml:18:50: .*above 0"),
    "slow crossbar": (*fabric("lanes: 2", "speedup: 0.5"), r"bad\.yaml:14:23: .*1 to 64"),
    "throttle without responses": (*fabric("lanes: 2", "congestion_control: endpoint_throttle"),
                                   r"bad\.yaml:14:34: .*hardware\.window"),
    "unknown congestion control": (*fabric("lanes: 2", "congestion_control: infinband"),
                                   r"bad\.yaml:14:34: .*infinband.*did you mean 'infiniband'"),
    "threshold of no port": (*fabric("lanes: 2", "cc_threshold: 16"),
                             r"bad\.yaml:14:28: .*'16'.*0 to 15"),
    "table of no pause": (*fabric("lanes: 2", "cct_longest: 0.5"),
                          r"bad\.yaml:14:27: .*'0\.5'.*1 to 16383"),
    "too large an index": (*fabric("lanes: 2", "ccti_limit: 16384"),
                           r"bad\.yaml:14:26: .*'16384'.*1 to 16383"),
    "too large an increase": (*fabric("lanes: 2", "ccti_increase: 256"),
                              r"bad\.yaml:14:29: .*'256'.*1 to 255"),
    "too rare a mark": (*fabric("lanes: 2", "cc_marking_rate: 65536"),
                        r"bad\.yaml:14:31: .*'65536'.*0 to 65535"),
    "timer without a unit": (*fabric("lanes: 2", "ccti_timer: 150"), r"bad\.yaml:14:26: .*unit"),
    "timer of half a microsecond": (*fabric("lanes: 2", "ccti_timer: 500 ns"),
                                    r"bad\.yaml:14:26: .*or from 1 us"),
    "packet without a unit": (*fabric("lanes: 2", "cc_packet: 512"), r"bad\.yaml:14:25: .*unit"),
    "too few virtual channels": (*fabric("{algorithm: aries}",
                                         "{algorithm: minimal, virtual_channels: 1}"),
                                 r"bad\.yaml:15:10: .*can deadlock: .*the first again"),
    "no file given": ({}, ["run"], r"."),
    "unknown option": (*run(GOOD, "--sett", "seed=1"), r"'--sett'.*'--set'"),
    "collective of unequal sizes": ({"t.txt": "0 allreduce 100 1\n1 allreduce 200 1\n"},
                                    ["replay", "t.txt", "--on=h200x4"],
                                    r"t\.txt:2: rank 1 .*200 B.*; rank 0, at t\.txt:1, .*100 B"),
    "collective that one rank lacks": ({"t.txt": "0 barrier\n1 compute 1\n"},
                                       ["replay", "t.txt", "--on=h200x4"],
                                       r"t\.txt:1: rank 0 .*barrier.*; rank 1, at its end, "),
    "unknown command": ({}, ["rum"], r"'rum'.*'run'"),
    "unwritable output": (*run(GOOD + "output: /proc/darner\n"), r"/proc/darner"),
    "topo of an unknown machine": ({}, ["topo", "h200x5"], r"'h200x5'.*'h200x4'"),
    "measured values that are not there": (
        *run(GOOD + "measured: none.csv\n"), r"^bad\.yaml:7:11: measured: no file \./none\.csv$"),
    "start after the longest run": (*run(GOOD + "    start: 2e6 s\n"),
                                    r"^bad\.yaml:7:12: start: .* allowed: 0 s to 1000000 s$"),
    "measured values of another run": (
        {**run(GOOD + "measured: m.csv\n")[0],
         "m.csv": "run,job,metric,measured,tolerance_percent,evidence,reason\n"
                  "x,a,time_us,1,1,predicted,\n"},
        ["run", "bad.yaml"], r"m\.csv:1:1: no row of a run 'bad'"),
    "bound that is no truth value": (*run(GOOD + "bound: much\n"), r"bad\.yaml:7:8: .*much"),
    "import of nothing": ({}, ["import", "none"], r"none: cannot read"),
    "import of a folder that is none": ({"d/x": ""}, ["import", "d"], r"description\.csv"),
    "against what no map explains": (
        {"bad.yaml": GOOD, "m.csv": "a,b\n1,2\n"},
        ["validate", "--against", "m.csv", "bad.yaml"], r"m\.csv:1:1: no column 'time_us'"),
    "unknown key of a map": (
        {"bad.yaml": GOOD, "m.csv": "bytes,time_us\n1,2\n", "map.yaml": "row: {}\n"},
        ["validate", "-a", "m.csv", "-m", "map.yaml", "bad.yaml"],
        r"map\.yaml:1:1: .*'row'.*'rows'"),
    "report of nothing": ({}, ["report", "none"], r"none: cannot read summary\.json"),
    "explain of nothing": ({}, ["explain", "none"], r"none/summary\.json: cannot read it; wanted"),
    "explain of a run without its record": (
        {"old/summary.json": '{"points": [{"config_hash": "0"}]}', "old/timing.json": "{}"},
        ["explain", "old"], r"old: timing\.json .*run it again"),
    "explain of a run nested without end": (
        {"old/summary.json": "[" * 200000, "old/timing.json": "{}"}, ["explain", "old"],
        r"old/summary\.json: not what a run wrote"),
    "report of a run nested without end": (
        {"old/summary.json": "[" * 200000}, ["report", "old"], r"old/summary\.json: "),
    "report of a list": ({"old/summary.json": "[]"}, ["report", "old"],
                         r"^old: damaged, or not what a run wrote \(AttributeError"),
    "report of another version": (
        {"old/summary.json": '{"schema_version": 999, "points": [{"point": 0}]}'},
        ["report", "old"],
        r"^old/summary\.json: another version of darner wrote it .*999, wanted 2\); run it again$"),
    "report of a number of points": ({"old/summary.json": '{"points": 3}'}, ["report", "old"],
                                     r"^old: damaged, or not what a run wrote \("),
    "report without links.csv": (
        {"old/summary.json": '{"points": [{"point": 0}]}',
         "old/results.csv": "job,point,bytes,goodput_bps,time_median_s\na,0,1,1,1\n"},
        ["report", "old"], r"^old: damaged, .*links\.csv|^old: damaged, .*samples"),
    "report of a header alone": (
        {"old/summary.json": '{"points": [{"point": 0}]}', "old/links.csv": "point\n",
         "old/results.csv": "job,point,bytes,goodput_bps,time_median_s\n"},
        ["report", "old"], r"^old: damaged, or not what a run wrote \("),
    "iteration zero less one": ({}, ["explain", "none", "--iteration", "-1"], r"--iteration.*1 or"),
    "timeline of the flow engine": (*run(GOOD + "engine: flow\n", "--timeline"),
                                    r"--timeline: only the packet engine"),
    "time lines that were not recorded": (
        {"old/summary.json": '{"points": [{"point": 0}]}',
         "old/results.csv": "job,point,bytes,goodput_bps,time_median_s\na,0,1,1,1\n",
         "old/links.csv": "point\n"},
        ["report", "old", "--figure", "timeline", "--svg", "x.svg"], r"`darner run --timeline`"),
    "unknown figure": ({}, ["report", "none", "--figure", "machin", "--svg", "x.svg"],
                       r"'machin'.*'machine'"),
    "too many jobs at once": ({}, ["validate", "--jobs", "100000"], r"--jobs 100000"),
    "no jobs at once": (*run(GOOD, "--jobs", "0"), r"--jobs is out of range; allowed: 1 to 1024"),
    "no jobs at once of compare": ({"bad.yaml": GOOD}, ["compare", "bad.yaml", "--jobs=-1"],
                                   r"--jobs is out of range; allowed: 1 to 1024"),
    "limit of compare that is no number": (*run(GOOD)[:1], ["compare", "bad.yaml", "-m", "nan"],
                                           r"--max-percent is out of range; allowed: 0 or more"),
    "limit of compare below 0": (*run(GOOD)[:1], ["compare", "bad.yaml", "--max-percent=-1"],
                                 r"--max-percent is out of range; allowed: 0 or more"),
    "shard out of range": (*run(GOOD, "--shard", "9/8"), r"--shard '9/8': allowed: I/N"),
    "shard that is none": (*run(GOOD, "--shard", "half"), r"--shard 'half': allowed: I/N"),
    "parts that begin anew": (*run(GOOD, "--shard", "1/2", "--restart"), r"without --shard"),
    "validate of a part that nobody keeps": ({}, ["validate", "--shard", "1/2"], r"--keep"),
    "sweep without a word": ({}, ["sweep"], r"wanted: submit, status or collect"),
    "sweep on no cluster": ({"bad.yaml": GOOD}, ["sweep", "submit", "bad.yaml"],
                            r"no batch system given; wanted: --slurm"),
    "sweep without sbatch": ({"bad.yaml": GOOD, "bin/other": ""},
                             ["sweep", "submit", "bad.yaml", "--slurm"], r"^no sbatch in PATH; "),
    "sweep that the cluster rejects": (
        {"bad.yaml": GOOD, "bin/sbatch": "#!/bin/sh\necho 'sbatch: error: no such partition' >&2\n"
                                         "echo more >&2\nexit 1\n"},
        ["sweep", "submit", "bad.yaml", "--slurm", "--partition=nowhere"],
        r"^sbatch rejects the job: sbatch: error: no such partition$"),
    "sweep of a wrong run": ({"bad.yaml": GOOD + "seed: x\n"},
                             ["sweep", "submit", "bad.yaml", "--slurm"], r"^bad\.yaml:7:7: "),
    "sweep of no points in a task": (
        {"bad.yaml": GOOD}, ["sweep", "submit", "bad.yaml", "--slurm", "--points-per-task=0"],
        r"--points-per-task and --tasks are at least 1"),
    "status of nothing": ({"bad.yaml": GOOD}, ["sweep", "status", "bad.yaml"],
                          r"out/bad/unfinished: no points"),
    "nothing to put together": ({"bad.yaml": GOOD}, ["sweep", "collect", "bad.yaml"],
                                r"^1 of 1 points are missing"),
    # What is wrong with the output is said first, before any work.
    "drawing of traffic to nowhere": ({"t.ti": "0 init\n0 finalize\n"},
                                      ["trace", "stats", "t.ti", "--svg", "none/x"],
                                      r"^--svg: none/x: cannot write it: No such file"),
    "numbers of traffic to nowhere": ({"t.ti": "0 init\n0 finalize\n"},
                                      ["trace", "stats", "t.ti", "--csv", "none/x"],
                                      r"^--csv: none/x: cannot write it: No such file"),
    "trace written to nowhere": ({}, ["trace", "convert", "none.ti", "-o", "none/x"],
                                 r"^--output: none/x: cannot write it: No such file"),
    "drawing of a machine to nowhere": ({}, ["topo", "none.yaml", "--svg", "none/x"],
                                        r"^--svg: none/x: cannot write it: No such file"),
    "machine written to nowhere": ({}, ["topo", "import", "none.xml", "-o", "none/x"],
                                   r"^--output: none/x: cannot write it: No such file"),
    "graph written to nowhere": (
        {}, ["topo", "export", "none.yaml", "-f", "graphml", "-o", "none/x"],
        r"^--output: none/x: cannot write it: No such file"),
    "measurements written to nowhere": ({}, ["import", "none", "-o", "none/x"],
                                        r"^--output: none/x: cannot write it: No such file"),
    "comparison written to nowhere": ({}, ["compare-runs", "a", "b", "--csv", "none/x"],
                                      r"^--csv: none/x: cannot write it: No such file"),
    "page written to nowhere": ({}, ["report", "none", "-o", "none/x"],
                                r"^--output: none/x: cannot write it: No such file"),
    "record to nowhere": ({}, ["record", "-o", "none/x", "true"],
                          r"^--output: none/x: cannot write it: No such file"),
    "export into a file": (*run(GOOD.replace("h200x4", "none"))[:1],
                           ["export", "bad.yaml", "-o", "bad.yaml/x"],
                           r"^--output: cannot make the folder 'bad\.yaml/x': Not a directory"),
    "export over a folder": (
        {**run(GOOD)[0], "o/hosts.txt/x": ""}, ["export", "bad.yaml", "-o", "o"],
        r"^--output: o/hosts\.txt: cannot write it: Is a directory"),
    "validate of an unknown case": ({}, ["validate", "nothing-such"], r"nothing-such"),
}


def answer(program, files, arguments, pattern):
    """What is wrong with the program's answer, or None."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        programs = pathlib.Path(folder, "bin")
        path = {"PATH": str(programs)} if programs.is_dir() else {}
        try:
            done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, errors="replace",
                                  env={**os.environ, **path})
        except subprocess.TimeoutExpired:
            return "still running after 60 s"
        left = pathlib.Path(folder, "out").exists()
    lines = done.stderr.splitlines()
    said = f"\n    said: {done.stderr.strip()}"
    if done.returncode != 2:
        return f"exit status {done.returncode}{said}"
    if len(lines) != 1:
        return f"{len(lines)} lines instead of one{said}"
    if not re.search(pattern, lines[0]):
        return f"does not fit {pattern}{said}"
    if done.stdout:
        return f"standard output is not empty: {done.stdout[:200]}"
    return "left an output folder" if left else None


def answer_on_a_full_disk(program):
    """What is wrong with the program's answer when its table cannot be written, or None."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "topo", "h200x4"], stdout=full, stderr=subprocess.PIPE,
                              text=True, stdin=subprocess.DEVNULL, timeout=60)
    fits = re.fullmatch(r"standard output: .*\n", done.stderr)
    return None if done.returncode == 2 and fits else f"{done.returncode}: {done.stderr}"


def answer_with_closed_streams(program):
    """What is wrong with a run whose standard streams are closed, or None: what it prints must not
    go into a file that has got the number of one of them."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "run.yaml").write_text(GOOD)
        sets = []
        for out, closing, status in (("a", "", 0), ("b", ">&- 2>&- <&-", 2), ("c", "2>&-", 0)):
            done = subprocess.run(["sh", "-c", f'"$0" run run.yaml -o {out} {closing}', program],
                                  cwd=folder, capture_output=True, text=True, timeout=60)
            if done.returncode != status:
                return f"{closing}: {done.returncode}: {done.stderr}"
            files = pathlib.Path(folder, out).iterdir()
            sets.append({path.name: path.read_bytes() for path in files
                         if path.name != "timing.json"})
        return None if sets[0] == sets[1] == sets[2] else "other bytes in the results"


def answer_of_a_special_file(program):
    """What is wrong with output into a link and a pipe, or None: both stay what they are. A trace
    is no pipe, and nobody waits for one to write into it."""
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        (base / "t.ti").write_text("0 init\n0 finalize\n")
        (base / "link").symlink_to("file")
        (base / "file").write_text("old")
        os.mkfifo(base / "pipe")
        reader = os.open(base / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        for words in (["topo", "h200x4", "--dot"], ["trace", "convert", "t.ti", "-o"]):
            for place in ("link", "pipe"):
                done = subprocess.run([program, *words, place], cwd=folder, capture_output=True,
                                      text=True, timeout=60)
                if done.returncode != 0:
                    return f"{words} {place}: {done.returncode}: {done.stderr}"
        taken = os.read(reader, 1 << 16)
        os.close(reader)
        if not (base / "link").is_symlink() or not (base / "pipe").is_fifo() or not taken:
            return "the link or the pipe is gone"
        done = subprocess.run([program, "replay", "pipe", "--on", "h200x4"], cwd=folder, text=True,
                              capture_output=True, timeout=60)
        if done.returncode != 2 or not done.stderr.startswith("pipe: not a file; "):
            return f"replay of a pipe: {done.returncode}: {done.stderr}"
        return None if (base / "file").read_text() != "old" else "the link's file is as before"


def answer_to_computing_without_end(program):
    """What is wrong with the replay of a computation that would take longer than a run may, or
    None: 64 bits do not hold its time, and 0 s of it is an answer too."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "t.ti").write_text("0 init\n0 compute 9e12\n0 finalize\n")
        goal = "num_ranks 1\nrank 0 {\nl1: calc 9000000000000\n}\n"
        pathlib.Path(folder, "t.goal").write_text(goal)
        for file in ("t.ti", "t.goal"):
            done = subprocess.run([program, "replay", file, "--on", "h200x4", "-o", "o",
                                   "--compute-scale", "1e6"], cwd=folder, capture_output=True,
                                  text=True, timeout=60)
            if done.returncode != 2 or "1,000,000 s that a run may take" not in done.stderr:
                return f"{file}: {done.returncode}: {done.stderr}"
    return None


def cpu_seconds(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def has_ended(pid):
    """Whether it waits to be reaped; it still does afterwards."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def answer_to_an_interrupt(program):
    """What is wrong with SIGINT to a run of 16,512 terminals at work, or None: it ends within 1.2 s
    of CPU time (seconds of the clock depend on what else runs), and leaves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "run.yaml").write_text(
            "machine: dragonfly-16512\njobs: [{name: a, workload: {type: uniform, bytes: 64 B, "
            "load: 0.5, rate: 80 Gb/s, messages: 2000}}]\n")
        run = subprocess.Popen([program, "run", "run.yaml", "-q", "--yes"], cwd=folder,
                               stderr=subprocess.PIPE, text=True)
        while cpu_seconds(run.pid) < 0.6 and not has_ended(run.pid):
            time.sleep(0.01)
        begin = cpu_seconds(run.pid)
        os.kill(run.pid, signal.SIGINT)    # Popen's own would reap it when it has ended already
        _, status, usage = os.wait4(run.pid, 0)
        took = usage.ru_utime + usage.ru_stime - begin
        said = run.stderr.read()
        run.stderr.close()
        run.returncode = os.waitstatus_to_exitcode(status)
        if run.returncode != 130 or "interrupted" not in said or took > 1.2:
            return f"status {run.returncode} after {took:.2f} CPU-s: {said}"
        return "left an output folder" if pathlib.Path(folder, "out").exists() else None


def little_address_space():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def answer_to_a_mixed_folder(program):
    """What is wrong with the report of a run whose summary.json is another's, or None. A wrong
    backend of Matplotlib in the environment changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        for name in ("a", "b"):
            (base / "run.yaml").write_text(GOOD.replace("name: a", f"name: {name}"))
            subprocess.run([program, "run", "run.yaml", "-q", "-o", name], cwd=folder, check=True)
        (base / "b/summary.json").replace(base / "a/summary.json")
        done = subprocess.run([program, "report", "a"], cwd=folder, capture_output=True, text=True,
                              timeout=60, env={**os.environ, "MPLBACKEND": "nonsense"})
        said = "a: damaged, or not what a run wrote (LookupError point 0 of summary.json has no " \
               "job a); run it again\n"
        return None if done.returncode == 2 and done.stderr == said else done.stderr


def answer_in_little_address_space(program):
    """What is wrong with a run of each engine under `ulimit -v 4194304`, or None. A machine that
    needs more is refused before it is built, for which 4 GiB would not do."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "run.yaml").write_text(GOOD)
        pathlib.Path(folder, "large.yaml").write_text(LARGE)
        beyond = ["run", "large.yaml", "-q", "-o", "o", "--set=packet.max_memory=900 GiB"]
        for arguments, status, said in [
                (["run", "run.yaml", "-q", "-o", "o"], 0, ""),
                (["run", "run.yaml", "-q", "-o", "o", "--set=engine=flow"], 0, ""),
                (["run", "large.yaml", "-q", "-o", "o"], 2, "may be taken"),
                (beyond, 2, "this host has 4 GiB, less than packet.max_memory allows")]:
            done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60,
                                  preexec_fn=little_address_space)
            if done.returncode != status or said not in done.stderr:
                return f"{arguments}: {done.returncode}: {done.stderr}"
    return None


def main():
    program = sys.argv[1]
    os.environ.setdefault("DARNER_ROOT", str(pathlib.Path(__file__).resolve().parents[1]))
    results = {name: answer(program, *case) for name, case in CASES.items()}
    results["interrupt of a large run"] = answer_to_an_interrupt(program)
    results["report of a mixed folder"] = answer_to_a_mixed_folder(program)
    results["little address space"] = answer_in_little_address_space(program)
    results["computing without end"] = answer_to_computing_without_end(program)
    results["closed standard streams"] = answer_with_closed_streams(program)
    results["output into a link and a pipe"] = answer_of_a_special_file(program)
    results["standard output on a full disk"] = answer_on_a_full_disk(program)
    for name, wrong in results.items():
        if wrong:
            print(f"FAILED  errors {name}: {wrong}")
        else:
            print(f"ok      errors {name}")


if __name__ == "__main__":
    main()
