#!/usr/bin/env python3
"""Verifies the proof that balances are counted in what Tern owes to account holders, offline.

Usage:
    verify_balance.py --log VKEY [--witness VKEY ...] [--quorum N] [--holder NUMBER --balance "12.34 EUR" ...] FILE

FILE is a .tlog-proof file, `-` for standard input. With --holder, the account number and all balances must be these;
without --balance, nothing must be owed. The exit code is 0 if the proof is valid and 1 if it is not; the reason is
printed. 2 means wrong usage.

This program and verify_receipt.py beside it, which it uses for the log, need only Python's standard library and share
no code with the rest of Tern: they are written from docs/transparency.md. With --batch it reads one JSON object per
line, for tests.
"""

import argparse
import base64
import datetime
import json
import re
import sys

# Leaves no folder of compiled files beside the programs.
sys.dont_write_bytecode = True

from verify_receipt import (
    Invalid,
    Malformed,
    Reader,
    build_policy,
    format_amount,
    format_time,
    hash_leaf,
    parse_proof_file,
    printable,
    read_amount,
    sha256,
    verify_inclusion,
    verify_signatures,
)

LARGEST_SUM = 10**40 - 1
LARGEST_DEPTH = 40


# --- Sums and nodes ---------------------------------------------------------------------------------------------------


def counted(content):
    return len(content).to_bytes(2, "big") + content


def check_sums(sums):
    """Sums are a list of (currency, decimals, minor units), sorted by currency, each currency once and above zero."""
    names = [currency for currency, _, _ in sums]
    if any(a >= b for a, b in zip(names, names[1:])):
        raise Malformed("sums are out of order")
    if any(not 0 < minor <= LARGEST_SUM for _, _, minor in sums):
        raise Malformed("a sum is not positive, or too large")
    return sums


def read_sums(reader):
    amounts = [read_amount(reader) for _ in range(reader.number(1))]
    return check_sums([(each["currency"], each["scale"], int(each["minor"])) for each in amounts])


def write_sums(sums):
    parts = [
        counted(currency.encode()) + bytes([scale]) + counted(str(minor).encode()) for currency, scale, minor in sums
    ]
    return bytes([len(sums)]) + b"".join(parts)


def add_sums(left, right):
    scales, totals = {}, {}
    for currency, scale, minor in [*left, *right]:
        if scales.setdefault(currency, scale) != scale:
            raise Malformed("decimals of a currency differ")
        totals[currency] = totals.get(currency, 0) + minor
    if len(totals) > 255:
        raise Malformed("too many currencies")
    return check_sums([(currency, scales[currency], totals[currency]) for currency in sorted(totals)])


def commit_holder(holder, salt):
    return sha256(b"tern balance holder v1\n" + salt + counted(holder.encode()))


def build_leaf(commitment, sums):
    return sha256(b"tern balance leaf v1\n" + commitment + write_sums(sums)), sums


def join_nodes(left, right):
    sums = add_sums(left[1], right[1])
    content = b"".join(digest + write_sums(each) for digest, each in (left, right))
    return sha256(b"tern balance node v1\n" + content), sums


def commit_root(day, depth, root):
    return sha256(b"tern liabilities v1\n" + day.encode() + bytes([depth]) + root[0] + write_sums(root[1]))


# --- Proofs -----------------------------------------------------------------------------------------------------------


def check_day(day):
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day) and datetime.date.fromisoformat(day):
            return day
    except ValueError:
        pass
    raise Malformed("day is no date")


def parse_proof(content):
    reader = Reader(content)
    reader.require_version()
    try:
        day = check_day(reader.take(10).decode("ascii"))
    except UnicodeDecodeError:
        raise Malformed("day is no date") from None
    holder, salt = reader.text(), reader.take(32)
    if not re.fullmatch("[!-~]{1,64}", holder):
        raise Malformed("holder is no account number")
    balances = read_sums(reader)
    position, depth = reader.size(), reader.number(1)
    if depth > LARGEST_DEPTH or position >= 2**depth:
        raise Malformed("position is outside the tree")
    siblings = [(reader.take(32), read_sums(reader)) for _ in range(depth)]
    if reader.at != len(content):
        raise Malformed("bytes follow the end")
    return {"day": day, "holder": holder, "salt": salt, "balances": balances, "position": position, "siblings": siblings}


def compute_root(proof):
    node, position = build_leaf(commit_holder(proof["holder"], proof["salt"]), proof["balances"]), proof["position"]
    for sibling in proof["siblings"]:
        node = join_nodes(sibling, node) if position & 1 else join_nodes(node, sibling)
        position >>= 1
    return node


def verify_logged_root(day, depth, root, place, policy):
    """Checks that the log has signed this root for this day; returns the witnesses."""
    index, path, checkpoint = place
    witnesses = verify_signatures(checkpoint, policy)
    entry = b"\x03" + day.encode() + commit_root(day, depth, root)
    if not verify_inclusion(index, checkpoint["size"], hash_leaf(entry), path, checkpoint["root"]):
        raise Invalid("not_included")
    return witnesses


