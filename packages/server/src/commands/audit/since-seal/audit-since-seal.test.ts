import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { sendMoney } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import type { TestPerson } from '@tern/testkit/app'
import { createTestBooks } from '@tern/testkit/books/books'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { appendDaySeal } from '../../../features/transparency/day-seals/append-day-seal.ts'
import { applyRules } from '../apply-rules.ts'
import { auditSinceSeal, checkSeals, run } from '../audit.ts'
import { rules } from '../rules.ts'
import { applyRulesSince, findStartSeal } from './audit-since-seal.ts'

// A product whose last day is sealed and audited, with movements before and after. Each test damages it with the rights
// of the tables' owner.

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { transparency, pool } = world.app.product
const day = '2026-01-01'
let client: pg.Client

async function send(from: TestPerson, to: TestPerson, count: number): Promise<void> {
  const body = { recipient_id: to.id, amount: '1.00', source_currency: 'USD', description: 'Rent' } as const
  await Promise.all(Array.from({ length: count }, () => from.call(sendMoney, { body, idempotencyKey: randomUUID() })))
}

/** Spends a card deposit, and charges it back. */
async function causeLoss(): Promise<void> {
  const emil = await world.enroll('emil', 'United States')
  await world.fund(emil, 6_000)
  const { quote_id: quoteId } = await emil.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'ETH', amount: '40.00', side: 'source' },
  })
  await emil.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
  const { rows } = await world.database.pool.query<{ id: string }>('select id from payment where user_id = $1', [
    emil.id,
  ])
  await createTestBooks(world).write({
    kind: 'chargeback',
    amount: money('USD', 6_000n),
    reference: rows[0]?.id ?? '',
  })
}

/** Appends until the log contains every committed posting. Older transactions of other tests may delay it. */
const catchUp = () =>
  vi.waitFor(
    async () => {
      await transparency.append(pool)
      const { rows } = await pool.query<{ is_whole: boolean }>(
        `select position::text::bigint > (select max(xid) from ledger.posting) as is_whole from transparency_position`,
      )
      expect(rows[0]?.is_whole).toBe(true)
    },
    { timeout: 300_000, interval: 100 },
  )

beforeAll(async () => {
  await raiseLimits(world.database.pool)
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1_000_000)
  await send(alice, bruno, 60)
  await causeLoss()
  await catchUp()
  expect(await appendDaySeal(pool, { day, until: new Date() })).toBe(true)
  await transparency.append(pool)
  await pool.query(
    'insert into audit_run (id, finished_at, checks, broken, started_at) values ($1, now(), 90, 0, now())',
    [randomUUID()],
  )
  await send(alice, bruno, 40)
  await catchUp()
  client = new pg.Client({ connectionString: world.database.url })
  await client.connect()
})
afterAll(() => client.end())

/** Applies the rules to damaged books, then undoes the damage; returns broken rules with their faults. */
async function findBroken(damage: string, kind: 'since seal' | 'full'): Promise<Record<string, string>> {
  await client.query('begin isolation level repeatable read')
  try {
    await client.query(`set local session_replication_role = replica; ${damage}`)
    const seal = kind === 'full' ? undefined : await findStartSeal(client)
    const checks = [
      ...(seal ? await applyRulesSince(client, { seal, rules }) : await applyRules(client, rules)),
      await checkSeals(client, seal?.day),
    ]
    return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]))
  } finally {
    await client.query('rollback')
    await client.query('reset all')
  }
}

const [inLogRule, signedRule, throughRule, rowsRule, countRule, commitRule, balanceRule] = [
  'day seals are entries of the log',
  'day seals are in the signed log',
  'balances passed through those that were sealed',
  'rows that were sealed are still there',
  'entries count on from the sealed ones without a gap',
  'leaves of the log commit to the stored postings',
  'every balance is the sealed one and the entries since',
]

