// Terms of scheduled sends: validation, and the confirmations they require.

import type { ScheduleTerms } from '@tern/contract/schedules/schedules'
import { add, type Money, money } from '@tern/money/money'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import type { Price } from '../../exchange/exchange.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { holdsCurrency, type Party } from '../../wallets/wallets.ts'
import type { SchedulesContext } from '../context.ts'
import { toLocalDate } from '../local-time.ts'
import { addDays } from '../recurrence.ts'
import { priceTerms } from '../schedule-rows.ts'
import type { ScheduleRow } from '../row-types.ts'

const daysAhead = 731
const defaultWaitDays = 3
/** Without a rate guard or ceiling, a send of a fixed foreign amount may cost up to a tenth more than when agreed. */
const ceilingMarginDivisor = 10n

export interface AgreedTerms {
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

/**
 * Validates sender, recipient, currencies and amounts, and returns the terms with price and maximum cost of one send.
 * Refusals: see `createSchedule` in the contract.
 */
export async function validateTerms(
  { wallets, exchange }: SchedulesContext,
  db: Db,
  { caller, recipientId, terms }: { readonly caller: Caller; readonly recipientId: bigint; terms: ScheduleTerms },
): Promise<AgreedTerms> {
  if (!caller.verified) refuse('verification_required')
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([
    wallets.findParty(db, caller.userId),
    wallets.findParty(db, recipientId),
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
  const fixedTerms = { source_currency, target_currency, side, amount_minor: amount.minor }
  const price = priceTerms(exchange, fixedTerms)
  const guard = typeof terms.rate_guard === 'string' ? terms.rate_guard : undefined
  const hasVariableCost = side === 'target' && source_currency !== target_currency
  if (guard !== undefined && !hasVariableCost) refuseField('invalid_request', 'rate_guard', 'rate_guard_not_needed')
  const ceiling = !hasVariableCost
    ? price.total
    : guard !== undefined
      ? parseAmount('rate_guard', source_currency, guard)
      : terms.ceiling !== undefined
        ? parseAmount('ceiling', source_currency, terms.ceiling)
        : add(
            price.total,
            money(source_currency, (price.total.minor + ceilingMarginDivisor - 1n) / ceilingMarginDivisor),
          )
  const columns = {
    ...fixedTerms,
    note: terms.description ?? '',
    recurrence,
    ceiling_minor: ceiling.minor,
    has_rate_guard: guard !== undefined,
    wait_days: terms.wait_days ?? defaultWaitDays,
  }
  return { sender, recipient, price, ceiling, columns }
}

/**
 * Order as a warning about the payee must have been acknowledged for it: what each date debits without its fee, or the
 * ceiling if that varies.
 */
export const toWarnedOrder = ({ sender, recipient, price, ceiling, columns }: AgreedTerms, scheduleId: string) => ({
  senderId: sender.userId,
  payeeId: recipient.userId,
  source: columns.side === 'target' && columns.source_currency !== columns.target_currency ? ceiling : price.source,
  movementId: scheduleId,
})

/** Refuses `invalid_request` for a date that is not after today, or too far ahead. */
export function checkDate(date: string, field: string, timeZone: string, at: Date): void {
  const today = toLocalDate(at, timeZone)
  if (date <= today) refuseField('invalid_request', field, 'date_not_ahead')
  if (date > addDays(today, daysAhead)) refuseField('invalid_request', field, 'date_too_far')
}

/** Reason why an edit needs a confirmation, as the code of a sentence that the confirmation shows. */
export type RaiseReason = 'schedule_other_currency' | 'schedule_costs_more' | 'schedule_more_often' | 'schedule_sooner'

/** Returns the terms to confirm: recipient, amount, rhythm, first date, and maximum cost of one send. */
export function sensitiveAction(
  { recipient, price, ceiling, columns }: AgreedTerms,
  nextDate: string,
  hidden: string,
): SensitiveAction {
  const { username, name } = recipient
  return {
    action: 'schedule_send',
    subject: {
      to: name === null ? `@${username}` : `${name} (@${username})`,
      ...(columns.side === 'source' ? { amount: amountText(price.source) } : { receives: amountText(price.target) }),
      at_most: amountText(ceiling),
      repeats: confirmedSubject(`repeats_${columns.recurrence}`),
      starts: { code: 'on_day', params: { day: nextDate } },
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

/** Adds to the action the reason why it must be confirmed. */
export const withReason = (action: SensitiveAction, raise: RaiseReason): SensitiveAction => ({
  ...action,
  subject: { ...action.subject, because: confirmedSubject(raise) },
})
