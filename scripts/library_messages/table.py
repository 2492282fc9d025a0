#!/usr/bin/env python3
"""Makes the table of what MPI libraries send from the files that collectives.c wrote.

usage: table.py LIBRARY=FOLDER ... > src/workload/library_messages.csv

A line is a collective on so many ranks with a root; it has a digest for each size, from 4 bytes on
and doubling. The digest is FNV-1a of 64 bits over 64-bit words, cut to its upper 32 bits: for each
rank in order 2^63 + rank, then (peer, bytes) of each message in the order of sending, those to
itself left out. MPICH's gatherv is left out from 32 ranks on: the recorder does not see its
synchronous sends.
"""
import os
import sys

MASK = (1 << 64) - 1


def digest_of(sequences):
    value = 0xCBF29CE484222325

    def add(word):
        nonlocal value
        for byte in word.to_bytes(8, "little"):
            value = ((value ^ byte) * 0x100000001B3) & MASK

    for rank, messages in enumerate(sequences):
        add((1 << 63) + rank)
        for peer, size in messages:
            add(peer)
            add(size)
    return value >> 32


def messages_of(text, rank):
    pairs = (tuple(map(int, item.split(":"))) for item in text.split())
    return [pair for pair in pairs if pair[0] != rank]


def cells(folder):
    """Yields (ranks, collective, bytes, root, sequences)."""
    names = [name.split(".") for name in os.listdir(folder)]
    for ranks in sorted({int(name[0]) for name in names}):
        files = [open(f"{folder}/{ranks}.{rank}") for rank in range(ranks)]
        for lines in zip(*files, strict=True):
            heads = {line.split("|")[0] for line in lines}
            assert len(heads) == 1, heads
            collective, size, root = heads.pop().split()
            yield ranks, collective, int(size), int(root), [
                messages_of(line.split("|")[1], rank) for rank, line in enumerate(lines)]


def main():
    print("library,ranks,collective,root,digests")
    for argument in sys.argv[1:]:
        library, folder = argument.split("=")
        lines = {}
        for ranks, collective, _, root, sequences in cells(folder):
            unseen = library == "mpich" and collective == "gatherv" and ranks >= 32
            if not unseen:
                lines.setdefault((ranks, collective, root), []).append(digest_of(sequences))
        for (ranks, collective, root), digests in lines.items():
            shown = " ".join(f"{digest:08x}" for digest in digests)
            print(f"{library},{ranks},{collective},{root},{shown}")


if __name__ == "__main__":
    main()