test('books that grew since their seal have no fault, and only what is new is read', async () => {
  const report = await auditSinceSeal(pool)
  expect(report?.checks.filter(({ ok }) => !ok)).toEqual([])
  expect(report?.since).toBe(day)
  const counts = Object.fromEntries(report?.checks.map(({ name, detail }) => [name, detail]) ?? [])
  expect(counts['entries carry the time of their posting']).toBe('320 checked')
  expect(counts[signedRule]).toBe('1 checked')
  expect(await findBroken('select', 'full')).toEqual({})
})

const leafSql = `(select leaf_index from day_seal)`
const oldSql = `(select posting_id from transparency_leaf where leaf_index = 40)`
const newSql = `(select posting_id from transparency_leaf where leaf_index = ${leafSql} + 20)`

/** Erases a send with all its rows, and renumbers the entries after it. */
const eraseSql = (posting: string) => `
  create temp table gone on commit drop as
    select e.*, p.reference from ledger.entry e join ledger.posting p on p.id = e.posting_id where p.id = ${posting};
  delete from transaction where id in (select reference from gone);
  delete from ledger.entry where posting_id in (select posting_id from gone);
  update ledger.entry e set version = -(e.version - 1), balance = e.balance - g.amount from gone g
   where g.account_id = e.account_id and e.version > g.version;
  update ledger.entry set version = -version where version < 0;
  update ledger.account a set version = a.version - g.count, balance = a.balance - g.amount
    from (select account_id, count(*) as count, sum(amount) as amount from gone group by 1) g where g.account_id = a.id;
  delete from ledger.posting where id in (select posting_id from gone)`

const redigestSql = `update day_seal set content = (content::jsonb || '{"version": 2}')::text`
const releafSql = `update transparency_leaf l set data = '\\x02'::bytea || convert_to(to_char(s.day, 'YYYY-MM-DD'), 'UTF8')
  || sha256(convert_to(s.content, 'UTF8')) from day_seal s where s.leaf_index = l.leaf_index`

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  [
    'a send erased from before the seal, with renumbered versions',
    eraseSql(oldSql),
    { [throughRule]: 'its entry says', [rowsRule]: 'postings: ', [balanceRule]: 'broken' },
  ],
  ['a send erased from after the seal, with renumbered versions', eraseSql(newSql), { [commitRule]: 'leaf ' }],
  [
    'entries from before the seal that were renumbered',
    `update ledger.entry set version = version + 1000000 where posting_id = ${oldSql}`,
    { [countRule]: 'broken' },
  ],
  [
    'entries from after the seal that were renumbered',
    `update ledger.entry set version = version + 1000000 where posting_id = ${newSql}`,
    { [countRule]: 'broken', [commitRule]: 'differs from posting' },
  ],
  [
    'all tables of the risk rules wiped',
    'delete from risk_decision; delete from risk_payee_day; delete from risk_profile',
    { [rowsRule]: 'risk decisions: 0 of' },
  ],
  ['profiles of the risk rules removed', 'delete from risk_profile', { [rowsRule]: 'risk_profile: 0 of' }],
  [
    'a loss deleted with its seal',
    `delete from row_seal where relation = 'reconciliation_exception'; delete from reconciliation_exception`,
    { [rowsRule]: 'losses: 0 of 1 sealed are stored' },
  ],
  [
    'a loss replaced by a smaller one, with the seal of its row',
    `update reconciliation_exception set amount_minor = amount_minor - 1`,
    { [rowsRule]: 'losses: 1 of 1 sealed are stored, with other facts' },
  ],
  ['a deleted seal', 'delete from day_seal', { [inLogRule]: 'seals a day whose seal is gone' }],
  [
    'a seal deleted with its leaf',
    `delete from transparency_leaf where leaf_index = ${leafSql}; delete from day_seal`,
    { 'leaves of the log have no gaps': 'leaves up to', 'tiles of the log agree with its leaves': 'tile 0/0' },
  ],
  [
    'a sealed balance that was altered',
    `update day_seal_account set balance = balance + 1 where version > 5`,
    { [inLogRule]: `the balances sealed on ${day} differ from the seal`, [throughRule]: 'its entry says' },
  ],
  ['a seal that was rewritten', redigestSql, { [inLogRule]: 'differs from leaf', [signedRule]: day }],
  [
    'a seal that was rewritten with its leaf',
    `${redigestSql}; ${releafSql}`,
    {
      [signedRule]: `the seal of ${day} is not in the signed log`,
      'tiles of the log agree with its leaves': 'tile 0/0',
    },
  ],
  [
    'a checkpoint with another signature',
    `update transparency_checkpoint set note = left(note, -10) || case when right(note, 10) like 'A%' then 'B' else 'A' end || right(note, 9)`,
    { [signedRule]: 'the last checkpoint is not signed with the key of the log' },
  ],
  [
    'a posting inserted into the past',
    `insert into ledger.posting (id, request_hash, kind, reference, created_at, xid)
      select gen_random_uuid(), '', 'send', gen_random_uuid(), min(created_at), 3 from ledger.posting`,
    { [rowsRule]: 'postings: ' },
  ],
  [
    'a posting inserted into the past whose entries were put before the sealed ones',
    `insert into ledger.posting (id, request_hash, kind, reference, created_at, xid)
      select '00000000-0000-4000-8000-000000000000', '', 'send', gen_random_uuid(), min(created_at), 3 from ledger.posting;
     update ledger.entry set version = -version - 1 where account_id in (select account_id from ledger.entry where posting_id = ${oldSql} and leg = 0);
     update ledger.entry set version = -version where version < 0;
     insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select account_id, 1, '00000000-0000-4000-8000-000000000000', 0, amount, amount, created_at
        from ledger.entry where posting_id = ${oldSql} and leg = 0`,
    { [rowsRule]: 'postings: ', [throughRule]: 'entries, and' },
  ],
])('%s is named by the audit since a seal, and by the full one', async (_, damage, expected) => {
  const broken = await findBroken(damage, 'since seal')
  for (const [rule, fault] of Object.entries(expected)) {
    expect(broken, rule).toMatchObject({ [rule]: expect.stringContaining(fault) })
  }
  expect(await findBroken(damage, 'full')).not.toEqual({})
})