def verify_balance(text, policy, expected=None):
    """Returns the verdict on a proof as a dictionary. `expected` is an account number and its balances."""
    try:
        extra, index, path, checkpoint = parse_proof_file(text)
        proof = parse_proof(extra)
        root = compute_root(proof)
        place = (index, path, checkpoint)
        witnesses = verify_logged_root(proof["day"], len(proof["siblings"]), root, place, policy)
        if expected and expected[0] != proof["holder"]:
            raise Invalid("other_holder")
        if expected and expected[1] != proof["balances"]:
            raise Invalid("other_balances")
    except Malformed as error:
        return {"state": "invalid", "reason": "malformed", "detail": str(error)}
    except Invalid as error:
        return {"state": "invalid", "reason": error.reason, "detail": error.detail}
    return {
        "state": "valid",
        "day": proof["day"],
        "holder": proof["holder"],
        "balances": show_sums(proof["balances"]),
        "total": show_sums(root[1]),
        "origin": checkpoint["origin"],
        "index": index,
        "size": checkpoint["size"],
        "witnesses": witnesses,
    }


def show_sums(sums):
    return [{"currency": currency, "scale": scale, "minor": str(minor)} for currency, scale, minor in sums]


# --- Command line -----------------------------------------------------------------------------------------------------

REASONS = {
    "malformed": "the text is damaged, or its sums do not add up",
    "unknown_log": "the log is not the one whose key was given",
    "log_signature": "the log's signature does not belong to this checkpoint",
    "witness_signature": "a witness's signature does not belong to this checkpoint",
    "too_few_witnesses": "too few of the given witnesses have cosigned",
    "not_included": "these balances do not lead to the root in the log",
    "other_holder": "the proof is of another account",
    "other_balances": "the proof counts other balances",
}


def parse_balance(text):
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))? ([A-Z0-9]{1,16})", text)
    if not match:
        raise Malformed(f"{text!r} is no balance such as '12.34 EUR'")
    whole, decimals, currency = match[1], match[2] or "", match[3]
    return currency, len(decimals), int(whole + decimals)


def read_text(name):
    content = sys.stdin.buffer.read() if name == "-" else open(name, "rb").read()
    return content.decode("utf-8")


def print_verdict(verdict):
    if verdict["state"] == "invalid":
        detail = f" ({printable(verdict['detail'])})" if verdict["detail"] else ""
        print(f"INVALID: {REASONS[verdict['reason']]}{detail}")
        return
    print("VALID: these balances are counted in what is owed, as the log has signed.")
    rows = [
        ("Account", verdict["holder"]),
        ("End of day (UTC)", verdict["day"]),
        *[("Balance", format_amount(each)) for each in verdict["balances"]],
        *[("Owed in total", format_amount(each)) for each in verdict["total"]],
        ("Log", printable(verdict["origin"])),
        ("Entry", f"number {verdict['index']}, from 0, of {verdict['size']}"),
        *[
            ("Witness", f"{printable(each['name'])}, {format_time(each['time'] * 1_000_000)}")
            for each in verdict["witnesses"]
        ],
    ]
    for name, value in rows:
        print(f"{name + ':':<20}{value}")


def run_case(case):
    policy = build_policy(case["logs"], case["witnesses"], case["quorum"])
    expected = case.get("expected")
    if expected:
        sums = [(each["currency"], each["scale"], int(each["minor"])) for each in expected["balances"]]
        expected = (expected["holder"], sums)
    try:
        text = base64.b64decode(case["bytes"]).decode("utf-8")
    except UnicodeDecodeError:
        return {"state": "invalid", "reason": "malformed", "detail": "text is not valid UTF-8"}
    return verify_balance(text, policy, expected)


def main():
    parser = argparse.ArgumentParser(description="Verifies that balances are counted in what Tern owes, offline.")
    parser.add_argument("file", nargs="?", help="a .tlog-proof file, or - for standard input")
    parser.add_argument("--log", action="append", default=[], metavar="VKEY", help="key of the log")
    parser.add_argument("--witness", action="append", default=[], metavar="VKEY", help="key of a witness")
    parser.add_argument("--quorum", type=int, metavar="N", help="number of witnesses needed (all by default)")
    parser.add_argument("--holder", metavar="NUMBER", help="account number that the proof must be about")
    parser.add_argument("--balance", action="append", default=[], metavar="AMOUNT", help="a balance, such as '12.34 EUR'")
    parser.add_argument("--batch", action="store_true", help="read cases as lines of JSON, for tests")
    options = parser.parse_args()
    if options.batch:
        for line in sys.stdin:
            print(json.dumps(run_case(json.loads(line))))
        return 0
    if not options.log or options.file is None:
        parser.error("give --log and a file")
    if options.balance and not options.holder:
        parser.error("--balance needs --holder")
    try:
        quorum = len(options.witness) if options.quorum is None else options.quorum
        policy = build_policy(options.log, options.witness, quorum)
        balances = sorted(each for each in map(parse_balance, options.balance) if each[2])
    except Malformed as error:
        parser.error(str(error))
    try:
        text = read_text(options.file)
        verdict = verify_balance(text, policy, (options.holder, balances) if options.holder else None)
    except UnicodeDecodeError:
        verdict = {"state": "invalid", "reason": "malformed", "detail": "text is not valid UTF-8"}
    print_verdict(verdict)
    return 0 if verdict["state"] == "valid" else 1


if __name__ == "__main__":
    sys.exit(main())
