// Conventional implementation of the same movements, for comparison: one transaction each, ordered account locks, few
// statements. Its tables are copies of the ledger's without triggers and foreign keys.

import type { Leg } from '@tern/ledger/movement'
import type pg from 'pg'
import type { MoveRequest, NewTransaction } from '../../packages/server/src/features/wallets/move.ts'
import { transact, type Tx } from '../../packages/server/src/platform/database/db.ts'

export async function prepareOneByOne(pool: pg.Pool): Promise<void> {
  await pool.query(`
    drop schema if exists one_by_one cascade;
    create schema one_by_one;
    create table one_by_one.account (like ledger.account including all) with (fillfactor = 50);
    create table one_by_one.posting (like ledger.posting including all);
    create table one_by_one.entry (like ledger.entry including all);
    create table one_by_one.transaction (like transaction including all);
    create table one_by_one.limit_usage (like limit_usage including all) with (fillfactor = 50);
    insert into one_by_one.account (id, name, kind, currency, floor, balance, version) overriding system value
      select id, name, kind, currency, floor, balance, version from ledger.account`)
  await pool.query('vacuum analyze one_by_one.account')
}

export const moveOneByOne = (pool: pg.Pool, request: MoveRequest): Promise<void> =>
  transact(pool, async (tx) => {
    await countUsage(tx, request)
    await postLegs(tx, request)
    for (const row of request.rows) await insertRow(tx, request, row)
    await tx.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: ['tern_user', listUsers(request)] })
  })

const dayLimitUsdMinor = 1_500_000n

const listUsers = (request: MoveRequest): string => request.rows.map(({ userId }) => userId).join(',')

async function countUsage(tx: Tx, { usage }: MoveRequest): Promise<void> {
  if (!usage) return
  const { rows } = await tx.query<{ usd_minor: bigint }>({
    name: 'usage',
    text: `insert into one_by_one.limit_usage as u (user_id, day, usd_minor) values ($1, $2, $3)
      on conflict (user_id, day) do update set usd_minor = u.usd_minor + excluded.usd_minor returning usd_minor`,
    values: [usage.userId, usage.day, usage.usdMinor],
  })
  const sum = rows[0]?.usd_minor ?? 0n
  if (sum > dayLimitUsdMinor) throw new Error('limit exceeded')
}

interface AccountState {
  id: bigint
  floor: bigint | null
  balance: bigint
  version: bigint
}

async function postLegs(tx: Tx, { movement }: MoveRequest): Promise<void> {
  const { rows } = await tx.query<AccountState>({
    name: 'lock',
    text: `select id, floor, balance, version from one_by_one.account
            where id = any($1::bigint[]) order by id for no key update`,
    values: [[...new Set(movement.legs.flatMap(({ from, to }) => [from, to]))]],
  })
  await tx.query({
    name: 'posting',
    text: `insert into one_by_one.posting (id, request_hash, kind, reference, created_at) values ($1, $2, $3, $4, $5)`,
    values: [movement.id, movement.requestHash, movement.kind, movement.reference, movement.at],
  })
  const accounts = new Map(rows.map((row) => [row.id, row]))
  const entries = movement.legs.flatMap((leg, index) => apply(accounts, leg, index))
  await tx.query({
    name: 'entries',
    text: `insert into one_by_one.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select account, version, $1, leg, amount, balance, $7
        from unnest($2::bigint[], $3::bigint[], $4::int[], $5::numeric[], $6::numeric[]) as e(account, version, leg, amount, balance)`,
    values: [
      movement.id,
      entries.map((entry) => entry.account),
      entries.map((entry) => entry.version),
      entries.map((entry) => entry.leg),
      entries.map((entry) => entry.amount),
      entries.map((entry) => entry.balance),
      movement.at,
    ],
  })
  await tx.query({
    name: 'balances',
    text: `update one_by_one.account a set balance = n.balance, version = n.version
      from unnest($1::bigint[], $2::numeric[], $3::bigint[]) as n(id, balance, version) where a.id = n.id`,
    values: [rows.map(({ id }) => id), rows.map(({ balance }) => balance), rows.map(({ version }) => version)],
  })
}

function apply(accounts: Map<bigint, AccountState>, { from, to, amount }: Leg, leg: number) {
  return [
    { account: accounts.get(from), amount: -amount },
    { account: accounts.get(to), amount },
  ].map(({ account, amount }) => {
    if (!account) throw new Error('unknown account')
    account.balance += amount
    account.version += 1n
    if (account.floor !== null && account.balance < account.floor) throw new Error('insufficient funds')
    return { account: account.id, version: account.version, leg, amount, balance: account.balance }
  })
}

async function insertRow(tx: Tx, { movement }: MoveRequest, row: NewTransaction): Promise<void> {
  await tx.query({
    name: 'row',
    text: `insert into one_by_one.transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id,
        wallet_id, from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_amount,
        target_currency, stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
    values: [
      row.userId,
      movement.reference,
      movement.id,
      row.kind,
      row.status,
      movement.at,
      row.senderId,
      row.recipientId,
      row.walletId,
      row.fromWalletId,
      row.toWalletId,
      row.description,
      row.source.minor,
      row.source.currency,
      row.target.minor,
      row.target.currency,
      row.stablecoinAmount,
      row.rate?.numerator,
      row.rate?.denominator,
      row.fee.minor,
      row.fee.currency,
      row.paymentSource,
    ],
  })
}
