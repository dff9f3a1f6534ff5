import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../../platform/database/db.ts'
import { deriveRiskMovementId } from '../../transfers/transfers.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'

/** Days before a payment whose warnings are evidence. */
const shownDays = 30
const maxWarnings = 20

/** Warning about the payee of a disputed payment, with the answer of the sender. */
export interface ShownWarning {
  /** In the order in which they were shown. */
  readonly patterns: readonly string[]
  readonly policy_version: number
  readonly amount_minor: string
  readonly currency: CurrencyCode
  readonly shown_at: string
  readonly acknowledged_at: string | null
  /** `this_payment` and `this_schedule`: the acknowledgement was used for the disputed payment. */
  readonly answer: 'this_payment' | 'this_schedule' | 'other_payment' | 'not_used' | 'none'
}

/**
 * SQL: warnings about the payee of transaction `$2` of user `$1`, newest first. `$3`: movement of a payment by card or
 * bank.
 */
const shownWarningsSql = `
  select w.patterns, w.policy_version, w.amount_minor::text, w.currency, w.shown_at, w.acknowledged_at,
      case when w.used_by in (t.posting_id, $3) then 'this_payment'
           when w.used_by = (select o.schedule_id from schedule_occurrence o where o.transaction_id = t.id)
             then 'this_schedule'
           when w.used_by is not null then 'other_payment'
           when w.acknowledged_at is not null then 'not_used'
           else 'none' end as answer
    from transaction t join payee_warning w on w.user_id = t.user_id and w.payee_id = t.recipient_id
   where t.user_id = $1 and t.id = $2 and t.kind = 'SEND' and w.shown_at <= t.created_at
     and (w.shown_at > t.created_at - make_interval(days => ${shownDays})
       or w.used_by = (select o.schedule_id from schedule_occurrence o where o.transaction_id = t.id))
   order by w.shown_at desc, w.id desc limit ${maxWarnings}`

/**
 * Returns the warnings about its payee that the sender of a payment was shown in the days before it, and those answered
 * for its schedule. Contains no facts about the payee.
 */
export async function readShownWarnings(
  db: Db,
  { user_id: userId, id, payment_id: paymentId }: StoredTransaction,
): Promise<ShownWarning[]> {
  const { rows: payments } = await db.query<{ readonly idempotency_key: string }>(
    'select idempotency_key from payment where id = $1',
    [paymentId],
  )
  const key = payments[0]?.idempotency_key
  const movementId = key === undefined ? null : deriveRiskMovementId('card', userId, key)
  const { rows } = await db.query<{ readonly fact: ShownWarning }>(
    `select to_jsonb(f) as fact from (${shownWarningsSql}) f`,
    [userId, id, movementId],
  )
  return rows.map(({ fact }) => fact)
}
