import { type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { MailData, Notice } from '../../notifications/notifications.ts'
import type { CaseContext } from '../context.ts'
import type { ComplianceCaseRow } from '../row-types.ts'

// Notices about checks: a held payment, a question, a decision. They never state the reason of the check.

type CheckMail = 'check_holds' | 'check_asks' | 'check_decided' | 'objection_decided'

interface CaseQuestion {
  readonly complianceCase: ComplianceCaseRow
  readonly need: 'explanation' | 'document'
  readonly by: Date
}

/** Asks the account holder for an explanation or a document by a deadline. */
export async function notifyQuestion(
  ctx: CaseContext,
  tx: Tx,
  { complianceCase, need, by }: CaseQuestion,
): Promise<void> {
  const { id, user_id: userId } = complianceCase
  const params = { need, until: by.toISOString() }
  const dedupe = `${id} ${by.getTime()}`
  const notice = { code: 'check_asks', params, subjectId: id, dedupe, needsAction: true } as const
  await notify(ctx, tx, { userId, notice, template: 'check_asks', data: params })
}

interface DecidedCase {
  readonly complianceCase: ComplianceCaseRow
  readonly state: 'cleared' | 'confirmed'
}

/**
 * Notifies people of a decision: the account holder, if they know of the case, and senders who were notified of a hold.
 */
export async function notifyDecision(ctx: CaseContext, tx: Tx, { complianceCase, state }: DecidedCase): Promise<void> {
  const { id, user_id: ownerId, stops } = complianceCase
  const { rows } = await tx.query<{ sender_id: bigint; is_deposit: boolean }>(
    `select t.sender_id, bool_and(t.kind = 'deposit') as is_deposit from compliance_case_transfer l join transfer t on t.id = l.transfer_id
      where l.case_id = $1 and l.told_at is not null group by t.sender_id`,
    [id],
  )
  const people = new Set(rows.map(({ sender_id: senderId }) => senderId))
  const isDeposit = rows.some(({ is_deposit: isDepositOnly }) => isDepositOnly)
  const isGuestPayment = await holdsGuestPayment(tx, complianceCase)
  if (stops === 'person' || isGuestPayment || (await hasBeenAsked(tx, id))) people.add(ownerId)
  for (const userId of people) {
    // Only the account holder of a `person` case learns that it was confirmed; others learn what happens to the payment.
    const isOwn = userId === ownerId && stops === 'person'
    const outcome =
      state === 'cleared' || isOwn ? state : isGuestPayment ? 'not_accepted' : isDeposit ? 'sent_back' : 'not_made'
    const params = { state: outcome } as const
    const notice = { code: 'check_decided', params, subjectId: id, dedupe: `${id} ${state}` } as const
    await notify(ctx, tx, { userId, notice, template: 'check_decided', data: params })
  }
}

interface DecidedObjection {
  readonly id: string
  readonly userId: bigint
  readonly state: 'upheld' | 'dismissed'
}

export async function notifyObjectionDecision(
  ctx: CaseContext,
  tx: Tx,
  { id, userId, state }: DecidedObjection,
): Promise<void> {
  const params = { state }
  const notice = { code: 'objection_decided', params, subjectId: id } as const
  await notify(ctx, tx, { userId, notice, template: 'objection_decided', data: params })
}

/** Notifies senders of held payments, once per transfer, and returns the count. Workers may run it concurrently. */
export async function notifyHeld(ctx: CaseContext, pool: pg.Pool): Promise<number> {
  for (let notifiedCount = 0; ; notifiedCount += 1) {
    const isNotified = await transact(
      pool,
      async (tx) => (await notifyHeldByCase(ctx, tx)) || (await notifyHeldForLists(ctx, tx)),
    )
    if (!isNotified) return notifiedCount
  }
}

/** Returns whether the account holder was asked a question, and so knows of the case. */
const hasBeenAsked = async (tx: Tx, caseId: string): Promise<boolean> =>
  (await tx.query('select from compliance_question where case_id = $1 limit 1', [caseId])).rowCount === 1

/**
 * Returns whether the case holds a guest's payment; its account holder, who requested the payment, was notified of it.
 */
async function holdsGuestPayment(tx: Tx, { counterparty_id: id, stops }: ComplianceCaseRow): Promise<boolean> {
  const sql = `select from screening_counterparty where id = $1 and kind = 'guest' and ended_at is null`
  return stops === 'transfers' && (await tx.query(sql, [id])).rowCount === 1
}

interface CheckNotice<T extends CheckMail> {
  readonly userId: bigint
  readonly notice: Notice
  readonly template: T
  readonly data: Omit<MailData[T], 'link'>
}

/** Notifies a user in the product and by email, in the caller's transaction. */
async function notify<T extends CheckMail>(
  { notifications, identity, publicUrl }: CaseContext,
  tx: Tx,
  { userId, notice, template, data }: CheckNotice<T>,
): Promise<void> {
  if (!(await notifications.notify(tx, { userId, ...notice }))) return
  const person = (await identity.usersById(tx, [userId])).get(userId)
  if (!person) throw new Error(`user ${userId} is unknown`)
  const mailData = { ...data, link: `${publicUrl}/checks` } as unknown as MailData[T]
  await notifications.mail(tx, { to: { userId, email: person.email }, template, data: mailData })
}

/** Notifies the sender of one payment held by a case. Returns false if no payment is left. */
async function notifyHeldByCase(ctx: CaseContext, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<HeldTransferRow>(
    `select l.transfer_id, t.sender_id, t.amount_minor, t.currency, t.held_until
       from compliance_case_transfer l join transfer t on t.id = l.transfer_id
      where l.told_at is null and t.state = 'held' and t.hold_reason = 'compliance' order by l.linked_at limit 1 for update of l skip locked`,
  )
  const [heldTransfer] = rows
  if (!heldTransfer) return false
  await tx.query('update compliance_case_transfer set told_at = $2 where transfer_id = $1 and told_at is null', [
    heldTransfer.transfer_id,
    ctx.now(),
  ])
  await notifySender(ctx, tx, heldTransfer)
  return true
}

/** Notifies the sender of one payment held for stale lists, without a case. Returns false if no payment is left. */
async function notifyHeldForLists(ctx: CaseContext, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<HeldTransferRow>(
    `select t.id as transfer_id, t.sender_id, t.amount_minor, t.currency, t.held_until from transfer t
      where t.state = 'held' and t.hold_reason = 'compliance'
        and not exists (select from compliance_case_transfer l where l.transfer_id = t.id)
        and not exists (select from notification n where n.user_id = t.sender_id and n.code = 'check_holds' and n.subject_id = t.id)
      order by t.held_at limit 1 for update of t skip locked`,
  )
  const [heldTransfer] = rows
  if (!heldTransfer) return false
  await notifySender(ctx, tx, heldTransfer, { waits_for: 'lists' })
  return true
}

async function notifySender(
  ctx: CaseContext,
  tx: Tx,
  heldTransfer: HeldTransferRow,
  cause: { readonly waits_for?: 'lists' } = {},
): Promise<void> {
  const amount = money(heldTransfer.currency, heldTransfer.amount_minor)
  const until = heldTransfer.held_until.toISOString()
  const params = { amount: toDecimal(amount), currency: heldTransfer.currency, until, ...cause }
  await notify(ctx, tx, {
    userId: heldTransfer.sender_id,
    notice: { code: 'check_holds', params, subjectId: heldTransfer.transfer_id },
    template: 'check_holds',
    data: { amount: amountText(amount), until, ...cause },
  })
}

interface HeldTransferRow {
  readonly transfer_id: string
  readonly sender_id: bigint
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly held_until: Date
}
