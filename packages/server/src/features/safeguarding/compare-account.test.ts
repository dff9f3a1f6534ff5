import { describe, expect, test } from 'vitest'
import {
  applyCovers,
  compareBalances,
  compareEntries,
  type StatementEntry,
  type TransferRecord,
} from './compare-account.ts'

const since = '2027-03-01'
const record = (id: string, minor: bigint, change: Partial<TransferRecord> = {}): TransferRecord => ({
  ...{ id, currency: 'GBP', minor, on: since, findingId: null },
  ...change,
})
const entry = (id: string, minor: bigint, reference: string | null, change: Partial<StatementEntry> = {}) => ({
  ...{ id, currency: 'GBP' as const, minor, reference, bookedOn: since },
  ...change,
})

describe('entries', () => {
  test('a transfer that is booked once with its amount is no difference', () => {
    expect(compareEntries({ since, records: [record('r', 500n)], entries: [entry('e', 500n, 'r')] })).toEqual([])
  })

  test('each kind of fault is named by the entry or transfer that shows it', () => {
    const records = [record('late', 500n), record('twice', -300n), record('other', 40n), record('euros', 70n)]
    const entries = [
      entry('e1', -300n, 'twice'),
      entry('e2', -300n, 'twice'),
      entry('e3', 41n, 'other'),
      entry('e4', 70n, 'euros', { currency: 'EUR' }),
      entry('e5', -9n, null),
      entry('e6', 8n, 'unheard of'),
    ]
    expect(compareEntries({ since, records, entries })).toEqual([
      { currency: 'GBP', cause: 'duplicate', subject: 'e2', minor: -300n },
      { currency: 'GBP', cause: 'amount_differs', subject: 'e3', minor: 1n },
      { currency: 'EUR', cause: 'wrong_currency', subject: 'e4', minor: 70n },
      { currency: 'GBP', cause: 'wrong_currency', subject: 'euros', minor: -70n },
      { currency: 'GBP', cause: 'unknown_entry', subject: 'e5', minor: -9n },
      { currency: 'GBP', cause: 'unknown_entry', subject: 'e6', minor: 8n },
      { currency: 'GBP', cause: 'posted_late', subject: 'late', minor: -500n },
    ])
  })

  test('an entry that the bank takes back is no difference, unless amount or currency differ', () => {
    const entries = [entry('e1', -9n, null), entry('e2', 9n, 'e1')]
    expect(compareEntries({ since, records: [], entries })).toEqual([])
    const wrong = [entry('e1', -9n, null), entry('e2', 9n, 'e1', { currency: 'EUR' }), entry('e3', 8n, 'e1')]
    expect(compareEntries({ since, records: [], entries: wrong }).map(({ subject }) => subject)).toEqual([
      ...['e1', 'e2', 'e3'],
    ])
  })

  test('an entry taken back and booked again in the right account is no difference', () => {
    const entries = [
      entry('e1', 70n, 'r', { currency: 'EUR' }),
      entry('e2', -70n, 'e1', { currency: 'EUR' }),
      entry('e3', 70n, 'r'),
    ]
    expect(compareEntries({ since, records: [record('r', 70n)], entries })).toEqual([])
  })

  test('a transfer from before the first day is expected on no statement', () => {
    expect(compareEntries({ since, records: [record('r', 70n, { on: '2027-02-28' })], entries: [] })).toEqual([])
  })
})

describe('balances', () => {
  const facts = {
    day: since,
    currency: 'GBP',
    opening: 100n,
    closing: 150n,
    booked: 50n,
    closedAt: 100n,
    records: 100n,
  }

  test('a balance that changes by its entries is no difference, and any other change is one', () => {
    expect(compareBalances({ ...facts, currency: 'GBP' })).toEqual([])
    expect(compareBalances({ ...facts, currency: 'GBP', closing: 149n })).toMatchObject([
      { cause: 'balance', minor: -1n },
    ])
    expect(compareBalances({ ...facts, currency: 'GBP', closedAt: 90n })).toMatchObject([
      { cause: 'balance', minor: 10n },
    ])
  })

  test('the first opening balance is compared with our records', () => {
    const first = { ...facts, currency: 'GBP' as const, closedAt: undefined, records: 103n }
    expect(compareBalances(first)).toMatchObject([{ cause: 'opening', minor: -3n }])
  })
})

test('a covered difference is none; a cover whose difference the bank corrected is one', () => {
  const difference = { currency: 'GBP', cause: 'unknown_entry', subject: 'e1', minor: -9n } as const
  const cover = { currency: 'GBP', cause: 'unknown_entry', subject: 'e1', entry: 'e2', minor: 9n } as const
  expect(applyCovers([difference], [cover])).toEqual([])
  expect(applyCovers([], [cover])).toEqual([{ currency: 'GBP', cause: 'unknown_entry', subject: 'e2', minor: 9n }])
  expect(applyCovers([], [{ ...cover, cause: 'balance' }])).toEqual([])
})
