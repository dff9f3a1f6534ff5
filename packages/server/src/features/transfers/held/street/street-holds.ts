import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../../platform/database/db.ts'
import { amountText } from '../../../../platform/http/amount.ts'
import { refuse } from '../../../../platform/refuse.ts'
import type { LinkContext } from '../context.ts'
import { computeConfirmFrom, findHeld, type HeldTransfer } from '../held-rows.ts'

/** Notifies senders of payments that street mode holds, each once across workers. Returns the number handled. */
export async function notifyStreetHolds(ctx: LinkContext, pool: pg.Pool): Promise<number> {
  for (let count = 0; ; count += 1) {
    if (!(await transact(pool, (tx) => notifyNext(ctx, tx)))) return count
  }
}

/** Cancels a transfer by its mailed link, in any browser. Refuses `link_invalid`, `not_cancelable`. */
export async function cancelByLink({ cancelCodes, heldTransfers }: LinkContext, db: Db, code: string): Promise<void> {
  const id = cancelCodes.read(code) ?? refuse('link_invalid')
  const heldTransfer = (await findHeld(db, id)) ?? refuse('link_invalid')
  await heldTransfers.cancel({ userId: heldTransfer.sender_id, id })
}

async function notifyNext(ctx: LinkContext, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<HeldTransfer>(
    `select transfer.*, confirm_after_seconds from street_hold join transfer on id = transfer_id
      where told_at is null and state <> 'awaiting_funding' and not (state = 'held' and hold_reason = 'compliance')
      order by transfer_id limit 1 for update of street_hold skip locked`,
  )
  const [heldTransfer] = rows
  if (!heldTransfer) return false
  await tx.query('update street_hold set told_at = $2 where transfer_id = $1', [heldTransfer.id, ctx.now()])
  // A transfer that was decided meanwhile needs no notice.
  if (heldTransfer.state === 'held' && heldTransfer.hold_reason === 'street_mode')
    await notifySender(ctx, tx, heldTransfer)
  return true
}

async function notifySender(
  { identity, notifications, cancelCodes, publicUrl }: LinkContext,
  tx: Tx,
  heldTransfer: HeldTransfer,
): Promise<void> {
  const { id, sender_id: userId, held_until: until, currency, amount_minor: minor } = heldTransfer
  const from = computeConfirmFrom(heldTransfer)
  const sender = (await identity.usersById(tx, [userId])).get(userId)
  if (!from || !sender) throw new Error(`transfer ${id} has no sender, or nothing to wait for`)
  const amount = money(currency, minor)
  const params = { amount: toDecimal(amount), currency, from: from.toISOString(), until: until.toISOString() }
  await notifications.notify(tx, { userId, code: 'street_hold', params, subjectId: id, needsAction: true })
  await notifications.mail(tx, {
    to: { userId, email: sender.email },
    template: 'payment_waits',
    data: {
      amount: amountText(amount),
      from: params.from,
      until: params.until,
      link: `${publicUrl}/transactions?details=${id}`,
      cancelLink: `${publicUrl}/cancel#code=${cancelCodes.issue(id)}`,
    },
  })
}
