import type { Money } from '@tern/money/money'
import { isIncoming, type LineKind } from '@tern/providers/report/port'
import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'

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

/** Records a movement in the transaction that posts it. False if it was recorded before: then nothing is posted. */
export function noteLine(tx: Tx, { amount, postingId, at, ...line }: SettlementLine): Promise<boolean> {
  const signed = isIncoming[line.kind] ? amount.minor : -amount.minor
  const row = { ...line, amount_minor: signed, currency: amount.currency, posting_id: postingId, occurred_at: at }
  return insertRow(tx, 'settlement_line', row, 'on conflict do nothing')
}

/** The payment or payout that a movement was posted for; undefined when it was not posted. */
export async function ownerOfLine(db: Queryable, provider: string, id: string): Promise<string | undefined> {
  const { rows } = await db.query<{ reference: string }>(
    'select reference from settlement_line where provider = $1 and id = $2',
    [provider, id],
  )
  return rows[0]?.reference
}

/** The movement by which a payout left; undefined when none was posted. */
export async function paidIdOf(db: Queryable, payoutId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from settlement_line where reference = $1 and kind = 'payout'`,
    [payoutId],
  )
  return rows[0]?.id
}
