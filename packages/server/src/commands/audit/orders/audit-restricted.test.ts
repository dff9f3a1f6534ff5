import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test inserts one lot of restricted money, a valid one in the first test only; the audit must find the others.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks()
})
afterAll(() => books.drop())

const [sumRule, placeRule, originRule] = [
  'no more of an account is restricted than is in it',
  'restricted money lies in a wallet, or on hold for a pending transaction, of its owner',
  'restricted money came with a payment, or with a dispute’s credit',
]

interface RestrictedLot {
  readonly minor?: string
  readonly owner?: string
  readonly hold?: string
  readonly kind?: string
  readonly origin?: string
}

/** Inserts one lot, by default a valid lot of one cent of a person who has paid by card. */
const buildLotSql = ({
  minor = '1',
  owner = 'w.user_id',
  hold = 'null',
  kind = 'wallet',
  origin: from = 'p.id',
}: RestrictedLot) => `
  insert into restricted_money (account_id, hold_reference, user_id, currency, minor, reason, origin, matures_at, created_at)
  select a.id, ${hold}::uuid, ${owner}, a.currency, ${minor}, 'card', ${from}, now() + interval '7 days', now()
    from payment p join wallet w on w.user_id = p.user_id
    join ledger.account a on a.name = '${kind}:' || w.id || ':' || w.base_currency
   where p.method = 'card' and p.status = 'completed' and a.balance > 0 order by p.id, a.id limit 1`

test('a correct lot is no fault', async () => {
  const brokenRules = await books.findBroken(buildLotSql({}))
  for (const rule of [sumRule, placeRule, originRule]) expect(brokenRules).not.toHaveProperty([rule])
})

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  ['more than is in the account', buildLotSql({ minor: 'a.balance + 1' }), { [sumRule]: 'are restricted' }],
  [
    'the account of somebody else',
    buildLotSql({ owner: '(select min(u.id) from app_user u where u.id <> w.user_id)' }),
    { [placeRule]: 'lies in wallet:' },
  ],
  ['a hold for nothing', buildLotSql({ kind: 'hold', hold: 'gen_random_uuid()' }), { [placeRule]: 'lies in hold:' }],
  ['a hold that names no transaction', buildLotSql({ kind: 'hold' }), { [placeRule]: 'lies in hold:' }],
  ['no payment', buildLotSql({ origin: 'gen_random_uuid()' }), { [originRule]: 'has no origin' }],
])('restricted money of %s is found', async (_, damageSql, expected) => {
  const brokenRules = await books.findBroken(damageSql)
  for (const [rule, sentence] of Object.entries(expected)) {
    expect(brokenRules, rule).toMatchObject({ [rule]: expect.stringContaining(sentence) as string })
  }
})
