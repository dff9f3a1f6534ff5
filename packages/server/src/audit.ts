// npm run audit: proves the books from the stored entries alone, while the product runs or stands.

import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { connect } from './db.ts'
import { findDatabaseUrl } from './embedded-postgres.ts'

export interface AuditCheck {
  readonly name: string
  readonly ok: boolean
  /** How much was looked at, or what is broken. */
  readonly detail: string
}

/** What users and the rest of the world hold of one currency, in minor units; the four add up to zero. */
export interface AuditSum {
  readonly currency: CurrencyCode
  readonly spendable: bigint
  readonly held: bigint
  readonly earned: bigint
  readonly outside: bigint
}

export interface AuditReport {
  readonly checks: readonly AuditCheck[]
  readonly sums: readonly AuditSum[]
}

interface Rule {
  readonly name: string
  /** A query that counts, in column `count`, what the rule was applied to. */
  readonly scope: string
  /** A query with a row, in column `subject`, for everything that breaks the rule. */
  readonly broken: string
}

// What each user's wallet accounts changed by under one reference. Money that came by card or bank on its way to another
// user is told apart: it is no change of what the user had.
const actualChanges = `
  select p.reference, split_part(a.name, ':', 2) as owner, a.currency, sum(e.amount) as change,
      coalesce(sum(e.amount) filter (where e.amount > 0 and o.kind in ('card_settlement', 'bank_settlement')), 0) as funding
    from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind = 'wallet'
    join ledger.posting p on p.id = e.posting_id
    left join ledger.entry x on x.posting_id = e.posting_id and x.leg = e.leg and x.account_id <> e.account_id
    left join ledger.account o on o.id = x.account_id
   group by p.reference, a.name, a.currency`

// What the user's row says the change was. Nothing has arrived yet of what is pending towards the user, and nothing is
// left of what failed. Of a pending send that a card or a bank account pays, only the wallet's own part has left it.
const statedChanges = `
  select t.id as reference, t.wallet_id::text as owner, s.currency, sum(s.change) as change,
      bool_or(t.kind = 'SEND' and t.status <> 'FAILED') as excludes_funding
    from transaction t
    left join payment p on p.id = t.payment_id and p.purpose = 'send' and t.kind = 'SEND' and t.status = 'PENDING'
    cross join lateral (values
      (t.source_currency, case when t.kind in ('SEND', 'WITHDRAW', 'EXCHANGE')
        then -coalesce(p.wallet_part_minor, t.source_amount) else 0 end),
      (t.fee_currency, case when t.kind in ('SEND', 'WITHDRAW', 'EXCHANGE') and p.id is null then -t.fee_amount else 0 end),
      (t.target_currency, case when t.kind in ('RECEIVE', 'DEPOSIT', 'EXCHANGE') then t.target_amount else 0 end)
    ) as s(currency, change)
   where t.status = 'COMPLETED' or (t.status = 'PENDING' and t.kind not in ('RECEIVE', 'DEPOSIT'))
   group by t.id, t.wallet_id, s.currency`

// A bank debit is shown before anything is posted, and nothing ever is when the bank does not pay.
const isAnnouncement = `p.id is null and exists (
  select from payment m
   where m.id = t.payment_id and m.user_id = t.user_id and m.method = 'bank'
     and ((t.status = 'PENDING' and m.status in ('pending', 'needs_review'))
       or (t.status = 'FAILED' and m.status not in ('pending', 'needs_review'))))`

// What each posting moved between a provider and us, as the ledger has it and as it was noted by the provider's own id.
const postedOutside = `
  select e.posting_id, a.kind, a.currency, -sum(e.amount) as amount from ledger.entry e
    join ledger.account a on a.id = e.account_id and a.kind in ('card_settlement', 'bank_settlement', 'payout_settlement')
   group by e.posting_id, a.kind, a.currency`
const notedOutside = `
  select l.posting_id, l.currency, sum(l.amount_minor) as amount,
      case when l.kind in ('payout', 'payout_return') then 'payout_settlement' when m.method = 'bank' then 'bank_settlement'
        else 'card_settlement' end as kind
    from settlement_line l left join payment m on m.id = l.reference
   group by l.posting_id, l.currency, 4`

