import { onlyRow, type Tx } from '../../../platform/database/db.ts'
import {
  findNextRange,
  lockPosition,
  type NumberRange,
  storePosition,
} from '../../../platform/database/followed-changes.ts'

const rowsPerStep = 500

interface MovedParty {
  readonly userId: bigint
  readonly username: string
  readonly account: string
}

/** Completed send, or withdrawal that was paid out to a bank. */
export interface MovedTransfer {
  readonly id: string
  readonly kind: 'send' | 'payout'
  readonly currency: string
  readonly minor: bigint
  readonly movedAt: Date
  readonly originator: MovedParty
  readonly beneficiary: MovedParty
}

/** Range of database transactions or, after a restore into another cluster, all since a time. */
export type BatchStep = { readonly hasMore: boolean } & (NumberRange | { readonly since: Date })

/**
 * Returns the next step after the stored position, and stores its end in the caller's transaction, which must also
 * store the results. Undefined if there is no step, or another process is running one.
 */
export async function findNextStep(
  tx: Tx,
  table: 'travel_rule_position' | 'monitoring_position',
  at: Date,
): Promise<BatchStep | undefined> {
  const found = await lockPosition(tx, table)
  if (!found) return undefined
  if (!found.isHere) {
    const { rows } = await tx.query<{ at: Date }>(`select at from ${table}`)
    await advancePosition(tx, table, { position: found.horizon, at })
    return { since: new Date(onlyRow(rows).at.getTime() - 86_400_000), hasMore: true }
  }
  const range = await findNextRange(tx, found, { table: 'transaction', atMost: rowsPerStep })
  if (!range) return undefined
  await advancePosition(tx, table, { position: range.end, at })
  return { ...range, hasMore: true }
}

async function advancePosition(
  tx: Tx,
  table: string,
  { position, at }: { readonly position: string; readonly at: Date },
) {
  await storePosition(tx, table, position)
  await tx.query(`update ${table} set at = $1`, [at])
}

interface MovedRow {
  readonly id: string
  readonly kind: 'send' | 'payout'
  readonly currency: string
  readonly minor: bigint
  readonly moved_at: Date
  readonly originator_id: bigint
  readonly originator_username: string
  readonly originator_account: string
  readonly beneficiary_id: bigint
  readonly beneficiary_username: string
  readonly beneficiary_account: string
}

const movedSql = `select t.id, case t.kind when 'SEND' then 'send' else 'payout' end as kind,
    t.source_currency as currency, t.source_amount as minor, coalesce(t.changed_at, t.created_at) as moved_at,
    t.user_id as originator_id, payer.username as originator_username, t.wallet_id::text as originator_account,
    payee.id as beneficiary_id, payee.username as beneficiary_username,
    case t.kind when 'SEND' then t.to_wallet_id::text else left(bank.bank_name, 90) || ' ' || bank.last4 end as beneficiary_account
  from transaction t
    join app_user payer on payer.id = t.user_id
    join app_user payee on payee.id = case t.kind when 'SEND' then t.recipient_id else t.user_id end
    left join payout on payout.id = t.payment_id and payout.transaction_id = t.id
    left join bank_account bank on bank.id = payout.bank_account_id
  -- A reversal by a card, a bank or a dispute is a withdrawal without a payout, and no transfer.
  where (t.kind = 'SEND' or t.kind = 'WITHDRAW' and payout.id is not null) and t.status = 'COMPLETED'
    and t.created_at >= coalesce((select started_at from demo_seed), '-infinity')`

async function readTransfers(tx: Tx, condition: string, values: readonly unknown[]): Promise<MovedTransfer[]> {
  const { rows } = await tx.query<MovedRow>(`${movedSql} ${condition}`, [...values])
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    currency: row.currency,
    minor: row.minor,
    movedAt: row.moved_at,
    originator: {
      userId: row.originator_id,
      username: row.originator_username,
      account: row.originator_account,
    },
    beneficiary: {
      userId: row.beneficiary_id,
      username: row.beneficiary_username,
      account: row.beneficiary_account,
    },
  }))
}

export const readStep = (tx: Tx, step: BatchStep): Promise<MovedTransfer[]> =>
  'since' in step
    ? readTransfers(tx, 'and coalesce(t.changed_at, t.created_at) >= $1 order by t.created_at, t.id', [step.since])
    : readTransfers(tx, 'and t.xid >= $1::xid8 and t.xid < $2::xid8 order by t.xid, t.id', [step.from, step.end])

/** Returns a user's transfers that no step has read yet. */
export const readUnrecordedTransfers = (tx: Tx, userId: bigint): Promise<MovedTransfer[]> =>
  readTransfers(
    tx,
    `and (t.user_id, t.id) in (
        select coalesce(own.sender_id, own.user_id), own.id from transaction own, travel_rule_position
         where own.user_id = $1 and own.xid >= position and own.kind in ('SEND', 'RECEIVE', 'WITHDRAW'))`,
    [userId],
  )
