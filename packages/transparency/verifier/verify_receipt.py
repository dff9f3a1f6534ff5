#!/usr/bin/env python3
"""Verifies the proof of a Tern receipt, offline, with nothing but Python's standard library.

Usage:
    verify_receipt.py --log VKEY [--witness VKEY ...] [--quorum N] FILE
    verify_receipt.py --log VKEY [--witness VKEY ...] [--quorum N] --text TEXT

FILE is a .tlog-proof file, `-` for standard input. TEXT is the text of the QR code: the address, or only the part after
`#`. The exit code is 0 if the proof is valid and 1 if it is not; the reason is printed. 2 means wrong usage. Without
--quorum, every witness named must have cosigned.

This program shares no code with the rest of Tern, on purpose: it is written from the specifications that
docs/transparency.md lists. With --batch it reads one JSON object per line, for tests.
"""

import argparse
import base64
import datetime
import hashlib
import json
import re
import sys
import uuid


class Malformed(Exception):
    """The input breaks a format; the message names the first thing that does."""


class Invalid(Exception):
    """A check failed; `reason` is its code."""

    def __init__(self, reason, detail=""):
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail


# --- Ed25519 (RFC 8032, section 5.1) ----------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add_points(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply_point(scalar, point):
    result = IDENTITY
    while scalar > 0:
        if scalar & 1:
            result = add_points(result, point)
        point = add_points(point, point)
        scalar >>= 1
    return result


