import { expect, test } from 'vitest'
import { derive, sampleFacts, samplePosting } from '../test/sample-proof.ts'
import { concat, encodeUtf8, toHex } from './bytes.ts'
import { hashBytes, hashLeaf } from './merkle.ts'
import {
  commitLedger,
  commitView,
  formatDaySeal,
  formatLedgerPosting,
  formatPostingLeaf,
  type LedgerPosting,
  parseLeaf,
} from './posting-leaf.ts'
import { formatViewFacts, parseViewFacts, type ViewFacts } from './view-facts.ts'

const salt = derive('salt')

test('entries in any order are the same posting', () => {
  const { entries } = samplePosting
  const bytes = formatLedgerPosting(samplePosting)
  for (let turn = 1; turn < entries.length; turn += 1) {
    const turned = [...entries.slice(turn), ...entries.slice(0, turn)]
    expect(formatLedgerPosting({ ...samplePosting, entries: turned })).toEqual(bytes)
  }
})

test('any change of a posting or of its salt changes its commitment', () => {
  const [first, ...rest] = samplePosting.entries
  if (first === undefined) throw new Error('no entries')
  const changeEntry = (change: Partial<typeof first>) => ({
    ...samplePosting,
    entries: [{ ...first, ...change }, ...rest],
  })
  const changed: LedgerPosting[] = [
    { ...samplePosting, id: sampleFacts.reference },
    { ...samplePosting, reference: samplePosting.id },
    { ...samplePosting, kind: 'refund' },
    { ...samplePosting, time: samplePosting.time + 1n },
    { ...samplePosting, entries: rest },
    changeEntry({ accountName: 'wallet:c:USD' }),
    changeEntry({ version: 8n }),
    changeEntry({ leg: 1 }),
    changeEntry({ amount: 1001n }),
    changeEntry({ balance: 5001n }),
  ]
  const commitments = [
    commitLedger(samplePosting, salt),
    commitLedger(samplePosting, derive('other salt')),
    ...changed.map((posting) => commitLedger(posting, salt)),
  ]
  expect(new Set(commitments.map((commitment) => toHex(commitment))).size).toBe(commitments.length)
})

// Computed from docs/transparency.md by another program.
test('the bytes of version 1 never change', () => {
  expect(toHex(commitLedger(samplePosting, salt))).toBe(
    '5d6c772aa3f9082a628702d3cbe190ce9f56a79fc065163cf962b0fc4b405e06',
  )
  expect(toHex(commitView(sampleFacts, salt))).toBe('d3122f2c73440dc043964258e351ff4823e94e0cbe3133f54a242d9a3f966898')
  const leaf = formatPostingLeaf([commitLedger(samplePosting, salt), commitView(sampleFacts, salt)])
  expect(toHex(hashLeaf(leaf))).toBe('7c21e18dc7a7759dafb5dc50d86150497a879db5318b0cdc3e9c878c1c777733')
  const seal = formatDaySeal({ day: '2026-11-30', digest: salt })
  expect(seal).toEqual(concat(Uint8Array.of(2), encodeUtf8('2026-11-30'), salt))
})

test('a commitment is the digest that the documentation gives', () => {
  const view = formatViewFacts(sampleFacts)
  expect(commitView(sampleFacts, salt)).toEqual(hashBytes(concat(encodeUtf8('tern view commitment v1\n'), salt, view)))
})

test('facts without fee, delivery, changes and names are facts', () => {
  const { postingId, reference, kind, time } = sampleFacts
  const facts: ViewFacts = { postingId, reference, kind, time, changes: [], fromName: '', toName: '' }
  expect(parseViewFacts(formatViewFacts(facts))).toEqual(facts)
})

test('facts that no version describes cannot be formatted', () => {
  const amount = { currency: 'USD', scale: 2, minor: 1n }
  const refused: Partial<ViewFacts>[] = [
    { postingId: sampleFacts.postingId.toUpperCase() },
    { kind: 'two words' },
    { time: 1n << 63n },
    { time: -1n },
    { fee: { ...amount, currency: 'usd' } },
    { fee: { ...amount, scale: 1.5 } },
    { fromName: '\ud800' },
    { changes: Array.from({ length: 256 }, () => ({ part: 'available', ...amount })) },
  ]
  for (const change of refused) expect(() => formatViewFacts({ ...sampleFacts, ...change })).toThrow(RangeError)
})

test('leaves are parsed to what they were made from, and others are refused', () => {
  const commitments = [derive('a'), derive('b')]
  expect(parseLeaf(formatPostingLeaf(commitments))).toEqual({ kind: 'posting', commitments })
  const seal = { day: '2026-02-28', digest: derive('day') }
  expect(parseLeaf(formatDaySeal(seal))).toEqual({ kind: 'day_seal', ...seal })
  const malformed = [[], [1], [3, ...derive('a')], [1, ...derive('a'), 0], [...formatDaySeal(seal), 0]]
  for (const bytes of malformed) expect(() => parseLeaf(Uint8Array.from(bytes))).toThrow()
  for (const day of ['2026-02-29', '2026-13-01', '2026-2-28', ''])
    expect(() => formatDaySeal({ ...seal, day })).toThrow()
  expect(() => formatPostingLeaf([])).toThrow(RangeError)
  expect(() => formatPostingLeaf([Uint8Array.of(1)])).toThrow(RangeError)
})
