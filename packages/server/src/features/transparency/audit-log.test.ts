import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import { beforeAll, expect, test, vi } from 'vitest'
import { rules } from '../../commands/audit/rules.ts'
import { auditRules } from './audit-rules.ts'

// Each test damages the books or the log with the rights of the tables' owner.

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { transparency, pool } = world.app.product

beforeAll(async () => {
  await raiseLimits(world.database.pool)
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1_000_000)
  const body = { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD', description: 'Rent' } as const
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => alice.call(sendMoney, { body, idempotencyKey: randomUUID() })))
  }
  await vi.waitFor(
    async () => {
      await transparency.append(pool)
      const { rows } = await pool.query<{ isWhole: boolean }>(
        `select size = (select count(*) from ledger.posting where refusal is null) as "isWhole" from transparency_position`,
      )
      expect(rows[0]?.isWhole).toBe(true)
    },
    { timeout: 300_000, interval: 100 },
  )
})

const findBroken = (damage: string, applied = auditRules) =>
  findBrokenRules(world.database.url, applied, `set local session_replication_role = replica; ${damage}`)

const [commitRule, wholeRule, gapRule, tileRule, rootRule] = [
  'leaves of the log commit to the stored postings',
  'every posting is in the log',
  'leaves of the log have no gaps',
  'tiles of the log agree with its leaves',
  'the last checkpoint of the log has its root',
]
const sendSql = `(select posting_id from transparency_leaf where leaf_index = 40)`

test('books and log of a running product have no fault', async () => {
  expect(await findBroken('select', rules)).toEqual({})
})

test('a send that is erased with all its rows and renumbered versions is found by the log alone', async () => {
  const erase = `
    create temp table gone as select e.*, p.reference from ledger.entry e join ledger.posting p on p.id = e.posting_id where p.id = ${sendSql};
    delete from transaction where id in (select reference from gone);
    delete from ledger.entry where posting_id in (select posting_id from gone);
    delete from ledger.token where posting_id in (select posting_id from gone);
    update ledger.entry e set version = -(e.version - 1), balance = e.balance - g.amount from gone g where g.account_id = e.account_id and e.version > g.version;
    update ledger.entry set version = -version where version < 0;
    update ledger.account a set version = a.version - g.count, balance = a.balance - g.amount
      from (select account_id, count(*) as count, sum(amount) as amount from gone group by 1) g where g.account_id = a.id;
    delete from ledger.posting where id in (select posting_id from gone)`
  const broken = await findBroken(erase)
  expect(Object.keys(broken)).toEqual([commitRule])
  expect(broken[commitRule]).toContain('differs from posting')
})

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  ['a posting that is gone', `delete from ledger.posting where id = ${sendSql}`, { [commitRule]: 'which is gone' }],
  [
    'a changed amount',
    `update ledger.entry set amount = amount + 1 where posting_id = ${sendSql} and leg = 0`,
    { [commitRule]: 'leaf 40 differs from posting' },
  ],
  [
    'a changed balance',
    `update ledger.entry set balance = balance + 1 where posting_id = ${sendSql} and leg = 0 and amount < 0`,
    { [commitRule]: 'leaf 40 differs from posting' },
  ],
  [
    'renumbered versions',
    `update ledger.entry set version = version + 1000000 where posting_id = ${sendSql}`,
    { [commitRule]: 'leaf 40 differs from posting' },
  ],
  [
    'a changed time',
    `update ledger.posting set created_at = created_at + interval '1 microsecond' where id = ${sendSql}`,
    { [commitRule]: 'leaf 40 differs from posting' },
  ],
  [
    'an entry more',
    `insert into ledger.entry select account_id, version + 5000000, posting_id, leg, amount, balance, created_at
       from ledger.entry where posting_id = ${sendSql} limit 1`,
    {
      [commitRule]: 'leaf 40 differs from posting',
      'balances passed through those that were sealed': 'entries, and',
    },
  ],
  [
    'a posting that was kept out of the log',
    `insert into ledger.posting (id, request_hash, kind, reference, created_at, xid)
       select gen_random_uuid(), '', 'send', gen_random_uuid(), now(), 3`,
    { [wholeRule]: 'is not in the log' },
  ],
  [
    'a leaf that is gone',
    'delete from transparency_leaf where leaf_index = 40',
    { [wholeRule]: 'is not in the log', [gapRule]: 'leaves up to', [tileRule]: 'tile 0/0' },
  ],
  [
    'a leaf with another commitment and salt',
    `update transparency_leaf set ledger_salt = sha256('') where leaf_index = 40`,
    { [commitRule]: 'leaf 40 differs' },
  ],
  [
    'a view commitment that was exchanged',
    `update transparency_leaf set data = set_byte(data, 40, 255 - get_byte(data, 40)) where leaf_index = 40`,
    { [tileRule]: 'tile 0/0 differs' },
  ],
  [
    'a changed tile',
    `update transparency_tile set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))`,
    { [tileRule]: 'tile 0/0 differs' },
  ],
  [
    'a changed edge',
    `update transparency_edge set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0)) where level = 1`,
    { [tileRule]: 'tile 1/0 differs', [rootRule]: 'another root' },
  ],
  [
    'a checkpoint over another root',
    `update transparency_checkpoint set root = sha256('') where size = (select size from transparency_position)`,
    { [rootRule]: 'another root' },
  ],
  [
    'a checkpoint of a longer log',
    `insert into transparency_checkpoint select size + 1, root, note, signed_at from transparency_checkpoint
       order by size desc limit 1`,
    { [rootRule]: 'leaves, and a checkpoint of' },
  ],
])('%s is named', async (_, damage, expected) => {
  const broken = await findBroken(damage)
  expect(Object.keys(broken).toSorted()).toEqual(Object.keys(expected).toSorted())
  for (const [rule, text] of Object.entries(expected)) expect(broken[rule]).toContain(text)
})
