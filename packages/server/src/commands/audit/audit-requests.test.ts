import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test damages a payment request, its payments or a split so that every row stays consistent by itself; the audit
// must find the damage.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks()
})
afterAll(() => books.drop())

const [visibilityRule, guestRule, sumsRule, partsRule] = [
  'payments of requests are what requester and payer see',
  'guests’ payments of requests are what their requesters got',
  'requests are paid by the sum of their payments',
  'parts of split bills add up to their totals',
]

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  [
    'a request paid more than its payments say',
    `update payment_request set paid_minor = paid_minor + 1 where status = 'open' and paid_minor > 0`,
    { [sumsRule]: 'its payments say 700 and 0' },
  ],
  [
    'a request that forgets money on its way',
    `update payment_request set reserved_minor = 0 where reserved_minor > 0`,
    { [sumsRule]: 'awaits 0, its payments say 0 and 600' },
  ],
  [
    'a payment that is gone',
    `delete from request_payment where amount_minor = 700`,
    { [sumsRule]: 'its payments say 0 and 0' },
  ],
  [
    'a payment of another amount',
    `update request_payment set amount_minor = amount_minor + 1 where amount_minor = 700`,
    { [visibilityRule]: 'is settled', [sumsRule]: 'its payments say 701 and 0' },
  ],
  [
    'a payment that cost something else',
    `update request_payment set paid_minor = paid_minor + 1 where amount_minor = 700`,
    { [visibilityRule]: 'is settled' },
  ],
  [
    'a payment that has settled while its money is held',
    `update request_payment set status = 'settled' where status = 'processing'`,
    { [visibilityRule]: 'its payer sees PENDING and its requester nothing', [sumsRule]: 'its payments say 600 and 0' },
  ],
  [
    'a payment that was released though its money arrived',
    `update request_payment set status = 'released' where amount_minor = 700`,
    { [visibilityRule]: 'is released, its payer sees COMPLETED and its requester COMPLETED' },
  ],
  [
    'a payment of another request',
    `update request_payment set transaction_id = gen_random_uuid() where amount_minor = 700`,
    { [visibilityRule]: 'its payer sees nothing and its requester nothing' },
  ],
  [
    'a split of which a cent is nobody’s',
    `update split set own_minor = own_minor - 1`,
    { [partsRule]: 'of 3000 EUR for 2 people has an own part of 999 and asks 2 for 2000' },
  ],
  [
    'a part of another amount',
    `update payment_request set amount_minor = amount_minor + 1
      where id = (select request_id from split_part where position = 2)`,
    { [partsRule]: 'asks 2 for 2001' },
  ],
  ['a part that is gone', `delete from split_part where position = 2`, { [partsRule]: 'asks 1 for 1000' }],
  ['a split without parts', `delete from split_part`, { [partsRule]: 'asks 0 for 0' }],
  [
    'a part in another currency',
    `update payment_request set currency = 'USD' where id = (select request_id from split_part where position = 2)`,
    { [partsRule]: 'asks 2 for 2000' },
  ],
  [
    'a split of somebody else',
    `update split set user_id = (select payer_id from payment_request where payer_id is not null limit 1)`,
    { [partsRule]: 'asks 2 for 2000' },
  ],
  [
    'a guest’s payment of another amount',
    `update request_payment set amount_minor = amount_minor + 1 where payment_id is not null and status = 'settled'`,
    { [guestRule]: 'is settled, the payment', [sumsRule]: 'its payments say 301 and 0' },
  ],
  [
    'a guest’s payment that is gone',
    `delete from request_payment where payment_id is not null`,
    { [guestRule]: 'is completed and pays no request', [sumsRule]: 'its payments say 0 and 0' },
  ],
])('%s is found', async (_, damageSql, expected) => {
  const brokenRules = await books.findBroken(damageSql)
  for (const [rule, sentence] of Object.entries(expected)) {
    expect(brokenRules, rule).toMatchObject({ [rule]: expect.stringContaining(sentence) as string })
  }
})