def points_are_equal(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def recover_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * SQRT_MINUS_ONE % P
    if (x * x - square) % P != 0:
        return None
    return P - x if x & 1 != sign else x


def decode_point(encoded):
    """Decodes a point; only its canonical encoding is accepted."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    if y >= P:
        return None
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verify_ed25519(signature, message, public_key):
    """Verifies strictly: canonical encodings, no public key of small order, the equation with cofactor 8."""
    if len(signature) != 64 or len(public_key) != 32:
        return False
    a, r = decode_point(public_key), decode_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= ORDER:
        return False
    if points_are_equal(multiply_point(8, a), IDENTITY):
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    k = int.from_bytes(digest, "little") % ORDER
    right = add_points(r, multiply_point(k, a))
    return points_are_equal(multiply_point(8 * s, BASE), multiply_point(8, right))


# --- Merkle trees (RFC 9162, section 2.1, by its recursive definitions) -----------------------------------------------

LARGEST = 2**53 - 1


def sha256(content):
    return hashlib.sha256(content).digest()


def hash_leaf(content):
    return sha256(b"\x00" + content)


def hash_children(left, right):
    return sha256(b"\x01" + left + right)


def split_size(size):
    """Returns the largest power of two below the size."""
    return 1 << ((size - 1).bit_length() - 1)


def root_from_path(index, size, leaf, path):
    """Inverts PATH(m, D[n]); the last element of the path is the root's other child."""
    if size == 1:
        if path:
            raise Invalid("not_included")
        return leaf
    if not path:
        raise Invalid("not_included")
    split = split_size(size)
    if index < split:
        return hash_children(root_from_path(index, split, leaf, path[:-1]), path[-1])
    return hash_children(path[-1], root_from_path(index - split, size - split, leaf, path[:-1]))


def verify_inclusion(index, size, leaf, path, root):
    if not 0 <= index < size <= LARGEST or any(len(each) != 32 for each in [leaf, root, *path]):
        return False
    try:
        return root_from_path(index, size, leaf, path) == root
    except Invalid:
        return False


def roots_from_proof(size1, size2, proof, root1, is_whole):
    """Inverts SUBPROOF(m, D[n], b): returns the roots of the first size1 leaves and of all size2 leaves."""
    if size1 == size2:
        if is_whole:
            if proof:
                raise Invalid("inconsistent")
            return root1, root1
        if len(proof) != 1:
            raise Invalid("inconsistent")
        return proof[0], proof[0]
    if not proof:
        raise Invalid("inconsistent")
    split = split_size(size2)
    if size1 <= split:
        old, new = roots_from_proof(size1, split, proof[:-1], root1, is_whole)
        return old, hash_children(new, proof[-1])
    old, new = roots_from_proof(size1 - split, size2 - split, proof[:-1], root1, False)
    return hash_children(proof[-1], old), hash_children(proof[-1], new)


def verify_consistency(size1, size2, root1, root2, proof):
    if not 0 < size1 <= size2 <= LARGEST:
        return False
    if size1 == size2:
        return not proof and root1 == root2
    if any(len(each) != 32 for each in [root1, root2, *proof]):
        return False
    try:
        return roots_from_proof(size1, size2, proof, root1, True) == (root1, root2)
    except Invalid:
        return False


# --- Subtrees (draft-ietf-plants-merkle-tree-certs, sections 4.1 and 4.4) ---------------------------------------------


def is_subtree(start, end):
    if not 0 <= start <= end <= LARGEST:
        return False
    span = 1
    while span < end - start:
        span *= 2
    return start % span == 0


def verify_subtree_inclusion(index, start, end, leaf, path, root):
    return is_subtree(start, end) and start <= index and verify_inclusion(index - start, end - start, leaf, path, root)


def roots_from_subtree_proof(start, end, size, proof, subtree, is_whole):
    """Inverts SUBTREE_SUBPROOF: returns the roots of D[start:end] and of D[0:size], relative to one node."""
    if start == 0 and end == size:
        if is_whole:
            if proof:
                raise Invalid("inconsistent")
            return subtree, subtree
        if len(proof) != 1:
            raise Invalid("inconsistent")
        return proof[0], proof[0]
    if not proof:
        raise Invalid("inconsistent")
    split = split_size(size)
    if end <= split:
        old, new = roots_from_subtree_proof(start, end, split, proof[:-1], subtree, is_whole)
        return old, hash_children(new, proof[-1])
    if split <= start:
        old, new = roots_from_subtree_proof(start - split, end - split, size - split, proof[:-1], subtree, is_whole)
        return old, hash_children(proof[-1], new)
    if start != 0:
        raise Invalid("inconsistent")
    old, new = roots_from_subtree_proof(0, end - split, size - split, proof[:-1], subtree, False)
    return hash_children(proof[-1], old), hash_children(proof[-1], new)


def verify_subtree_consistency(start, end, size, subtree, root, proof):
    if start == end:
        return 0 <= end <= size <= LARGEST and not proof and subtree == sha256(b"")
    if not is_subtree(start, end) or not end <= size <= LARGEST:
        return False
    if start == 0 and end == size:
        return not proof and subtree == root
    if any(len(each) != 32 for each in [subtree, root, *proof]):
        return False
    try:
        return roots_from_subtree_proof(start, end, size, proof, subtree, True) == (subtree, root)
    except Invalid:
        return False


# --- Text encodings ---------------------------------------------------------------------------------------------------

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
BAD_IN_NAME = re.compile(f"[{SPACES}\x00-\x1f\x7f-\x9f+]")
BAD_IN_TEXT = re.compile("[\x00-\x09\x0b-\x1f]")


def decode_base64(text):
    if not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text) or len(text) % 4 != 0:
        raise Malformed("Base64 is invalid")
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        raise Malformed("Base64 is invalid") from None
    if base64.b64encode(content).decode() != text:
        raise Malformed("Base64 is not canonical")
    return content


def decode_base32(text):
    if not re.fullmatch(r"[A-Z2-7]*", text):
        raise Malformed("Base32 is invalid")
    try:
        content = base64.b32decode(text + "=" * (-len(text) % 8))
    except ValueError:
        raise Malformed("Base32 is invalid") from None
    if base64.b32encode(content).decode().rstrip("=") != text:
        raise Malformed("Base32 is not canonical")
    return content


def parse_size(text):
    if not re.fullmatch(r"0|[1-9][0-9]{0,15}", text) or int(text) > LARGEST:
        raise Malformed("number is not a decimal below 2^53")
    return int(text)


def require_hash(content):
    if len(content) != 32:
        raise Malformed("hash has a wrong length")
    return content


