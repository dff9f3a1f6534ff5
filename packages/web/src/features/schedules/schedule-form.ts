// Form of a scheduled send, and its request.

import type { PublicUser } from '@tern/contract/identity'
import type { ScheduleTerms, Recurrence, Schedule } from '@tern/contract/schedules/schedules'
import type { CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { schedules } from '#messages/schedules/schedules.ts'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import type { PaymentToCheck } from '../../app/warnings/use-payee-warning.ts'
import { getTomorrow } from '../../app/browser/time-zone.ts'
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
function readAddress(address: URLSearchParams): Partial<ScheduleValues> {
  const [to, amount, on] = ['to', 'amount', 'on'].map((name) => address.get(name) ?? '')
  return to && amount && on ? { recipientText: to, side: 'source', amount, recurrence: 'once', date: on } : {}
}

export function startValues(schedule: Schedule | undefined, address: URLSearchParams): ScheduleValues {
  const noGuard: CostGuard = { isOn: false, amount: '', waitDays: 3 }
  if (!schedule) {
    const empty = { recipientText: '', recipient: undefined, amount: '', note: '', date: '' }
    return { ...empty, side: 'target', recurrence: 'monthly', guard: noGuard, ...readAddress(address) }
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

/** Paying and receiving currency, and the currency of the typed amount. */
export function chooseCurrencies(
  { recipient, side }: ScheduleValues,
  source: CurrencyCode,
  schedule: Schedule | undefined,
) {
  const sourceCurrency = schedule?.source_currency ?? source
  const targetCurrency = schedule?.target_currency ?? (recipient?.base_currency as CurrencyCode | undefined)
  return {
    sourceCurrency,
    targetCurrency,
    typedCurrency: side === 'source' ? sourceCurrency : (targetCurrency ?? sourceCurrency),
  }
}

/** Ceiling without a guard: today's price plus ten percent, fixed so that it does not change during confirmation. */
const computeCeiling = (currency: CurrencyCode, total: string): string => {
  const { minor } = parseDecimal(currency, total)
  return toDecimal(money(currency, minor + (minor + 9n) / 10n))
}

export const isFloating = (
  values: ScheduleValues,
  { sourceCurrency, targetCurrency }: ReturnType<typeof chooseCurrencies>,
): boolean => values.side === 'target' && targetCurrency !== undefined && targetCurrency !== sourceCurrency

interface FormContext {
  readonly userId: number
  readonly source: CurrencyCode
  readonly schedule: Schedule | undefined
  /** Reason why a text matches no recipient. */
  readonly searchProblem: (text: string) => string
}

export function validateSchedule(
  values: ScheduleValues,
  { userId, source, schedule, searchProblem }: FormContext,
): FormErrors {
  const currencies = chooseCurrencies(values, source, schedule)
  if (!values.recipient) return { recipientText: searchProblem(values.recipientText) }
  if (values.recipient.id === userId) return { recipientText: schedules.nobody }
  if (!parseAmount(currencies.typedCurrency, values.amount)) return { amount: schedules.enterAmount }
  const isDateUnchanged = schedule !== undefined && values.date === (schedule.next_on ?? schedule.first_on)
  if (!isDateUnchanged && values.date < getTomorrow()) return { date: schedules.enterDate }
  if (!isFloating(values, currencies) || !values.guard.isOn) return {}
  return parseAmount(currencies.sourceCurrency, values.guard.amount) ? {} : { guard: schedules.enterAmount }
}

/** Terms of the schedule, with today's price as `total`; undefined while the form is incomplete. */
export function buildTerms(
  values: ScheduleValues,
  currencies: ReturnType<typeof chooseCurrencies>,
  total: string | undefined,
): ScheduleTerms | undefined {
  const { sourceCurrency, targetCurrency, typedCurrency } = currencies
  const { side, recurrence, date, note, guard } = values
  const amount = parseAmount(typedCurrency, values.amount)
  if (!amount || !targetCurrency) return undefined
  const isFloatingCost = isFloating(values, currencies)
  return {
    ...{
      source_currency: sourceCurrency,
      target_currency: targetCurrency,
      side,
      amount: toDecimal(amount),
      description: note,
    },
    ...{ recurrence, next_on: date, wait_days: guard.waitDays },
    ...(isFloatingCost && guard.isOn ? { rate_guard: guard.amount } : {}),
    ...(isFloatingCost && !guard.isOn && total !== undefined ? { ceiling: computeCeiling(sourceCurrency, total) } : {}),
  }
}

/**
 * Payment of each date, as a warning about its payee is about it: at the ceiling where its cost varies. Undefined for
 * an edit that changes nothing about it.
 */
export function paymentToCheck(
  terms: ScheduleTerms,
  { userId, recipientId, schedule }: { userId: number; recipientId: number; schedule: Schedule | undefined },
): PaymentToCheck | undefined {
  const { amount, side, description = '', source_currency: currency, rate_guard: guard, ceiling } = terms
  const isFloatingCost = side === 'target' && terms.target_currency !== currency
  const typed = isFloatingCost ? (guard ?? ceiling ?? '') : amount
  const parsed = parseAmount(currency, typed)
  const isSame =
    schedule?.amount === amount &&
    schedule.side === side &&
    schedule.description === description &&
    schedule.rate_guard === (guard ?? null)
  if (!parsed || isSame) return undefined
  return { userId, recipientId, description, quote: { source_amount: toDecimal(parsed), source_currency: currency } }
}
