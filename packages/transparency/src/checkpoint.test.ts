import { expect, test } from 'vitest'
import { createSampleProof, derive, logKey, samplePolicy, witnessKeys } from '../test/sample-proof.ts'
import { formatCheckpoint, formatTreeHead, parseCheckpoint, parseTreeHead, signCheckpoint } from './checkpoint.ts'
import { cosign, verifyCosignature } from './cosignature.ts'
import {
  createSigningKey,
  formatSigningKey,
  formatVerifierKey,
  generateSigningKey,
  parseSigningKey,
  parseVerifierKey,
  toVerifierKey,
} from './note-keys.ts'
import { keepKnownSignatures, verifyCheckpoint } from './policy.ts'
import { parseNote, signText, verifyEd25519 } from './signed-note.ts'

const root = derive('root')
const [witness = generateSigningKey({ name: 'unused', type: 4 })] = witnessKeys

test('a signed checkpoint is a note that its key verifies', () => {
  const checkpoint = signCheckpoint({ origin: logKey.name, size: 7, root, extensions: ['more'] }, logKey)
  expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint)
  expect(checkpoint.text.split('\n')).toHaveLength(5)
  const policy = { logs: [toVerifierKey(logKey)], witnesses: [], quorum: 0 }
  expect(verifyCheckpoint(checkpoint, policy)).toEqual({ state: 'valid', witnesses: [] })
})

test('the checkpoint of the specification is parsed and formatted byte by byte', () => {
  const note = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`
  const checkpoint = parseCheckpoint(note)
  expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163, extensions: [] })
  expect(formatCheckpoint(checkpoint)).toBe(note)
})

test('tree heads have one spelling', () => {
  const head = formatTreeHead({ origin: 'a', size: 10, root })
  expect(formatTreeHead(parseTreeHead(head))).toBe(head)
  const malformed = [
    head.slice(0, -1),
    head.replace('10', '010'),
    head.replace('10', '-1'),
    head.replace('10', '9007199254740992'),
    head.replace('a\n', '\n'),
    head.replace('=', ''),
    `${head}\n`,
    head.replace('\n', '\r\n'),
  ]
  for (const text of malformed) expect(() => parseTreeHead(text)).toThrow()
})

test('keys as text are the keys they were made from, and damaged ones are refused', () => {
  for (const type of [1, 4] as const) {
    const key = generateSigningKey({ name: 'tern.example/log', type })
    expect(parseSigningKey(formatSigningKey(key))).toEqual(key)
    const text = formatVerifierKey(toVerifierKey(key))
    expect(parseVerifierKey(text)).toEqual(toVerifierKey(key))
    for (let place = 0; place < text.length; place += 1) {
      const changed = text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1)
      expect(() => parseVerifierKey(changed), changed).toThrow()
    }
  }
  for (const name of ['', 'a b', 'a+b', 'a\u00a0b', 'a\n', 'é'.repeat(128)])
    expect(() => createSigningKey({ name, type: 1, seed: derive('a') })).toThrow()
})

test('keys sign only what they are for', () => {
  expect(() => signText('text\n', witness)).toThrow(RangeError)
  expect(() => cosign('text\n', { time: 1, key: logKey })).toThrow(RangeError)
  for (const time of [0, -1, 1.5, 2 ** 53]) expect(() => cosign('text\n', { time, key: witness })).toThrow(RangeError)
})

test('a cosignature covers its time', () => {
  const signature = cosign('text\n', { time: 1_796_021_200, key: witness })
  expect(verifyCosignature('text\n', signature, witness)).toEqual({ time: 1_796_021_200 })
  const later = { ...signature, signature: signature.signature.with(7, 0xff) }
  expect(verifyCosignature('text\n', later, witness)).toBeUndefined()
  expect(verifyCosignature('other\n', signature, witness)).toBeUndefined()
})

test('Ed25519 refuses keys of small order, whose signatures fit any message', () => {
  const identity = new Uint8Array(32).with(0, 1)
  const signature = new Uint8Array(64).with(0, 1)
  expect(verifyEd25519(signature, derive('message'), identity)).toBe(false)
})

test('only signatures of known keys are kept in a short proof', () => {
  const { checkpoint } = createSampleProof()
  const [first] = samplePolicy.witnesses
  if (first === undefined) throw new Error('no witness')
  const kept = keepKnownSignatures(checkpoint, { ...samplePolicy, witnesses: [first], quorum: 1 })
  expect(kept.signatures.map(({ name }) => name)).toEqual([logKey.name, first.name])
})

test('notes that break the format are refused', () => {
  const line = '— a AAAAAQID\n'
  expect(parseNote(`text\n\n${line}`).signatures).toHaveLength(1)
  const malformed = [
    `text\n${line}`,
    `text\n\n${line.trimEnd()}`,
    'text\n\n',
    `te\u0001xt\n\n${line}`,
    `text\n\n${line}\n${line}`.replace(/\n$/, ''),
    `text\n\n- a AAAAAQID\n`,
    `text\n\n— a AAAA\n`,
    `text\n\n${line.repeat(101)}`,
    `\ud800\n\n${line}`,
  ]
  for (const note of malformed) expect(() => parseNote(note), note).toThrow()
})