const rules: readonly Rule[] = [
  {
    name: 'every currency sums to zero',
    scope: 'select count(distinct currency) from ledger.account',
    broken: `select currency || ' sums to ' || sum(balance) as subject
      from ledger.account group by currency having sum(balance) <> 0`,
  },
  {
    name: 'every balance is the sum of its entries',
    scope: 'select count(*) from ledger.account',
    broken: `select a.name as subject from ledger.account a
      left join (select account_id, sum(amount) as sum from ledger.entry group by account_id) e on e.account_id = a.id
      where a.balance <> coalesce(e.sum, 0)
      union all
      select 'entries of the unknown account ' || e.account_id from ledger.entry e
       where not exists (select from ledger.account a where a.id = e.account_id)`,
  },
  {
    name: 'every running balance follows from the entry before',
    scope: 'select count(*) from ledger.entry',
    broken: `select a.name || ' at entry ' || e.version as subject from (
        select account_id, version, balance, sum(amount) over (partition by account_id order by version) as running
          from ledger.entry
      ) e join ledger.account a on a.id = e.account_id where e.balance <> e.running
      union all
      select a.name || ' at its last entry' from ledger.account a
        join ledger.entry e on e.account_id = a.id and e.version = a.version where e.balance <> a.balance`,
  },
  {
    name: 'entries count 1, 2, 3 … without a gap',
    scope: 'select count(*) from ledger.account where version > 0',
    broken: `select a.name as subject from ledger.account a
      left join (select account_id, count(*) as count, min(version) as first, max(version) as last
                   from ledger.entry group by account_id) e on e.account_id = a.id
      where a.version <> coalesce(e.count, 0) or coalesce(e.last, 0) <> a.version or coalesce(e.first, 1) <> 1`,
  },
  {
    name: 'no user is below zero',
    scope: `select count(*) from ledger.account where kind in ('wallet', 'hold')`,
    broken: `select distinct a.name as subject from ledger.account a
      left join ledger.entry e on e.account_id = a.id and e.balance < 0
      where a.kind in ('wallet', 'hold') and (a.balance < 0 or a.floor is null or a.floor < 0 or e.balance is not null)`,
  },
  {
    name: 'every posting is balanced in every currency',
    scope: 'select count(*) from ledger.posting',
    broken: `select e.posting_id || ' in ' || a.currency as subject
      from ledger.entry e join ledger.account a on a.id = e.account_id
      group by e.posting_id, a.currency having sum(e.amount) <> 0
      union all
      select p.id || ' has no entries' from ledger.posting p
       where p.refusal is null and not exists (select from ledger.entry e where e.posting_id = p.id)
      union all
      select distinct e.posting_id || ' has entries without being posted' from ledger.entry e
       where not exists (select from ledger.posting p where p.id = e.posting_id)`,
  },
  {
    name: 'everything held belongs to a pending transaction',
    scope: `select count(*) from ledger.account where kind = 'hold' and balance <> 0`,
    broken: `select a.name || ' holds ' || sum(e.amount) || ' for ' || p.reference as subject
      from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind = 'hold'
      join ledger.posting p on p.id = e.posting_id
      group by a.name, p.reference
      having sum(e.amount) < 0 or (sum(e.amount) > 0 and not exists (
        select from transaction t
         where t.id = p.reference and t.status = 'PENDING' and t.wallet_id::text = split_part(a.name, ':', 2)))`,
  },
  {
    name: 'every transaction row has its posting',
    scope: 'select count(*) from transaction',
    broken: `select t.id || ' of user ' || t.user_id as subject from transaction t
      left join ledger.posting p on p.id = t.posting_id
      where p.reference is distinct from t.id and not (${isAnnouncement})`,
  },
  {
    name: 'rows and entries tell the same story',
    scope: `select count(*) from (${actualChanges}) c`,
    broken: `select coalesce(actual.reference, stated.reference) || ' moved ' || coalesce(actual.change, 0) || ' '
        || coalesce(actual.currency, stated.currency) || ', its row says ' || coalesce(stated.change::text, 'nothing') as subject
      from (${actualChanges}) actual
      full join (${statedChanges}) stated using (reference, owner, currency)
      where coalesce(actual.change, 0) - case when stated.excludes_funding then coalesce(actual.funding, 0) else 0 end
        <> coalesce(stated.change, 0)`,
  },
  {
    name: 'every posting of a user is in their list',
    scope: `select count(distinct (e.posting_id, split_part(a.name, ':', 2))) from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold')`,
    broken: `select distinct p.reference || ' of wallet ' || split_part(a.name, ':', 2) as subject from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold')
      join ledger.posting p on p.id = e.posting_id
      where not exists (select from transaction t where t.id = p.reference and t.wallet_id::text = split_part(a.name, ':', 2))`,
  },
  {
    name: 'what moved between us and a provider is noted by its id',
    scope: 'select count(*) from settlement_line',
    broken: `select posting_id || ' moved ' || coalesce(posted.amount, 0) || ' ' || currency || ' by ' || kind || ', noted is '
        || coalesce(noted.amount::text, 'nothing') as subject
      from (${postedOutside}) posted
      full join (${notedOutside}) noted using (posting_id, kind, currency)
      where coalesce(posted.amount, 0) <> coalesce(noted.amount, 0)`,
  },
  {
    name: 'history is guarded by the database',
    scope: `select count(*) from pg_trigger g join pg_class c on c.oid = g.tgrelid
      where c.relnamespace = 'ledger'::regnamespace and not g.tgisinternal`,
    broken: `select asked.trigger || ' on ledger.' || asked.relation as subject from (values
        ('posting', 'history_is_kept'), ('posting', 'posting_function_writes'), ('entry', 'history_is_kept'),
        ('entry', 'posting_function_writes'), ('account', 'history_is_kept'), ('account', 'posting_function_writes'),
        ('account', 'opens_empty')) as asked(relation, trigger)
      where not exists (select from pg_trigger g join pg_class c on c.oid = g.tgrelid
        where c.relnamespace = 'ledger'::regnamespace and c.relname = asked.relation and g.tgname = asked.trigger
          and g.tgenabled in ('O', 'A'))`,
  },
]

