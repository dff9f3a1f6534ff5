import { signCheckpoint } from '@tern/transparency/checkpoint'
import { hashLeaf } from '@tern/transparency/merkle'
import { createSigningKey, formatVerifierKey, type SigningKey, toVerifierKey } from '@tern/transparency/note-keys'
import { commitView, formatPostingLeaf } from '@tern/transparency/posting-leaf'
import { formatCompactProof, formatReceiptProof, type ReceiptProof } from '@tern/transparency/receipt-proof'
import { formatViewFacts, type ViewFacts } from '@tern/transparency/view-facts'
import { expect, test } from 'vitest'
import { findSigner } from './find-signer.ts'

const until = '2026-11-30T12:00:00.000Z'
const origin = 'tern.example/log'
const fill = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const createKey = (byte: number, name = origin): SigningKey => createSigningKey({ name, type: 1, seed: fill(byte) })
const logKey = createKey(1)
const newKey = createKey(2)
const facts: ViewFacts = {
  postingId: '00000000-0000-4000-8000-000000000001',
  reference: '00000000-0000-4000-8000-000000000002',
  kind: 'transfer',
  time: 1_796_021_100_123_456n,
  changes: [{ part: 'available', currency: 'USD', scale: 2, minor: -1005n }],
  fromName: 'Ana Sousa',
  toName: 'Zoë Müller',
}
const salt = fill(3)
const otherCommitments = [fill(4)]
const leaf = formatPostingLeaf([...otherCommitments, commitView(facts, salt)])
const head = { origin, size: 1, root: hashLeaf(leaf) }
/** Proof in a log with one entry, signed with `logKey`. */
const sample: ReceiptProof = {
  index: 0,
  inclusion: [],
  checkpoint: signCheckpoint(head, logKey),
  disclosure: { view: formatViewFacts(facts), salt, position: 1, otherCommitments },
}
const input = { logs: [toVerifierKey(newKey)], replaced: [] }
const replaced = [{ log: formatVerifierKey(toVerifierKey(logKey)), until }]

test('a proof in the name of the log with an unknown key is of another key', () => {
  for (const proof of [formatReceiptProof(sample), formatCompactProof(sample)])
    expect(findSigner({ ...input, proof })).toEqual({ state: 'other' })
})

test('a valid proof of a replaced key is recognized, with the time of the replacement', () => {
  expect(findSigner({ ...input, replaced, proof: formatReceiptProof(sample) })).toEqual({ state: 'replaced', until })
})

test('a changed proof of a replaced key is forged', () => {
  const proof = formatReceiptProof({ ...sample, disclosure: { ...sample.disclosure, salt: fill(5) } })
  expect(findSigner({ ...input, replaced, proof })).toEqual({ state: 'forged' })
})

test('a wrong signature of the trusted key, or none in the name of the log, is forged', () => {
  const { checkpoint } = sample
  const prove = ({ signatures }: Pick<typeof checkpoint, 'signatures'>) =>
    formatReceiptProof({ ...sample, checkpoint: { ...checkpoint, signatures } })
  const wrong = prove(signCheckpoint({ ...head, size: 2 }, newKey))
  expect(findSigner({ ...input, replaced, proof: wrong })).toEqual({ state: 'forged' })
  const unsigned = prove(signCheckpoint(head, createKey(6, 'other.example/log')))
  expect(findSigner({ ...input, replaced, proof: unsigned })).toEqual({ state: 'forged' })
})