def is_line(line):
    return line != "" and not re.search("[\x00-\x1f]", line)


def is_key_name(name):
    return name != "" and not BAD_IN_NAME.search(name) and len(name.encode()) <= 255


# --- Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature) -------------------------------


def parse_verifier_key(text):
    match = re.fullmatch(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    if not match:
        raise Malformed("verifier key is malformed")
    name, key_id, encoded = match.groups()
    content = decode_base64(encoded)
    if not is_key_name(name) or len(content) != 33 or content[0] not in (1, 4):
        raise Malformed("verifier key is malformed")
    if sha256(name.encode() + b"\n" + content)[:4] != bytes.fromhex(key_id):
        raise Malformed("key id does not match the key")
    return {"name": name, "id": bytes.fromhex(key_id), "type": content[0], "key": content[1:]}


def parse_signature(line):
    match = re.fullmatch("\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)", line)
    if not match or not is_key_name(match[1]):
        raise Malformed("signature line is malformed")
    content = decode_base64(match[2])
    if len(content) < 5:
        raise Malformed("signature is too short")
    return match[1], content[:4], content[4:]


def parse_checkpoint(note):
    if BAD_IN_TEXT.search(note) or len(note.encode("utf-16-le")) // 2 > 1_000_000:
        raise Malformed("note is malformed")
    if "\n\n" not in note or not note.endswith("\n"):
        raise Malformed("note has no signatures")
    body, signed = note.rsplit("\n\n", 1)
    lines = signed.split("\n")[:-1]
    if not 1 <= len(lines) <= 100:
        raise Malformed("note has too few or many signatures")
    return build_checkpoint(body + "\n", [parse_signature(line) for line in lines])


def build_checkpoint(text, signatures):
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] != "" or not all(is_line(line) for line in lines[:-1]):
        raise Malformed("line of a checkpoint is invalid")
    origin, size, root = lines[:3]
    return {
        "origin": origin,
        "size": parse_size(size),
        "root": require_hash(decode_base64(root)),
        "text": text,
        "signatures": signatures,
    }


def verify_signatures(checkpoint, policy):
    """Returns the time of each witness that cosigned, by name."""
    logs = [key for key in policy["logs"] if key["name"] == checkpoint["origin"]]
    if not logs:
        raise Invalid("unknown_log")
    text, found = checkpoint["text"], False
    for name, key_id, signature in checkpoint["signatures"]:
        for key in logs:
            if (name, key_id) == (key["name"], key["id"]):
                if not verify_ed25519(signature, text.encode(), key["key"]):
                    raise Invalid("log_signature")
                found = True
    if not found:
        raise Invalid("log_signature")
    times = []
    for key in policy["witnesses"]:
        own = [
            signature for name, key_id, signature in checkpoint["signatures"] if (name, key_id) == (key["name"], key["id"])
        ]
        if own:
            times.append({"name": key["name"], "time": min(verify_cosignature(text, each, key) for each in own)})
    if len(times) < policy["quorum"]:
        raise Invalid("too_few_witnesses", f"{len(times)} of {policy['quorum']}")
    return times


def verify_cosignature(text, signature, key):
    time = int.from_bytes(signature[:8], "big")
    message = f"cosignature/v1\ntime {time}\n{text}".encode()
    if len(signature) != 72 or not 0 < time <= LARGEST or not verify_ed25519(signature[8:], message, key["key"]):
        raise Invalid("witness_signature", key["name"])
    return time


# --- Binary formats (docs/transparency.md) ----------------------------------------------------------------------------


class Reader:
    def __init__(self, content):
        self.content = content
        self.at = 0

    def take(self, length):
        part = self.content[self.at : self.at + length]
        if len(part) != length:
            raise Malformed("bytes are cut off")
        self.at += length
        return part

    def number(self, length):
        return int.from_bytes(self.take(length), "big")

    def size(self):
        value = self.number(8)
        if value > LARGEST:
            raise Malformed("number is not below 2^53")
        return value

    def counted(self):
        return self.take(self.number(2))

    def text(self):
        try:
            return self.counted().decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("text is not valid UTF-8") from None

    def rest(self):
        return self.take(len(self.content) - self.at)

    def require_version(self):
        if self.number(1) != 1:
            raise Malformed("version is unknown")


