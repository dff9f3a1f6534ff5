import { type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { Identity } from '../../identity/identity.ts'
import type { MailData, Notice, Notifications } from '../../notifications/notifications.ts'
import type { CaseRow } from './case-rows.ts'

// Notices about checks: a payment is held, information is requested, a decision was made. They never give the reason.

export interface NoticeParts {
  readonly pool: pg.Pool
  readonly notifications: Pick<Notifications, 'notify' | 'mail'>
  readonly identity: Pick<Identity, 'usersById'>
  readonly publicUrl: string
  readonly now: () => Date
}

type CheckMail = 'check_holds' | 'check_asks' | 'check_decided' | 'objection_decided'

/** Sends notices about checks, in the product and by email, in the transaction of the event. */
export function createCaseNotices(parts: NoticeParts) {
  return {
    /** Requests an explanation or a document from the account holder by a deadline. */
    asked(tx: Tx, { id, user_id: userId }: CaseRow, need: 'explanation' | 'document', by: Date): Promise<void> {
      const params = { need, until: by.toISOString() }
      const dedupe = `${id} ${by.getTime()}`
      const notice = { code: 'check_asks', params, subjectId: id, dedupe, needsAction: true } as const
      return tell(parts, tx, userId, notice, ['check_asks', params])
    },

    /**
     * Announces a decision to the account holder, if they know of the case, and to the senders of its held payments.
     */
    async decided(tx: Tx, known: CaseRow, state: 'cleared' | 'confirmed'): Promise<void> {
      const { id, user_id: ownerId, stops } = known
      const { rows } = await tx.query<{ sender_id: bigint; is_deposit: boolean }>(
        `select t.sender_id, bool_and(t.kind = 'deposit') as is_deposit from compliance_case_transfer l join transfer t on t.id = l.transfer_id
          where l.case_id = $1 and l.told_at is not null group by t.sender_id`,
        [id],
      )
      const people = new Set(rows.map(({ sender_id: senderId }) => senderId))
      const isDeposit = rows.some(({ is_deposit: isOnly }) => isOnly)
      const isOfGuest = await isHeldOfGuest(tx, known)
      if (stops === 'person' || isOfGuest || (await wasAsked(tx, id))) people.add(ownerId)
      for (const userId of people) {
        // Only the account holder of a person case learns of its result; others learn what became of the payment.
        const isOwn = userId === ownerId && stops === 'person'
        const shown =
          state === 'cleared' || isOwn ? state : isOfGuest ? 'not_accepted' : isDeposit ? 'sent_back' : 'not_made'
        const dedupe = `${id} ${state}`
        const notice = { code: 'check_decided', params: { state: shown }, subjectId: id, dedupe } as const
        await tell(parts, tx, userId, notice, ['check_decided', { state: shown }])
      }
    },

    objectionDecided: (tx: Tx, userId: bigint, objectionId: string, state: 'upheld' | 'dismissed'): Promise<void> =>
      tell(parts, tx, userId, { code: 'objection_decided', params: { state }, subjectId: objectionId }, [
        'objection_decided',
        { state },
      ]),

    /**
     * Notifies senders of held payments, once per transfer, with any number of concurrent workers; returns the count.
     */
    async tellHeld(): Promise<number> {
      for (let told = 0; ; told += 1) {
        const isTold = await transact(
          parts.pool,
          async (tx) => (await tellNext(parts, tx)) || (await tellOfLists(parts, tx)),
        )
        if (!isTold) return told
      }
    },
  }
}

/** Returns whether the account holder was asked something, and so knows of the case. */
const wasAsked = async (tx: Tx, caseId: string): Promise<boolean> =>
  (await tx.query('select from compliance_question where case_id = $1 limit 1', [caseId])).rowCount === 1

/** Returns whether the case holds a guest's payment, of which the requester was notified. */
async function isHeldOfGuest(tx: Tx, { counterparty_id: id, stops }: CaseRow): Promise<boolean> {
  const sql = `select from screening_counterparty where id = $1 and kind = 'guest' and ended_at is null`
  return stops === 'transfers' && (await tx.query(sql, [id])).rowCount === 1
}

async function tell<T extends CheckMail>(
  { notifications, identity, publicUrl }: NoticeParts,
  tx: Tx,
  userId: bigint,
  notice: Notice,
  [template, data]: readonly [T, Omit<MailData[T], 'link'>],
): Promise<void> {
  if (!(await notifications.notify(tx, { userId, ...notice }))) return
  const person = (await identity.usersById(tx, [userId])).get(userId)
  if (!person) throw new Error(`user ${userId} is unknown`)
  const complete = { ...data, link: `${publicUrl}/checks` } as unknown as MailData[T]
  await notifications.mail(tx, { to: { userId, email: person.email }, template, data: complete })
}

async function tellNext(parts: NoticeParts, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<HeldRow>(
    `select l.transfer_id, t.sender_id, t.amount_minor, t.currency, t.held_until
       from compliance_case_transfer l join transfer t on t.id = l.transfer_id
      where l.told_at is null and t.state = 'held' and t.hold_reason = 'compliance' order by l.linked_at limit 1 for update of l skip locked`,
  )
  const [held] = rows
  if (!held) return false
  await tx.query('update compliance_case_transfer set told_at = $2 where transfer_id = $1 and told_at is null', [
    held.transfer_id,
    parts.now(),
  ])
  const amount = money(held.currency, held.amount_minor)
  const until = held.held_until.toISOString()
  const params = { amount: toDecimal(amount), currency: held.currency, until }
  await tell(parts, tx, held.sender_id, { code: 'check_holds', params, subjectId: held.transfer_id }, [
    'check_holds',
    { amount: amountText(amount), until },
  ])
  return true
}

/** Notifies one sender of a payment held for stale lists, without a case. */
async function tellOfLists(parts: NoticeParts, tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<HeldRow>(
    `select t.id as transfer_id, t.sender_id, t.amount_minor, t.currency, t.held_until from transfer t
      where t.state = 'held' and t.hold_reason = 'compliance'
        and not exists (select from compliance_case_transfer l where l.transfer_id = t.id)
        and not exists (select from notification n where n.user_id = t.sender_id and n.code = 'check_holds' and n.subject_id = t.id)
      order by t.held_at limit 1 for update of t skip locked`,
  )
  const [held] = rows
  if (!held) return false
  const amount = money(held.currency, held.amount_minor)
  const why = { until: held.held_until.toISOString(), waits_for: 'lists' } as const
  const params = { amount: toDecimal(amount), currency: held.currency, ...why }
  await tell(parts, tx, held.sender_id, { code: 'check_holds', params, subjectId: held.transfer_id }, [
    'check_holds',
    { amount: amountText(amount), ...why },
  ])
  return true
}

interface HeldRow {
  readonly transfer_id: string
  readonly sender_id: bigint
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly held_until: Date
}

export type CaseNotices = ReturnType<typeof createCaseNotices>
