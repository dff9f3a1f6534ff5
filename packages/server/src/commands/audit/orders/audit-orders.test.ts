import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test damages orders or protection rules so that every row stays consistent by itself; the audit must find it.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks()
})
afterAll(() => books.drop())

const [holdRule, stateRule, priceRule, limitRule, exchangeRule] = [
  'open orders hold their amount and fee, and ended ones nothing',
  'orders stand as their owner sees them',
  'orders are filled at no worse price than agreed to',
  'limit orders ask for no less than their rate',
  'protection rules made the exchanges that they name',
]
const [openSql, filledSql, cancelledSql] = [800, 700, 900].map((minor) => `source_minor = ${String(minor)}`)

test('sound books have no fault', async () => {
  expect(await books.findBroken('select')).toEqual({})
})

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  [
    'an order over more than is on hold',
    `update exchange_order set source_minor = source_minor + 1 where ${openSql}`,
    { [holdRule]: 'is open and holds 808 of 809 USD', [stateRule]: 'is open and PENDING' },
  ],
  [
    'an order that says it was canceled and still holds',
    `update exchange_order set state = 'cancelled', ended_at = now() where ${openSql}`,
    { [holdRule]: 'is cancelled and holds 808 of 808', [stateRule]: 'is cancelled and PENDING' },
  ],
  [
    'an order that says it was filled',
    `update exchange_order set state = 'filled', quote_id = gen_random_uuid(), ended_at = now() where ${cancelledSql}`,
    { [stateRule]: 'is filled and FAILED' },
  ],
  [
    'an order that waits again after it was canceled',
    `update exchange_order set state = 'open', ended_at = null where ${cancelledSql}`,
    { [holdRule]: 'is open and holds 0 of 909', [stateRule]: 'is open and FAILED' },
  ],
  [
    'an order that asked for more than it was given',
    `update exchange_order set minimum_minor = minimum_minor * 3 where ${filledSql}`,
    { [priceRule]: 'of at least 10500000 USDC' },
  ],
  [
    'an order that was filled after it had expired',
    `update exchange_order set expires_at = created_at where ${filledSql}`,
    { [priceRule]: 'after it had expired' },
  ],
  [
    'an order that is gone',
    `delete from exchange_order where ${openSql}`,
    { 'rows fit the payment or payout they name': 'EXCHANGE' },
  ],
  [
    'an order that names another price',
    `update exchange_order set quote_id = gen_random_uuid() where ${filledSql}`,
    { [stateRule]: 'is filled and COMPLETED' },
  ],
  [
    'an order that asks for less than its rate',
    `update exchange_order set minimum_minor = minimum_minor - 1 where ${openSql}`,
    { [limitRule]: 'asks for 71999999 USDC at 9', [stateRule]: 'is open and PENDING' },
  ],
  [
    'an order whose rate was raised',
    `update exchange_order set rate = '10' where ${openSql}`,
    { [limitRule]: 'asks for 72000000 USDC at 10' },
  ],
  [
    'a transaction that promises more than the order',
    `update transaction set target_amount = target_amount + 1 where description like 'limit_order%' and status = 'PENDING'`,
    { [stateRule]: 'is open and PENDING' },
  ],
  [
    'a rule that names another exchange',
    `update protection_action set transaction_id = gen_random_uuid()`,
    { [exchangeRule]: 'exchanged nothing' },
  ],
])('%s is found', async (_, damageSql, expected) => {
  const brokenRules = await books.findBroken(damageSql)
  for (const [rule, sentence] of Object.entries(expected)) {
    expect(brokenRules, rule).toMatchObject({ [rule]: expect.stringContaining(sentence) as string })
  }
})