def read_amount(reader):
    currency, scale, minor = reader.text(), reader.number(1), reader.text()
    if not re.fullmatch("[A-Z0-9]{1,16}", currency) or scale > 36:
        raise Malformed("currency is invalid")
    if not re.fullmatch("0|-?[1-9][0-9]{0,39}", minor):
        raise Malformed("amount is no whole number")
    return {"currency": currency, "scale": scale, "minor": minor}


def read_optional(reader):
    flag = reader.number(1)
    if flag > 1:
        raise Malformed("flag is neither 0 nor 1")
    return read_amount(reader) if flag else None


def read_change(reader):
    part = reader.number(1)
    if part > 1:
        raise Malformed("part of a balance is unknown")
    return {"part": ["available", "on_hold"][part], **read_amount(reader)}


def parse_facts(content):
    reader = Reader(content)
    reader.require_version()
    facts = {
        "postingId": str(uuid.UUID(bytes=reader.take(16))),
        "reference": str(uuid.UUID(bytes=reader.take(16))),
        "time": reader.number(8),
        "kind": reader.text(),
        "changes": [read_change(reader) for _ in range(reader.number(1))],
        "fee": read_optional(reader),
        "delivered": read_optional(reader),
        "fromName": reader.text(),
        "toName": reader.text(),
    }
    if reader.at != len(content):
        raise Malformed("bytes follow the end")
    if facts["time"] >= 2**63 or not re.fullmatch("[!-~]{1,64}", facts["kind"]):
        raise Malformed("facts are out of range")
    keys = [(each["part"], each["currency"], each["scale"], int(each["minor"])) for each in facts["changes"]]
    if keys != sorted(keys):
        raise Malformed("facts are not canonical")
    return {**facts, "time": str(facts["time"])}


def parse_disclosure(content):
    """Returns the facts, and the leaf in which they are committed to."""
    reader = Reader(content)
    reader.require_version()
    count, position = reader.number(1), reader.number(1)
    if not 1 <= position < count:
        raise Malformed("position is outside the leaf")
    salt = reader.take(32)
    commitments = [reader.take(32) for _ in range(count - 1)]
    view = reader.rest()
    facts = parse_facts(view)
    commitments.insert(position, sha256(b"tern view commitment v1\n" + salt + view))
    return facts, b"\x01" + b"".join(commitments)


def parse_proof_file(text):
    """Returns the disclosed bytes, the index, the path and the checkpoint of a .tlog-proof file."""
    if "\n\n" not in text:
        raise Malformed("proof is cut off")
    head, note = text.split("\n\n", 1)
    lines = head.split("\n")
    if lines.pop(0) != "c2sp.org/tlog-proof@v1":
        raise Malformed("file is no proof of a transparency log")
    if not lines or not lines[0].startswith("extra "):
        raise Malformed("proof discloses nothing")
    extra = decode_base64(lines.pop(0)[6:])
    if not lines or not lines[0].startswith("index "):
        raise Malformed("proof has no index")
    index = parse_size(lines.pop(0)[6:])
    path = [require_hash(decode_base64(line)) for line in lines]
    if len(path) > 63:
        raise Malformed("inclusion proof is malformed")
    return extra, index, path, parse_checkpoint(note)


def parse_file(text):
    extra, index, path, checkpoint = parse_proof_file(text)
    return {"index": index, "path": path, "checkpoint": checkpoint, "disclosure": parse_disclosure(extra)}


def parse_compact(text):
    reader = Reader(decode_base32(text))
    reader.require_version()
    index, size, root, origin = reader.size(), reader.size(), reader.take(32), reader.text()
    extensions = [reader.text() for _ in range(reader.number(1))]
    length = reader.number(1)
    if length > 63:
        raise Malformed("inclusion proof is malformed")
    path = [reader.take(32) for _ in range(length)]
    signatures = [read_signature(reader, origin) for _ in range(reader.number(1))]
    if not signatures:
        raise Malformed("proof has no signatures")
    disclosure = parse_disclosure(reader.rest())
    lines = [origin, str(size), base64.b64encode(root).decode(), *extensions]
    if not all(is_line(line) for line in lines):
        raise Malformed("line of a checkpoint is invalid")
    checkpoint = build_checkpoint("".join(f"{line}\n" for line in lines), signatures)
    return {"index": index, "path": path, "checkpoint": checkpoint, "disclosure": disclosure}


