import { expect, test } from 'vitest'
import { encodeUtf8 } from '@tern/transparency/bytes'
import { signCheckpoint } from '@tern/transparency/checkpoint'
import { cosign } from '@tern/transparency/cosignature'
import { hashBytes } from '@tern/transparency/merkle'
import { createSigningKey } from '@tern/transparency/note-keys'
import { createLogKey } from '../test/sample-log.ts'
import { formatState, parseState } from './state-file.ts'

const key = createSigningKey({ name: 'witness.example/w1', type: 4, seed: hashBytes(encodeUtf8('witness')) })
const state = new Map(
  ['a.example', 'b.example'].map((origin, place) => {
    const head = { origin, size: 7 + place, root: hashBytes(encodeUtf8(origin)) }
    const signed = signCheckpoint(head, createLogKey(origin))
    const signatures = [...signed.signatures, cosign(signed.text, { time: 1_796_021_200, key })]
    return [origin, { ...signed, signatures }]
  }),
)
const text = formatState(state)

test('a state file contains the latest checkpoint of each log', () => {
  expect(parseState(text, key)).toEqual(state)
  expect(parseState(formatState(new Map()), key)).toEqual(new Map())
})

test('a state file with any character changed, or cut off anywhere, is refused', () => {
  for (let place = 0; place < text.length; place += 1) {
    const character = String.fromCharCode(text.charCodeAt(place) ^ 1)
    expect(() => parseState(text.slice(0, place) + character + text.slice(place + 1), key)).toThrow()
    expect(() => parseState(text.slice(0, place), key)).toThrow()
  }
})

test('checkpoints that this witness did not cosign are refused, even under a right digest', () => {
  const [first] = state.values()
  if (first === undefined) throw new Error('no checkpoint')
  const { signatures, ...head } = first
  expect(() =>
    parseState(formatState(new Map([['a.example', { ...head, signatures: signatures.slice(0, 1) }]])), key),
  ).toThrow('not cosigned')
  expect(() => parseState(formatState(new Map([...state, ['c', first]])), key)).toThrow('twice')
})
