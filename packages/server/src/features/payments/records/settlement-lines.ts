import type { Money } from '@tern/money/money'
import { isIncoming, type LineKind } from '@tern/providers/report/port'
import type { Queryable, Tx } from '../../../platform/database/db.ts'

/** One movement between the provider and us, by the provider's own id. */
export interface SettlementLine {
  readonly provider: string
  readonly id: string
  readonly kind: LineKind
  /** Above zero; the direction follows from the kind. */
  readonly amount: Money
  /** The payment or payout it belongs to. */
  readonly reference: string
  readonly postingId: string
  readonly at: Date
}

/**
 * Notes a movement in the transaction that posts it against a settlement account. False when it has been noted before:
 * then nothing must be posted again.
 */
export async function noteLine(tx: Tx, line: SettlementLine): Promise<boolean> {
  const { provider, id, kind, amount, reference, postingId, at } = line
  const { rowCount } = await tx.query(
    `insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [provider, id, kind, isIncoming[kind] ? amount.minor : -amount.minor, amount.currency, reference, postingId, at],
  )
  return rowCount === 1
}

/** The payment or payout that a movement of the provider has been posted for; undefined when it has not been posted. */
export async function ownerOfLine(db: Queryable, provider: string, id: string): Promise<string | undefined> {
  const { rows } = await db.query<{ reference: string }>(
    'select reference from settlement_line where provider = $1 and id = $2',
    [provider, id],
  )
  return rows[0]?.reference
}