test('an old entry that was altered in place is named by the full audit alone', async () => {
  const damage = `update ledger.entry set leg = leg + 7 where posting_id = ${oldSql}`
  expect(await findBroken(damage, 'since seal')).toEqual({})
  expect(await findBroken(damage, 'full')).toMatchObject({
    [commitRule]: expect.stringContaining('leaf 40 differs from posting'),
  })
})

test('a seal of another cluster, or from after the last audit without a fault, is no start', async () => {
  for (const change of [
    `update day_seal set content = jsonb_set(content::jsonb, '{cluster}', '"1"')::text`,
    'update audit_run set broken = 1',
    `update audit_run set started_at = started_at - interval '1 day'`,
    'delete from day_seal_account',
  ]) {
    await client.query('begin')
    await client.query(`set local session_replication_role = replica; ${change}`)
    expect(await findStartSeal(client), change).toBeUndefined()
    await client.query('rollback')
  }
})

test('a long audit that ends after shorter ones does not move the start back', async () => {
  await client.query('begin')
  await client.query(
    `insert into audit_run (id, finished_at, checks, broken, started_at)
      values (gen_random_uuid(), now() + interval '1 hour', 90, 0, now() - interval '2 days')`,
  )
  expect((await findStartSeal(client))?.day).toBe(day)
  await client.query('rollback')
})

test('the command names its start, records it, and reads everything without a seal to start from', async () => {
  const output: string[] = []
  const terminal = {
    environment: { DATABASE_URL: world.database.applicationUrl, TERN_SECRET: world.secret },
    print: (text: string) => void output.push(text),
    warn: (text: string) => void output.push(text),
  }
  expect(await run(terminal, ['--since-seal'])).toBe(0)
  expect(output.join('\n')).toContain(`What is new since the seal of ${day}:`)
  const { rows } = await pool.query<{ since: string }>(
    'select since::text from audit_run order by finished_at desc limit 1',
  )
  expect(rows[0]?.since).toBe(day)
  await world.database.pool.query('delete from audit_run')
  expect(await run(terminal, ['--since-seal'])).toBe(0)
  expect(output.join('\n')).toContain('so this audit reads everything')
})