def read_signature(reader, origin):
    written = reader.text()
    name = written or origin
    if written == origin or not is_key_name(name):
        raise Malformed("key name is invalid")
    key_id, signature = reader.take(4), reader.counted()
    if not signature:
        raise Malformed("signature is too short")
    return name, key_id, signature


def verify_receipt(text, policy):
    """Returns the verdict on a proof as a dictionary."""
    try:
        proof = parse_file(text) if "\n" in text else parse_compact(text[text.find("#") + 1 :])
        checkpoint = proof["checkpoint"]
        witnesses = verify_signatures(checkpoint, policy)
        facts, leaf = proof["disclosure"]
        included = verify_inclusion(
            proof["index"], checkpoint["size"], hash_leaf(leaf), proof["path"], checkpoint["root"]
        )
        if not included:
            raise Invalid("not_included")
    except Malformed as error:
        return {"state": "invalid", "reason": "malformed", "detail": str(error)}
    except Invalid as error:
        return {"state": "invalid", "reason": error.reason, "detail": error.detail}
    return {
        "state": "valid",
        "facts": facts,
        "origin": checkpoint["origin"],
        "index": proof["index"],
        "size": checkpoint["size"],
        "witnesses": witnesses,
    }


# --- Command line -----------------------------------------------------------------------------------------------------

REASONS = {
    "malformed": "the text is damaged or is no proof of a receipt",
    "unknown_log": "the log is not the one whose key was given",
    "log_signature": "the log's signature does not belong to this checkpoint",
    "witness_signature": "a witness's signature does not belong to this checkpoint",
    "too_few_witnesses": "too few of the given witnesses have cosigned",
    "not_included": "the facts are not in the log at this place",
}


def build_policy(logs, witnesses, quorum):
    policy = {
        "logs": [parse_verifier_key(key) for key in logs],
        "witnesses": [parse_verifier_key(key) for key in witnesses],
        "quorum": quorum,
    }
    keys = [key["key"] for key in [*policy["logs"], *policy["witnesses"]]]
    if any(key["type"] != 1 for key in policy["logs"]) or any(key["type"] != 4 for key in policy["witnesses"]):
        raise Malformed("a key has the wrong type: 1 is a log's, 4 a witness's")
    if len(set(keys)) != len(keys):
        raise Malformed("a key is given twice")
    if not 0 <= quorum <= len(witnesses):
        raise Malformed("quorum is impossible")
    return policy


def printable(text):
    """Replaces characters that could change how a terminal shows the rest."""
    return "".join(each if each.isprintable() else f"\\u{{{ord(each):x}}}" for each in text)


def format_amount(amount):
    digits = amount["minor"].lstrip("-").rjust(amount["scale"] + 1, "0")
    whole = digits[: len(digits) - amount["scale"]]
    decimals = digits[len(digits) - amount["scale"] :]
    sign = "-" if amount["minor"].startswith("-") else ""
    return f"{sign}{whole}{'.' if decimals else ''}{decimals} {amount['currency']}"


def format_time(microseconds):
    epoch = datetime.datetime(1970, 1, 1)
    try:
        return (epoch + datetime.timedelta(microseconds=microseconds)).isoformat(" ") + " UTC"
    except OverflowError:
        return f"{microseconds} microseconds after 1970"