const shownFaults = 3

/** Looks at one moment of the database, whatever is being written meanwhile. */
export async function audit(pool: pg.Pool): Promise<AuditReport> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(`set local work_mem = '64MB'`)
    const checks: AuditCheck[] = []
    for (const rule of rules) checks.push(await check(client, rule))
    const sums = await sumUp(client)
    await client.query('commit')
    return { checks, sums }
  } finally {
    // A connection whose transaction failed is not given back for others to use.
    client.release(true)
  }
}

async function check(client: pg.PoolClient, { name, scope, broken }: Rule): Promise<AuditCheck> {
  const faults = await client.query<{ subject: string; total: bigint }>(
    `select subject, count(*) over () as total from (${broken}) faults order by subject limit ${shownFaults}`,
  )
  const total = faults.rows[0]?.total
  if (total !== undefined) {
    const shown = faults.rows.map((row) => row.subject).join('; ')
    return { name, ok: false, detail: `${total} broken: ${shown}${total > shownFaults ? '; …' : ''}` }
  }
  const { rows } = await client.query<{ count: bigint }>(scope)
  return { name, ok: true, detail: `${rows[0]?.count ?? 0n} checked` }
}

async function sumUp(client: pg.PoolClient): Promise<AuditSum[]> {
  const { rows } = await client.query<AuditSum>(
    `select currency,
        coalesce(sum(balance) filter (where kind = 'wallet'), 0) as spendable,
        coalesce(sum(balance) filter (where kind = 'hold'), 0) as held,
        coalesce(sum(balance) filter (where kind in ('fee', 'rounding')), 0) as earned,
        coalesce(sum(balance) filter (where kind not in ('wallet', 'hold', 'fee', 'rounding')), 0) as outside
       from ledger.account group by currency having count(*) filter (where version > 0) > 0`,
  )
  const place = new Map(currencyCodes.map((code, index) => [code, index]))
  return rows.toSorted((a, b) => (place.get(a.currency) ?? 0) - (place.get(b.currency) ?? 0))
}

/** The report as text for a terminal. */
export function formatReport({ checks, sums }: AuditReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, ok, detail }) => `${ok ? 'ok    ' : 'BROKEN'}  ${name.padEnd(width)}  ${detail}`)
  const columns = ['spendable', 'held', 'earned', 'outside'] as const
  const table = [
    ['', ...columns],
    ...sums.map((sum) => [sum.currency, ...columns.map((column) => toDecimal(money(sum.currency, sum[column])))]),
  ]
  const widths = table[0]?.map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0))) ?? []
  const sheet = table.map((row) => row.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('  '))
  return [...lines, '', ...sheet].join('\n')
}

/** Audits the database of DATABASE_URL, or else the one running over DATA_DIR. Gives the exit code. */
async function main(): Promise<number> {
  const dataDir = process.env.DATA_DIR ?? '.data'
  const url = process.env.DATABASE_URL ?? findDatabaseUrl(dataDir)
  if (url === undefined) {
    console.error(`No database is running over ${dataDir}. Start the product first, or set DATABASE_URL.`)
    return 2
  }
  const pool = connect(url, 1)
  try {
    const report = await audit(pool)
    console.log(formatReport(report))
    return report.checks.every(({ ok }) => ok) ? 0 : 1
  } finally {
    await pool.end()
  }
}

if (import.meta.main) process.exitCode = await main()
