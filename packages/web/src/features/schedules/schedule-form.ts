// Form of a scheduled send, and its request.

import type { PublicUser } from '@tern/contract/identity'
import type { ScheduleTerms, Recurrence, Schedule } from '@tern/contract/schedules/schedules'
import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { schedules } from '#messages/schedules/schedules.ts'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import { tomorrowHere } from '../../app/browser/time-zone.ts'
import type { CostGuard } from './GuardFields.tsx'

export interface ScheduleValues {
  recipientText: string
  recipient: PublicUser | undefined
  side: 'source' | 'target'
  amount: string
  note: string
  recurrence: Recurrence
  date: string
  guard: CostGuard
}

/** Form fields by the API's field names. */
export const fieldNames: Readonly<Record<string, keyof ScheduleValues>> = {
  recipient_id: 'recipientText',
  amount: 'amount',
  description: 'note',
  next_on: 'date',
  rate_guard: 'guard',
}

/**
 * Initial values of a new schedule from the address: `to`, the recipient; `amount`, in the source currency; and `on`,
 * the day to send it once.
 */
function addressed(address: URLSearchParams): Partial<ScheduleValues> {
  const [to, amount, on] = ['to', 'amount', 'on'].map((name) => address.get(name) ?? '')
  return to && amount && on ? { recipientText: to, side: 'source', amount, recurrence: 'once', date: on } : {}
}

export function startValues(schedule: Schedule | undefined, address: URLSearchParams): ScheduleValues {
  const off: CostGuard = { isOn: false, amount: '', waitDays: 3 }
  if (!schedule) {
    const empty = { recipientText: '', recipient: undefined, amount: '', note: '', date: '' }
    return { ...empty, side: 'target', recurrence: 'monthly', guard: off, ...addressed(address) }
  }
  const { recipient, target_currency: target, rate_guard: guard, next_on: nextOn, first_on: firstOn } = schedule
  return {
    recipientText: recipient.username,
    recipient: { ...recipient, base_currency: target },
    side: schedule.side,
    amount: schedule.amount,
    note: schedule.description,
    recurrence: schedule.recurrence,
    date: nextOn ?? firstOn,
    guard: { isOn: guard !== null, amount: guard ?? '', waitDays: schedule.wait_days },
  }
}

/** Paying and receiving currency, and the one that is typed. */
export function chooseCurrencies(
  { recipient, side }: ScheduleValues,
  source: CurrencyCode,
  schedule: Schedule | undefined,
) {
  const pays = schedule?.source_currency ?? source
  const arrives = schedule?.target_currency ?? (recipient?.base_currency as CurrencyCode | undefined)
  return { pays, arrives, typed: side === 'source' ? pays : (arrives ?? pays) }
}

/** Ceiling without a guard: today's price plus ten percent, fixed so that it does not change during confirmation. */
const roomOver = (currency: CurrencyCode, total: string): string => {
  const { minor } = parseDecimal(currency, total)
  return toDecimal(money(currency, minor + (minor + 9n) / 10n))
}

/** Checks whether the cost moves with the rates. */
export const floatsIn = (values: ScheduleValues, { pays, arrives }: ReturnType<typeof chooseCurrencies>): boolean =>
  values.side === 'target' && arrives !== undefined && arrives !== pays

interface FormContext {
  readonly userId: number
  readonly source: CurrencyCode
  readonly schedule: Schedule | undefined
  /** Reason why a text matches no recipient. */
  readonly whyNobody: (text: string) => string
}

export function validateSchedule(
  values: ScheduleValues,
  { userId, source, schedule, whyNobody }: FormContext,
): FormErrors {
  const currencies = chooseCurrencies(values, source, schedule)
  if (!values.recipient) return { recipientText: whyNobody(values.recipientText) }
  if (values.recipient.id === userId) return { recipientText: schedules.nobody }
  if (!parseAmount(currencies.typed, values.amount)) return { amount: schedules.enterAmount }
  const isDateUnchanged = schedule !== undefined && values.date === (schedule.next_on ?? schedule.first_on)
  if (!isDateUnchanged && values.date < tomorrowHere()) return { date: schedules.enterDate }
  if (!floatsIn(values, currencies) || !values.guard.isOn) return {}
  return parseAmount(currencies.pays, values.guard.amount) ? {} : { guard: schedules.enterAmount }
}

/** Terms of the schedule, with today's price as `total`; undefined while the form is incomplete. */
export function buildTerms(
  values: ScheduleValues,
  currencies: ReturnType<typeof chooseCurrencies>,
  total: string | undefined,
): ScheduleTerms | undefined {
  const { pays, arrives, typed } = currencies
  const { side, recurrence, date, note, guard } = values
  const amount = parseAmount(typed, values.amount)
  if (!amount || !arrives) return undefined
  const floats = floatsIn(values, currencies)
  return {
    ...{ source_currency: pays, target_currency: arrives, side, amount: toDecimal(amount), description: note },
    ...{ recurrence, next_on: date, wait_days: guard.waitDays },
    ...(floats && guard.isOn ? { rate_guard: guard.amount } : {}),
    ...(floats && !guard.isOn && total !== undefined ? { ceiling: roomOver(pays, total) } : {}),
  }
}
