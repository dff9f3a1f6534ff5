import { expect, test } from 'vitest'
import { createSampleProof, logKey, sampleFacts, samplePolicy } from '../test/sample-proof.ts'
import { formatCompactProof, formatReceiptProof, parseCompactProof, parseReceiptProof } from './receipt-proof.ts'
import { verifyReceiptProof, verifyReceiptText } from './verify-receipt.ts'
import { toHex } from './bytes.ts'
import { parseVerifierKey } from './note-keys.ts'
import { parseNote, verifyTextSignature } from './signed-note.ts'

const proof = createSampleProof()
const text = formatReceiptProof(proof)
const compact = formatCompactProof(proof)

test('both forms of a proof contain the same and are valid', () => {
  expect(parseReceiptProof(text)).toEqual(proof)
  expect(parseCompactProof(compact)).toEqual(proof)
  const verdict = verifyReceiptProof(proof, samplePolicy)
  expect(verdict).toMatchObject({
    state: 'valid',
    origin: logKey.name,
    index: 3,
    size: 11,
    witnesses: [
      { name: 'witness.example/w1', time: 1_796_021_200 },
      { name: 'witness.example/w2', time: 1_796_021_201 },
    ],
  })
  expect(verdict.state === 'valid' && verdict.facts).toEqual({
    ...sampleFacts,
    changes: sampleFacts.changes.toReversed(),
  })
  for (const form of [text, compact, `https://tern.example/verify#${compact}`])
    expect(verifyReceiptText(form, samplePolicy)).toEqual(verdict)
})

test('the example of the signed note specification verifies', () => {
  const key = parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
  const { text, signatures } = parseNote(
    'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
  )
  const [signature] = signatures
  if (signature === undefined) throw new Error('no signature')
  expect(toHex(key.id)).toBe('530d903a')
  expect(verifyTextSignature(text, signature, key)).toBe(true)
  expect(verifyTextSignature(text.replace('This', 'That'), signature, key)).toBe(false)
})
