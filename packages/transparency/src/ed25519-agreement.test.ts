// Signatures on which implementations of Ed25519 differ ("Taming the many EdDSAs", 2020): both verifiers agree.

import { hashes, Point } from '@noble/ed25519'
import { expect, test } from 'vitest'
import { hasPython, runPythonVerifier } from '@tern/testkit/python-verifier'
import { derive, logKey } from '../test/sample-proof.ts'
import { concat, encodeUtf8, fromHex, toHex } from './bytes.ts'
import { signText, verifyEd25519 } from './signed-note.ts'

const message = encodeUtf8('message\n')
const order = 2n ** 252n + 27742317777372353535851937790883648493n

const toNumber = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes.toReversed())}`)
const toBytes = (value: bigint) => fromHex(value.toString(16).padStart(64, '0')).toReversed()
const sha512 = (bytes: Uint8Array) => {
  if (hashes.sha512 === undefined) throw new Error('no SHA-512')
  return hashes.sha512(bytes)
}

/** Encodings of all points of small order: canonical, then others of the same points. */
const smallOrder = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(31)}`,
  `ee${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(31)}`,
  `ed${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(31)}`,
].map((digits) => fromHex(digits))

/** Signs with any scalar, nonce and additions of small order to the public key and to R. */
function signOddly({ keyPart, noncePart }: { readonly keyPart: Point; readonly noncePart: Point }) {
  const secret = toNumber(derive('secret')) % order
  const nonce = toNumber(derive('nonce')) % order
  const key = Point.BASE.multiply(secret).add(keyPart).toBytes()
  const r = Point.BASE.multiply(nonce).add(noncePart).toBytes()
  const k = toNumber(sha512(concat(r, key, message))) % order
  return { signature: concat(r, toBytes((nonce + k * secret) % order)), key }
}

test.runIf(hasPython)('both verifiers agree on signatures with unusual points and numbers', async () => {
  const { signature } = signText('message\n', logKey)
  const key = logKey.publicKey
  const r = signature.slice(0, 32)
  const s = toNumber(signature.slice(32))
  const torsion = smallOrder.slice(0, 8).map((bytes) => Point.fromBytes(bytes))
  const cases = [
    { signature, key },
    { signature: concat(r, toBytes(s + order)), key },
    { signature: concat(r, toBytes(0n)), key },
    { signature: signature.slice(1), key },
    { signature, key: key.slice(1) },
    ...smallOrder.flatMap((point) => [
      { signature: concat(point, toBytes(0n)), key: point },
      { signature: concat(point, toBytes(0n)), key },
      { signature, key: point },
      { signature: concat(point, toBytes(s)), key },
    ]),
    ...torsion.flatMap((point) => [
      signOddly({ keyPart: point, noncePart: Point.ZERO }),
      signOddly({ keyPart: Point.ZERO, noncePart: point }),
    ]),
    ...Array.from({ length: 64 }, (_, bit) => {
      const changed = signature.with(bit, (signature[bit] ?? 0) ^ (1 << (bit % 8)))
      return { signature: changed, key }
    }),
  ]
  const verdicts = cases.map((each) => verifyEd25519(each.signature, message, each.key))
  const answers = await runPythonVerifier(
    cases.map((each) => ({
      kind: 'ed25519',
      signature: toHex(each.signature),
      message: toHex(message),
      key: toHex(each.key),
    })),
  )
  expect(answers).toEqual(verdicts)
  // The ordinary signature, and those with a cofactor, which the equation removes.
  expect(verdicts.filter(Boolean)).toHaveLength(1 + 16)
})
