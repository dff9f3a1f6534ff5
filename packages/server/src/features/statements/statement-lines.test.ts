import { describe, expect, test } from 'vitest'
import type { BalanceChange, Movement, MovementTransaction } from './movement.ts'
import { toLines } from './statement-lines.ts'

const asOf = new Date('2026-11-01T00:00:00Z')
const id = '01a20289-bd22-711f-a95c-a469daac5eb6'

const transaction: MovementTransaction = {
  id,
  kind: 'SEND',
  status: 'COMPLETED',
  description: 'Rent',
  source_amount: 10_000n,
  source_currency: 'USD',
  target_amount: 9300n,
  target_currency: 'EUR',
  rate_numerator: 93n,
  rate_denominator: 100n,
  fee_amount: 100n,
  fee_currency: 'USD',
  payment_source: 'wallet',
  changed_at: null,
  counterparty: null,
}

interface Case {
  readonly changes: readonly Pick<BalanceChange, 'amount' | 'fee' | 'internal' | 'balance'>[]
  readonly change?: Partial<MovementTransaction>
}

function listLines({ changes, change = {} }: Case) {
  const movement: Movement = {
    postingId: id,
    at: new Date('2026-10-05T10:00:00Z'),
    postingKind: 'transfer',
    transaction: { ...transaction, ...change },
    isInternal: false,
    changes: changes.map((each) => ({ part: 'available', currency: 'USD', version: 1n, ...each })),
  }
  return toLines({ movement, currency: 'USD', asOf })
}

const kindsOf = (input: Case) => listLines(input).map(({ kind, amount, balance }) => [kind, amount, balance])

test('a fee has a line of its own, after its payment', () => {
  expect(kindsOf({ changes: [{ amount: -10_100n, fee: -100n, internal: 0n, balance: 900n }] })).toEqual([
    ['sent', -10_000n, 1000n],
    ['fee', -100n, 900n],
  ])
})

test('a send from hold shows what was released and what was sent', () => {
  const changes = [
    { amount: 10_100n, fee: 0n, internal: 10_100n, balance: 11_000n },
    { amount: -10_100n, fee: -100n, internal: 0n, balance: 900n },
  ]
  expect(kindsOf({ changes })).toEqual([
    ['released_from_hold', 10_100n, 11_000n],
    ['sent', -10_000n, 1000n],
    ['fee', -100n, 900n],
  ])
})

test('a card payment that is sent on shows both, beside the part from the wallet', () => {
  const changes = [
    { amount: 10_100n, fee: 0n, internal: 4000n, balance: 11_000n },
    { amount: -10_100n, fee: -100n, internal: 0n, balance: 900n },
  ]
  expect(kindsOf({ changes })).toEqual([
    ['deposit', 6100n, 7000n],
    ['released_from_hold', 4000n, 11_000n],
    ['sent', -10_000n, 1000n],
    ['fee', -100n, 900n],
  ])
})

test('a withdrawal and its fee are shown when it is ordered, and both come back if it fails', () => {
  const change = { kind: 'WITHDRAW', description: 'withdrawal {}', target_currency: 'USD' } as const
  expect(kindsOf({ change, changes: [{ amount: -10_100n, fee: -100n, internal: -10_100n, balance: 900n }] })).toEqual([
    ['withdrawal', -10_000n, 1000n],
    ['fee', -100n, 900n],
  ])
  expect(kindsOf({ change, changes: [{ amount: 10_100n, fee: 100n, internal: 10_100n, balance: 11_000n }] })).toEqual([
    ['refund', 10_000n, 10_900n],
    ['fee_returned', 100n, 11_000n],
  ])
})

test('a line has the same id whichever lines are read before it', () => {
  const changes = [{ amount: -10_100n, fee: -100n, internal: 0n, balance: 900n }]
  expect(listLines({ changes }).map((line) => line.id)).toEqual([`${id}:1`, `${id}:2`])
})

describe('the status of a transaction is that at the end of the period', () => {
  const changes = [{ amount: -10_100n, fee: 0n, internal: -10_100n, balance: 900n }]
  test.each([
    ['PENDING', null, 'pending'],
    ['COMPLETED', '2026-11-01T00:00:00Z', 'pending'],
    ['FAILED', '2026-11-04T00:00:00Z', 'pending'],
    ['COMPLETED', '2026-10-31T23:59:59.999Z', 'completed'],
    ['FAILED', '2026-10-06T00:00:00Z', 'failed'],
    ['COMPLETED', null, 'completed'],
  ] as const)('%s since %s is %s', (status, changedAt, expected) => {
    const change = { status, changed_at: changedAt === null ? null : new Date(changedAt) }
    expect(listLines({ changes, change })).toMatchObject([
      { kind: 'put_on_hold', status: expected, isConverted: false },
    ])
  })
})
