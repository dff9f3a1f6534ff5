// Terms of scheduled sends: validation, and the confirmations they require.

import type { ChangedSchedule } from '@tern/contract/schedules/schedules'
import { add, type Money, money } from '@tern/money/money'
import type pg from 'pg'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { StepUpNeeded } from '../../../platform/database/locks.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { confirmed } from '../../../platform/subjects.ts'
import type { Exchange, Price } from '../../exchange/exchange.ts'
import type { Identity, SensitiveAction } from '../../identity/identity.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { holdsCurrency, type Party, type Wallets } from '../../wallets/wallets.ts'
import { dateAt } from '../local-time.ts'
import { addDays } from '../recurrence.ts'
import { priceNow, type ScheduleRow } from '../schedule-rows.ts'

export interface OrderOptions {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly notifications: Pick<Notifications, 'touch'>
  readonly requireStepUp: Identity['requireStepUp']
  readonly now: () => Date
}

const daysAhead = 731
const defaultWaitDays = 3
/** Without a rate guard, a send of a fixed foreign amount may cost up to a tenth more than now; above that it waits. */
const roomParts = 10n

export interface Agreed {
  readonly sender: Party
  readonly recipient: Party
  readonly price: Price
  /** In the source currency, fee included. */
  readonly ceiling: Money
  readonly columns: Pick<
    ScheduleRow,
    | 'source_currency'
    | 'target_currency'
    | 'side'
    | 'amount_minor'
    | 'note'
    | 'recurrence'
    | 'ceiling_minor'
    | 'has_rate_guard'
    | 'wait_days'
  >
}

/** Validates the terms: sender, recipient, price and maximum cost of one send. Refuses invalid terms. */
export async function agree(
  { pool, wallets, exchange }: OrderOptions,
  caller: Caller,
  recipientId: bigint,
  terms: ChangedSchedule,
): Promise<Agreed> {
  if (!caller.verified) refuse('verification_required')
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([
    wallets.findParty(pool, caller.userId),
    wallets.findParty(pool, recipientId),
  ])
  if (!sender) return refuse('unauthenticated')
  if (!recipient?.verified) return refuseField('recipient_not_found', 'recipient_id')
  const { source_currency, target_currency, side, recurrence } = terms
  if (!holdsCurrency(sender.wallet, source_currency)) refuseField('currency_not_held', 'source_currency')
  if (!holdsCurrency(recipient.wallet, target_currency)) {
    const params = { currency: recipient.wallet.baseCurrency }
    refuseField('currency_not_held', 'target_currency', { code: 'recipient_currency', params })
  }
  const amount = parseAmount('amount', side === 'source' ? source_currency : target_currency, terms.amount)
  const fixed = { source_currency, target_currency, side, amount_minor: amount.minor }
  const price = priceNow(exchange, fixed)
  const guard = typeof terms.rate_guard === 'string' ? terms.rate_guard : undefined
  const floats = side === 'target' && source_currency !== target_currency
  if (guard !== undefined && !floats) refuseField('invalid_request', 'rate_guard', 'rate_guard_not_needed')
  const ceiling = !floats
    ? price.total
    : guard !== undefined
      ? parseAmount('rate_guard', source_currency, guard)
      : terms.ceiling !== undefined
        ? parseAmount('ceiling', source_currency, terms.ceiling)
        : add(price.total, money(source_currency, (price.total.minor + roomParts - 1n) / roomParts))
  const columns = {
    ...fixed,
    note: terms.description ?? '',
    recurrence,
    ceiling_minor: ceiling.minor,
    has_rate_guard: guard !== undefined,
    wait_days: terms.wait_days ?? defaultWaitDays,
  }
  return { sender, recipient, price, ceiling, columns }
}

/** Refuses `invalid_request` for a date that is not after today, or too far ahead. */
export function checkDate(date: string, field: string, timeZone: string, at: Date): void {
  const today = dateAt(at, timeZone)
  if (date <= today) refuseField('invalid_request', field, 'date_not_ahead')
  if (date > addDays(today, daysAhead)) refuseField('invalid_request', field, 'date_too_far')
}

/** Reason why an edit needs a confirmation, as a code of the confirmed sentences. */
export type Raise = 'schedule_other_currency' | 'schedule_costs_more' | 'schedule_more_often' | 'schedule_sooner'

/** Thrown to roll back an unconfirmed edit that raises the amount that may be sent. */
export class RaiseToConfirm extends StepUpNeeded {
  readonly raise: Raise
  constructor(raise: Raise) {
    super()
    this.raise = raise
  }
}

/** Returns the terms to confirm: recipient, amount, rhythm, first date, and maximum cost of one send. */
export function actOf({ recipient, price, ceiling, columns }: Agreed, nextOn: string, hidden: string): SensitiveAction {
  const { username, name } = recipient
  return {
    action: 'schedule_send',
    subject: {
      to: name === null ? `@${username}` : `${name} (@${username})`,
      ...(columns.side === 'source' ? { amount: amountText(price.source) } : { receives: amountText(price.target) }),
      at_most: amountText(ceiling),
      repeats: confirmed(`repeats_${columns.recurrence}`),
      starts: { code: 'on_day', params: { day: nextOn } },
    },
    // Excludes the current price, which changes while the sender confirms.
    hidden: {
      recipient: String(recipient.userId),
      target: columns.target_currency,
      for: hidden,
      note: columns.note,
    },
  }
}

/**
 * Writes with `confirmedAt` null; where that throws StepUpNeeded, writes again with the time once `act` is confirmed.
 * Refuses `step_up_required` with the reason in the confirmation.
 */
export async function confirmedIfNeeded<T>(
  { pool, now, requireStepUp }: OrderOptions,
  caller: Caller,
  { act, confirmation }: { act: SensitiveAction; confirmation: string | undefined },
  write: (tx: Tx, confirmedAt: Date | null) => Promise<T>,
): Promise<T> {
  try {
    return await transact(pool, (tx) => write(tx, null))
  } catch (error) {
    if (!(error instanceof StepUpNeeded)) throw error
    const raised = error instanceof RaiseToConfirm ? withReason(act, error.raise) : act
    await requireStepUp({ caller, act: raised, confirmation })
    return transact(pool, (tx) => write(tx, now()))
  }
}

const withReason = (act: SensitiveAction, raise: Raise): SensitiveAction => ({
  ...act,
  subject: { ...act.subject, because: confirmed(raise) },
})

/** Returns the caller's schedule, locked. Refuses `not_found`. */
export async function lockOwn(tx: Tx, userId: bigint, id: string): Promise<ScheduleRow> {
  const { rows } = await tx.query<ScheduleRow>('select * from schedule where id = $1 and user_id = $2 for update', [
    id,
    userId,
  ])
  return rows[0] ?? refuse('not_found')
}
