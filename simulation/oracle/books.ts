// Reads the stored books of product and provider, without interpreting them.

import type { ReportLine } from '@tern/providers/report/port'
import type { Db } from '../../packages/server/src/platform/database/db.ts'

export interface StoredTransaction {
  readonly user_id: bigint
  readonly id: string
  readonly posting_id: string
  readonly kind: 'DEPOSIT' | 'WITHDRAW' | 'SEND' | 'RECEIVE' | 'EXCHANGE'
  readonly status: string
  readonly source_amount: bigint
  readonly source_currency: string
  readonly target_amount: bigint
  readonly target_currency: string
  readonly fee_amount: bigint
  readonly fee_currency: string
  readonly payment_id: string | null
}

export interface StoredPayment {
  readonly id: string
  readonly user_id: bigint
  readonly idempotency_key: string
  readonly status: string
  readonly transaction_id: string
  /** UTC day on which it began. */
  readonly day: string
  /** Part of a reversal that the wallet did not cover, in minor units of the payer's wallet currency. */
  readonly loss: bigint
}

export interface Books {
  readonly transactions: readonly StoredTransaction[]
  readonly payments: ReadonlyMap<string, StoredPayment>
  readonly payouts: ReadonlyMap<string, StoredPayment>
  /** Keyed by user and currency, as `1234567890 USD`. */
  readonly balances: ReadonlyMap<string, bigint>
  /**
   * US cents counted against limits, keyed by user, UTC day and method, as `1234567890 2026-03-01 card`; `out` is the
   * total of all outgoing movements.
   */
  readonly usage: ReadonlyMap<string, bigint>
  /** Number of movements counted, with the same keys. */
  readonly countedMovements: ReadonlyMap<string, bigint>
  /** UTC day of each posting, by posting id. */
  readonly days: ReadonlyMap<string, string>
  /** Transaction ids of held transfers that were released to their senders. */
  readonly releasedIds: ReadonlySet<string>
  /** Provider's books, by payment or payout. */
  readonly lines: ReadonlyMap<string, readonly ReportLine[]>
}

/** Reads all books. `lines` is the provider's full report. */
export async function readBooks(db: Db, lines: readonly ReportLine[]): Promise<Books> {
  const transactions = await db.query<StoredTransaction>(
    `select user_id, id, posting_id, kind, status, source_amount, source_currency, target_amount, target_currency,
        fee_amount, fee_currency, payment_id
       from transaction`,
  )
  const payments = await db.query<StoredPayment>(
    `select p.id, p.user_id, p.idempotency_key, p.status, p.transaction_id, coalesce(-l.lost, 0) as loss,
        (p.created_at at time zone 'UTC')::date as day
       from payment p
       left join (
         select line.reference, sum(e.amount) as lost from settlement_line line
           join ledger.entry e on e.posting_id = line.posting_id
           join ledger.account a on a.id = e.account_id and a.kind = 'loss'
          group by line.reference
       ) l on l.reference = p.id`,
  )
  const payouts = await db.query<StoredPayment>(
    `select id, user_id, idempotency_key, status, transaction_id, 0::numeric as loss,
        (created_at at time zone 'UTC')::date as day
       from payout`,
  )
  const balances = await db.query<{ key: string; balance: bigint }>(
    `select w.user_id || ' ' || a.currency as key, a.balance
       from ledger.account a join wallet w on w.id::text = split_part(a.name, ':', 2) where a.kind = 'wallet'`,
  )
  const usage = await db.query<{ key: string; usd_minor: bigint; movements: bigint }>(
    `select user_id || ' ' || day || ' out' as key, usd_minor, movements::bigint from limit_usage
     union all select user_id || ' ' || day || ' ' || method, usd_minor, movements from limit_usage_by_method`,
  )
  const days = await db.query<{ id: string; day: string }>(
    `select id, (created_at at time zone 'UTC')::date as day from ledger.posting`,
  )
  const released = await db.query<{ id: string }>(`select id from transfer where state = 'released'`)
  return {
    transactions: transactions.rows,
    payments: new Map(payments.rows.map((row) => [row.id, row])),
    payouts: new Map(payouts.rows.map((row) => [row.id, row])),
    balances: new Map(balances.rows.map(({ key, balance }) => [key, balance])),
    usage: new Map(usage.rows.map(({ key, usd_minor: usd }) => [key, usd])),
    countedMovements: new Map(usage.rows.map(({ key, movements }) => [key, movements])),
    days: new Map(days.rows.map(({ id, day }) => [id, day])),
    releasedIds: new Set(released.rows.map(({ id }) => id)),
    lines: Map.groupBy(lines, ({ reference }) => reference ?? ''),
  }
}