def print_verdict(verdict):
    if verdict["state"] == "invalid":
        detail = f" ({printable(verdict['detail'])})" if verdict["detail"] else ""
        print(f"INVALID: {REASONS[verdict['reason']]}{detail}")
        return
    facts = verdict["facts"]
    print("VALID: the log has signed that this posting happened.")
    rows = [
        ("Transaction", facts["reference"]),
        ("Posting", facts["postingId"]),
        ("Kind", facts["kind"]),
        ("Time", format_time(int(facts["time"]))),
        ("From", printable(facts["fromName"])),
        ("To", printable(facts["toName"])),
        *[("Change, " + each["part"].replace("_", " "), format_amount(each)) for each in facts["changes"]],
        *[("Fee", format_amount(facts["fee"])) for _ in range(1) if facts["fee"]],
        *[("Delivered", format_amount(facts["delivered"])) for _ in range(1) if facts["delivered"]],
        ("Log", printable(verdict["origin"])),
        ("Entry", f"number {verdict['index']}, from 0, of {verdict['size']}"),
        *[
            ("Witness", f"{printable(each['name'])}, {format_time(each['time'] * 1_000_000)}")
            for each in verdict["witnesses"]
        ],
    ]
    for name, value in rows:
        if value:
            print(f"{name + ':':<20}{value}")


def run_case(case):
    kind = case["kind"]
    if kind == "receipt":
        content = base64.b64decode(case["bytes"])
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return {"state": "invalid", "reason": "malformed", "detail": "text is not valid UTF-8"}
        return verify_receipt(text, build_policy(case["logs"], case["witnesses"], case["quorum"]))
    if kind == "ed25519":
        return verify_ed25519(*(bytes.fromhex(case[name]) for name in ("signature", "message", "key")))
    hashes = {name: base64.b64decode(case[name] or "") for name in case if name in ("root", "root1", "root2", "leafHash")}
    sizes = {name: int(case[name]) for name in case if name in ("leafIdx", "treeSize", "size1", "size2", "start", "end", "size")}
    proof = [base64.b64decode(each) for each in case["proof"] or []]
    if kind == "inclusion":
        return verify_inclusion(sizes["leafIdx"], sizes["treeSize"], hashes["leafHash"], proof, hashes["root"])
    if kind == "consistency":
        return verify_consistency(sizes["size1"], sizes["size2"], hashes["root1"], hashes["root2"], proof)
    if kind == "subtree-inclusion":
        return verify_subtree_inclusion(
            sizes["leafIdx"], sizes["start"], sizes["end"], hashes["leafHash"], proof, hashes["root"]
        )
    return verify_subtree_consistency(
        sizes["start"], sizes["end"], sizes["size"], hashes["root1"], hashes["root2"], proof
    )


def main():
    parser = argparse.ArgumentParser(description="Verifies the proof of a Tern receipt offline.")
    parser.add_argument("file", nargs="?", help="a .tlog-proof file, or - for standard input")
    parser.add_argument("--text", help="the text of a receipt's QR code")
    parser.add_argument("--log", action="append", default=[], metavar="VKEY", help="key of the log")
    parser.add_argument("--witness", action="append", default=[], metavar="VKEY", help="key of a witness")
    parser.add_argument("--quorum", type=int, metavar="N", help="number of witnesses needed (all by default)")
    parser.add_argument("--batch", action="store_true", help="read cases as lines of JSON, for tests")
    options = parser.parse_args()
    if options.batch:
        for line in sys.stdin:
            print(json.dumps(run_case(json.loads(line))))
        return 0
    if not options.log or (options.file is None) == (options.text is None):
        parser.error("give --log, and either a file or --text")
    try:
        policy = build_policy(
            options.log, options.witness, len(options.witness) if options.quorum is None else options.quorum
        )
    except Malformed as error:
        parser.error(str(error))
    if options.text is not None:
        verdict = verify_receipt(options.text.strip(), policy)
    else:
        content = sys.stdin.buffer.read() if options.file == "-" else open(options.file, "rb").read()
        try:
            verdict = verify_receipt(content.decode("utf-8"), policy)
        except UnicodeDecodeError:
            verdict = {"state": "invalid", "reason": "malformed", "detail": "text is not valid UTF-8"}
    print_verdict(verdict)
    return 0 if verdict["state"] == "valid" else 1


if __name__ == "__main__":
    sys.exit(main())
