#!/usr/bin/env python3
"""Checks a resolution pack: who is owed what, and that it adds up.

Usage:
    sum_resolution_pack.py [--log VKEY [--witness VKEY ...] [--quorum N]] FOLDER

It compares every file with the manifest, adds up holders.csv by currency, recomputes the tree and every proof from the
holders' balances, and compares the last daily tree with the root in the transparency log. The exit code is 0 if
everything agrees and 1 if not; what differs is printed. 2 means wrong usage.

Without --log, the signature of the log is not checked. This program, and verify_balance.py and verify_receipt.py beside
it, need only Python's standard library and share no code with the rest of Tern: they are written from
docs/transparency.md.
"""

import argparse
import csv
import hashlib
import os
import re
import sys

# Leaves no folder of compiled files beside the programs.
sys.dont_write_bytecode = True

from verify_balance import (
    build_leaf,
    check_day,
    commit_holder,
    compute_root,
    join_nodes,
    parse_balance,
    parse_proof,
    read_sums,
    show_sums,
    verify_logged_root,
    write_sums,
)
from verify_receipt import (
    Invalid,
    Malformed,
    Reader,
    build_policy,
    decode_base64,
    format_amount,
    hash_leaf,
    parse_proof_file,
    printable,
    sha256,
    verify_inclusion,
)

MANIFEST = "MANIFEST.sha256"
MOST_FAULTS = 20


