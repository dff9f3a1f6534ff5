import { lockAccounts } from '@tern/ledger/ledger'
import type { IssuerWarning } from '@tern/providers/events/port'
import type pg from 'pg'
import { onlyRow, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { openCase as openPersonCase } from '../../compliance/compliance.ts'
import type { PaymentContext } from '../context.ts'
import { findPaymentForUpdate } from '../records/payment-rows.ts'
import { closeCases, openCase } from '../records/reconciliation-exceptions.ts'
import type { IssuerWarningRow, PaymentRow } from '../row-types.ts'

// Warnings by card issuers: the money of the card stays in the product, and operators are told in time to refund it or
// to answer. Money that a dispute takes is booked by its own report (../reversals).

const dayMs = 86_400_000
/** Card networks take disputes for about this long after a payment. */
const holdDays = 120

interface ReportedWarning {
  readonly provider: string
  readonly warning: IssuerWarning
}

/** Applies the current state of a warning; undefined if it belongs to no payment of ours. */
export async function applyIssuerWarning(
  ctx: PaymentContext,
  tx: Tx,
  { provider, warning }: ReportedWarning,
): Promise<string | undefined> {
  const payment = await findPaymentForUpdate(tx, warning.reference ?? '')
  if (payment?.provider !== provider) return undefined
  const at = ctx.now()
  const { is_new: isNew, is_open: isOpen } = await storeWarning(tx, { provider, warning, payment, at })
  const key = { kind: 'issuer_warning', provider, subject: warning.id } as const
  if (!isOpen) {
    await closeCases(tx, key, 'warning_ended', at)
    return 'warning_ended'
  }
  const { amount, warnedAt: happenedAt } = warning
  const params = {
    amount: amountText(amount),
    reason: warning.reason,
    payment: payment.id,
    by: warning.respondBy?.toISOString().slice(0, 10) ?? '',
  }
  const detail = { code: `card_${warning.kind}`, params } as const
  await openCase(tx, { ...key, amount, happenedAt, detail }, at)
  if (!isNew) return 'warning_updated'
  const until = new Date(at.getTime() + holdDays * dayMs)
  if (await restrictMoney(tx, { paymentId: payment.id, until, at })) {
    await tx.query('update issuer_warning set held_until = $3 where provider = $1 and id = $2', [
      provider,
      warning.id,
      until,
    ])
  } else if (warning.kind === 'early_fraud_warning') await stopPayer(tx, { payment, warning, at })
  return 'warned'
}

/** Stores a warning; returns whether it is new, and whether it is open now. */
async function storeWarning(
  tx: Tx,
  { provider, warning, payment, at }: ReportedWarning & { readonly payment: PaymentRow; readonly at: Date },
): Promise<{ readonly is_new: boolean; readonly is_open: boolean }> {
  const { id, kind, amount, reason, isOpen, respondBy, warnedAt, opensOnce = false } = warning
  const { rows } = await tx.query<{ is_new: boolean; is_open: boolean }>(
    `insert into issuer_warning (provider, id, kind, payment_id, amount_minor, currency, reason, is_open, respond_by, warned_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (provider, id) do update set kind = excluded.kind, amount_minor = excluded.amount_minor,
       currency = excluded.currency, reason = excluded.reason,
       is_open = excluded.is_open and (issuer_warning.is_open or not $12::boolean),
       respond_by = excluded.respond_by, updated_at = excluded.updated_at
     returning xmax = 0 as is_new, is_open`,
    [
      ...[provider, id, kind, payment.id, amount.minor, amount.currency, reason, isOpen],
      ...[respondBy ?? null, warnedAt, at, opensOnce],
    ],
  )
  return onlyRow(rows)
}

interface Restriction {
  readonly paymentId: string
  readonly until: Date
  readonly at: Date
}

/** Restricts what is left of a payment's card money, wherever it is; false if all of it has matured or gone. */
async function restrictMoney(tx: Tx, { paymentId, until, at }: Restriction): Promise<boolean> {
  const locked = new Set<bigint>()
  for (;;) {
    const { rows } = await tx.query<{ account_id: bigint }>(
      `select distinct account_id from restricted_money where origin = $1 and reason = 'card'`,
      [paymentId],
    )
    const missing = rows.map(({ account_id: id }) => id).filter((id) => !locked.has(id))
    if (missing.length === 0) break
    // Money may have moved to another account before the lock.
    await lockAccounts(tx, missing)
    for (const id of missing) locked.add(id)
  }
  const { rows } = await tx.query<{ is_restricted: boolean }>(
    'select restrict_card_money($1, $2, $3) as is_restricted',
    [paymentId, until, at],
  )
  return onlyRow(rows).is_restricted
}

/** Stops the payer whose card money could be at a bank already, until two operators have decided. */
async function stopPayer(
  tx: Tx,
  { payment, warning, at }: { readonly payment: PaymentRow; readonly warning: IssuerWarning; readonly at: Date },
): Promise<void> {
  const { id: warningId, amount, reason } = warning
  const evidence = {
    rule: 'early_fraud_warning',
    amount: amountText(amount),
    reason,
    movement: warningId,
    payment_id: payment.id,
  }
  await openPersonCase(tx, { userId: payment.user_id, kind: 'pattern', evidence }, at)
}

/**
 * Ends the hold of warnings whose exception is closed: the money matures as it would have without them. Money of a
 * payment with another open warning stays held.
 */
export async function releaseWarnedMoney(ctx: PaymentContext, pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<Pick<IssuerWarningRow, 'provider' | 'id' | 'payment_id'>>(
    `select w.provider, w.id, w.payment_id from issuer_warning w
      where w.held_until is not null and w.released_at is null and not exists (
        select from reconciliation_exception x
         where x.kind = 'issuer_warning' and x.provider = w.provider and x.subject = w.id and x.closed_at is null)
      order by w.updated_at limit 100`,
  )
  for (const { provider, id, payment_id: paymentId } of rows) {
    await retryOnConflict(pool, async (tx) => {
      await findPaymentForUpdate(tx, paymentId)
      const at = ctx.now()
      const released = await tx.query(
        'update issuer_warning set released_at = $3 where provider = $1 and id = $2 and released_at is null',
        [provider, id, at],
      )
      const others = await tx.query(
        'select from issuer_warning where payment_id = $1 and held_until is not null and released_at is null limit 1',
        [paymentId],
      )
      if (released.rowCount === 0 || others.rowCount === 1) return
      // The time without a warning counts if it is later.
      await restrictMoney(tx, { paymentId, until: at, at })
    })
  }
}