class Pack:
    def __init__(self, folder):
        self.folder = folder
        self.faults = []

    def fault(self, text):
        self.faults.append(printable(text))

    def path(self, name):
        return os.path.join(self.folder, *name.split("/"))

    def has(self, name):
        return os.path.isfile(self.path(name))

    def text(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def rows(self, name):
        with open(self.path(name), encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file)


def check_manifest(pack):
    """Compares every file with its checksum, and finds files that the manifest does not name."""
    named = set()
    with open(pack.path(MANIFEST), encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)\n", line)
            if not match or ".." in match[2].split("/"):
                pack.fault(f"{MANIFEST} has a malformed line")
                continue
            digest, name = match.groups()
            named.add(name)
            if not pack.has(name):
                pack.fault(f"{name} is missing")
                continue
            with open(pack.path(name), "rb") as content:
                if hashlib.sha256(content.read()).hexdigest() != digest:
                    pack.fault(f"{name} differs from the manifest")
    for folder, _, files in os.walk(pack.folder):
        for file in files:
            name = os.path.relpath(os.path.join(folder, file), pack.folder).replace(os.sep, "/")
            if name != MANIFEST and name not in named:
                pack.fault(f"{name} is not in the manifest")
    for name in ["holders.csv", "totals.csv", "tree/leaves.csv", "tree/root.txt"]:
        if name not in named:
            pack.fault(f"{name} is missing")


def read_holders(pack):
    """Returns the balances of each holder by currency, and checks that each line adds up."""
    holders = {}
    for row in pack.rows("holders.csv"):
        holder, currency = row["holder"], row["currency"]
        parts = [parse_balance(f"{row[name]} {currency}") for name in ("amount", "available", "on_hold")]
        if parts[0][2] != parts[1][2] + parts[2][2]:
            pack.fault(f"holder {holder}: available and on hold are not {row['amount']} {currency}")
        balances = holders.setdefault(holder, {})
        if currency in balances:
            pack.fault(f"holder {holder}: {currency} is there twice")
        balances[currency] = parts[0]
    return holders


def sum_holders(holders):
    totals = {}
    for balances in holders.values():
        for currency, scale, minor in balances.values():
            known_scale, known = totals.get(currency, (scale, 0))
            if known_scale != scale:
                raise Malformed(f"{currency} has amounts with different decimals")
            totals[currency] = (scale, known + minor)
    return [(currency, *totals[currency]) for currency in sorted(totals) if totals[currency][1] != 0]


def show(sums):
    return ", ".join(format_amount(each) for each in show_sums(sums)) or "nothing"


def check_totals(pack, sums):
    stated = sorted(parse_balance(f"{row['amount']} {row['currency']}") for row in pack.rows("totals.csv"))
    if stated != sums:
        pack.fault(f"holders.csv sums to {show(sums)}; totals.csv states {show(stated)}")


def read_root(content):
    reader = Reader(content)
    day, depth = check_day(reader.take(10).decode("ascii", "replace")), reader.number(1)
    root = (reader.take(32), read_sums(reader))
    if reader.at != len(content):
        raise Malformed("bytes follow the end of the root")
    return day, depth, root


def read_leaves(pack, name):
    leaves, previous = [], b""
    for row in pack.rows(name):
        commitment, reader = bytes.fromhex(row["commitment"]), Reader(bytes.fromhex(row["sums"]))
        sums = read_sums(reader)
        if len(commitment) != 32 or reader.at != len(reader.content):
            raise Malformed(f"{name} has a malformed line")
        if commitment <= previous:
            raise Malformed(f"{name} is out of order, or has a leaf twice")
        previous = commitment
        leaves.append((commitment, sums))
    return leaves


def check_tree(pack, name, depth, root):
    """Recomputes a tree from its leaves."""
    leaves = read_leaves(pack, name)
    if len(leaves) != 2**depth:
        pack.fault(f"{name} has {len(leaves)} leaves, not 2^{depth}")
        return leaves
    level = [build_leaf(*leaf) for leaf in leaves]
    while len(level) > 1:
        level = [join_nodes(level[place], level[place + 1]) for place in range(0, len(level), 2)]
    if level[0] != root:
        pack.fault(f"{name} leads to another root, which states {show(level[0][1])}")
    return leaves


def check_proofs(pack, holders, leaves, day, depth, root):
    """Checks the proof of every holder against holders.csv and the tree, and that the tree has no other balances."""
    for holder, balances in holders.items():
        name = f"proofs/{holder[:3]}/{holder}.txt"
        expected = sorted(each for each in balances.values() if each[2] != 0)
        try:
            if not pack.has(name):
                raise Malformed("has no proof")
            proof = parse_proof(decode_base64(pack.text(name).rstrip("\n")))
            if (proof["holder"], proof["day"], len(proof["siblings"])) != (holder, day, depth):
                raise Malformed("has the proof of another account, day or tree")
            if proof["balances"] != expected:
                raise Malformed(f"is owed {show(expected)}, and the proof counts {show(proof['balances'])}")
            if compute_root(proof) != root:
                raise Malformed("has a proof that does not lead to the root")
            if leaves[proof["position"]] != (commit_holder(holder, proof["salt"]), expected):
                raise Malformed("has another leaf in the tree")
        except Malformed as error:
            pack.fault(f"holder {holder} {error}")
    counted = sum(1 for _, sums in leaves if sums)
    owed = sum(1 for balances in holders.values() if any(each[2] for each in balances.values()))
    if counted != owed:
        pack.fault(f"the tree counts {counted} holders, holders.csv {owed}")


def check_log(pack, policy):
    """Checks the last daily tree, and that its root is in the log; returns its day and what it states."""
    if not pack.has("logged/root.tlog-proof"):
        return None
    extra, index, path, checkpoint = parse_proof_file(pack.text("logged/root.tlog-proof"))
    day, depth, root = read_root(extra)
    if policy:
        verify_logged_root(day, depth, root, (index, path, checkpoint), policy)
    else:
        entry = b"\x03" + day.encode() + sha256(
            b"tern liabilities v1\n" + day.encode() + bytes([depth]) + root[0] + write_sums(root[1])
        )
        if not verify_inclusion(index, checkpoint["size"], hash_leaf(entry), path, checkpoint["root"]):
            raise Invalid("not_included")
    check_tree(pack, "logged/leaves.csv", depth, root)
    return day, root[1], checkpoint


def check_pack(folder, policy):
    """Returns the faults of a pack, and lines about what it states."""
    pack, lines = Pack(folder), []
    try:
        check_manifest(pack)
        holders = read_holders(pack)
        sums = sum_holders(holders)
        check_totals(pack, sums)
        day, depth, root = read_root(decode_base64(pack.text("tree/root.txt").rstrip("\n")))
        if root[1] != sums:
            pack.fault(f"holders.csv sums to {show(sums)}; the tree states {show(root[1])}")
        leaves = check_tree(pack, "tree/leaves.csv", depth, root)
        check_proofs(pack, holders, leaves, day, depth, root)
        lines += [f"{len(holders)} holders are owed {show(sums)} (last movement on {day}, UTC)"]
        logged = check_log(pack, policy)
        if logged:
            lines.append(f"at the end of {logged[0]} the log had {show(logged[1])}, in a tree of {logged[2]['size']} entries")
        elif policy:
            pack.fault("the pack has no tree whose root is in the log")
    except Malformed as error:
        pack.fault(str(error))
    except Invalid as error:
        pack.fault(f"the logged tree is not valid: {error.reason}")
    except (OSError, ValueError, KeyError, IndexError) as error:
        pack.fault(f"the pack cannot be read: {error!r}")
    return pack.faults, lines


def main():
    parser = argparse.ArgumentParser(description="Checks a resolution pack of Tern, offline.")
    parser.add_argument("folder", help="folder of the pack")
    parser.add_argument("--log", action="append", default=[], metavar="VKEY", help="key of the log")
    parser.add_argument("--witness", action="append", default=[], metavar="VKEY", help="key of a witness")
    parser.add_argument("--quorum", type=int, metavar="N", help="number of witnesses needed (all by default)")
    options = parser.parse_args()
    if options.witness and not options.log:
        parser.error("--witness needs --log")
    try:
        quorum = len(options.witness) if options.quorum is None else options.quorum
        policy = build_policy(options.log, options.witness, quorum) if options.log else None
    except Malformed as error:
        parser.error(str(error))
    faults, lines = check_pack(options.folder, policy)
    for line in lines:
        print(line)
    for fault in faults[:MOST_FAULTS]:
        print(f"DIFFERS: {fault}")
    if len(faults) > MOST_FAULTS:
        print(f"DIFFERS: {len(faults) - MOST_FAULTS} more")
    if faults:
        print("The pack does NOT add up.")
        return 1
    print("The pack adds up." if policy else "The pack adds up. The log's signature was not checked: give --log.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
