import type { OrderEdit, NewOrder, Order } from '@tern/contract/orders/orders'
import type { RateAlertEdit, NewRateAlert, RateAlert } from '@tern/contract/orders/rate-alerts'
import type { Wallet } from '@tern/contract/wallets'
import { bridgeCurrency, type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { add, compare, type Money, money, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio } from '@tern/money/ratio'
import * as z from 'zod/mini'
import { orders as texts } from '#messages/exchange/orders.ts'
import { parseAmount, plainAmount } from '../../app/orders/amount.ts'
import { countDecimals, fromUnits, toUnits } from '../../app/rates/rate-scale.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { type RatePair, chooseRatePair, chooseStep } from './pair.ts'

export const kinds = ['limit', 'stop', 'alert'] as const
export type Kind = (typeof kinds)[number]

const code = z.string().check(z.refine(isCurrencyCode))

/** Values of the form. The rate of an alert is in `to` per unit of `from`. */
export const valuesShape = z.object({
  kind: z.enum(kinds),
  from: code as z.ZodMiniType<CurrencyCode, CurrencyCode>,
  to: code as z.ZodMiniType<CurrencyCode, CurrencyCode>,
  amount: z.string(),
  rate: z.string(),
  /** Worst rate of a stop as typed; undefined while it follows the rate. */
  worst: z.optional(z.string()),
  /** Day such as `2026-11-22`, at the end of which the order expires. */
  expires: z.string(),
})
export type OrderValues = z.output<typeof valuesShape>

export interface Command {
  readonly userId: number
  readonly values: OrderValues
  readonly call:
    | { readonly act: 'place'; readonly body: NewOrder }
    | { readonly act: 'edit'; readonly id: string; readonly body: OrderEdit }
    | { readonly act: 'alert'; readonly body: NewRateAlert }
    | { readonly act: 'editAlert'; readonly id: string; readonly body: RateAlertEdit }
}

/** Shape of a stored command, checked before it is shown again: its user, form values and kind. */
export const storedCommand = z.object({
  userId: z.int(),
  values: valuesShape,
  call: z.object({ act: z.enum(['place', 'edit', 'alert', 'editAlert']) }),
})

export type Subject =
  | { readonly is: 'new' }
  | { readonly is: 'order'; readonly order: Order }
  | { readonly is: 'alert'; readonly alert: RateAlert }

const twoDigits = (value: number): string => String(value).padStart(2, '0')

export const formatDay = (at: Date): string =>
  `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`

export function daysFromNow(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return formatDay(at)
}

/** Longest validity of an order, in days. */
export const maxDays = 365
const defaultDays = 30

const isIsoDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

type Assets = Pick<Wallet, 'base_currency' | 'assets'>

export const emptyValues = (kind: Kind, from: CurrencyCode, to: CurrencyCode): OrderValues => ({
  ...{ kind, from, to, amount: '', rate: '', worst: undefined, expires: daysFromNow(defaultDays) },
})

/** Initial pair: from the stablecoin to the base currency if its balance is not zero, otherwise the reverse. */
export function firstPair({ base_currency: base, assets }: Assets): { from: CurrencyCode; to: CurrencyCode } {
  const hasBridgeBalance = assets.some(
    ({ currency, available }) => currency === bridgeCurrency && /[1-9]/.test(available),
  )
  return hasBridgeBalance ? { from: bridgeCurrency, to: base } : { from: base, to: bridgeCurrency }
}

const trimZeros = (amount: string): string => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount)

export function initialValues(subject: Exclude<Subject, { is: 'new' }>): OrderValues {
  if (subject.is === 'alert') {
    const { source_currency: from, target_currency: to, rate } = subject.alert
    return { ...emptyValues('alert', from, to), rate }
  }
  const { kind, source_currency: from, target_currency: to, amount, rate, worst_rate: worst } = subject.order
  const expires = formatDay(new Date(subject.order.expires_at))
  return { kind, from, to, rate, amount: trimZeros(amount), expires, worst: kind === 'stop' ? worst : undefined }
}

/** Pair in which the form's rate is written. */
export function choosePair({ kind, from, to }: Pick<OrderValues, 'kind' | 'from' | 'to'>, subject: Subject): RatePair {
  if (subject.is === 'order') {
    const { rate_currency: rateCurrency } = subject.order
    return { rateCurrency, otherCurrency: rateCurrency === from ? to : from }
  }
  return kind === 'alert' ? { rateCurrency: from, otherCurrency: to } : chooseRatePair(from, to)
}

/** Parsed rate; undefined for invalid text. */
export function parseRate(text: string): string | undefined {
  const plainText = plainAmount(text)
  return /^\d{1,15}(\.\d{1,15})?$/.test(plainText) && /[1-9]/.test(plainText) ? plainText : undefined
}

export type Side = Order['rate_side']

/** Side of the rate on which the order is filled or the alert triggered. */
export function chooseSide({ kind, from }: OrderValues, rateCurrency: CurrencyCode, rate?: string, now?: string): Side {
  if (kind !== 'alert') return (kind === 'limit') === (rateCurrency === from) ? 'at_least' : 'at_most'
  return rate !== undefined && now !== undefined && toUnits(rate) < toUnits(now) ? 'at_most' : 'at_least'
}

export function isFilledAtOnce(side: Side, rate: string, now: string | undefined): boolean {
  if (now === undefined) return false
  return side === 'at_least' ? toUnits(rate) <= toUnits(now) : toUnits(rate) >= toUnits(now)
}

/** Formats a rate with the decimals of its steps, at least four for rates around one. */
export function formatTypedRate(units: bigint): string {
  const decimals = countDecimals(chooseStep(units))
  const [integerPart = '0', fraction = ''] = fromUnits(units).split('.')
  return decimals === 0 && fraction === '' ? integerPart : `${integerPart}.${fraction.padEnd(decimals, '0')}`
}

/** Default worst rate of a stop: 1 % worse, rounded towards the better rate to the decimals of its steps. */
export function computeDefaultWorst(rate: string, side: Side): string {
  const units = toUnits(rate)
  const roundingStep = 10n ** BigInt(chooseStep(units).toString().length - 1)
  const worseRate = side === 'at_most' ? (units * 99n + 99n) / 100n : (units * 101n) / 100n
  const roundedRate =
    side === 'at_most'
      ? ((worseRate + roundingStep - 1n) / roundingStep) * roundingStep
      : (worseRate / roundingStep) * roundingStep
  return formatTypedRate(roundedRate)
}

export interface Sums {
  readonly amount: Money | undefined
  readonly rate: string | undefined
  readonly worst: string | undefined
  readonly minimum: Money | undefined
  readonly fee: Money | undefined
  readonly onHold: Money | undefined
}

export const orderFee = feeBasisPoints.stablecoin_bridge

/** Minimum received and amount on hold for the form's values. */
export function computeSums(values: OrderValues, rateCurrency: CurrencyCode): Sums {
  const amount = parseAmount(values.from, values.amount)
  const rate = parseRate(values.rate)
  const side = chooseSide(values, rateCurrency)
  const worst =
    values.kind === 'limit'
      ? rate
      : values.worst === undefined
        ? rate && computeDefaultWorst(rate, side)
        : parseRate(values.worst)
  const fee = amount && computeFee(amount, orderFee)
  const toTarget = worst === undefined ? undefined : parseRatio(worst)
  return {
    ...{ amount, rate, worst, fee },
    minimum:
      amount &&
      toTarget &&
      convert(amount, values.to, rateCurrency === values.from ? toTarget : inverse(toTarget), 'up'),
    onHold: amount && fee && add(amount, fee),
  }
}

/** Amount that can be held: the available balance plus the amount already on hold for this order. */
export function computeSpendable(wallet: Assets, values: OrderValues, subject: Subject): Money {
  const available = wallet.assets.find(({ currency }) => currency === values.from)?.available ?? '0'
  const ownHold = subject.is === 'order' ? parseDecimal(values.from, subject.order.on_hold) : money(values.from, 0n)
  return add(parseDecimal(values.from, available), ownHold)
}

export type OrderErrors = { readonly [Field in 'amount' | 'rate' | 'worst' | 'expires']?: string | undefined }

export function validateOrder(values: OrderValues, sums: Sums, side: Side): OrderErrors {
  const rate = sums.rate === undefined ? texts.enterRate : undefined
  if (values.kind === 'alert') return { rate }
  const { expires, kind } = values
  const isWorstBetter =
    sums.rate !== undefined &&
    sums.worst !== undefined &&
    (side === 'at_most' ? toUnits(sums.worst) > toUnits(sums.rate) : toUnits(sums.worst) < toUnits(sums.rate))
  return {
    rate,
    amount: sums.amount ? undefined : texts.enterAmount,
    worst:
      kind === 'limit' || rate
        ? undefined
        : sums.worst === undefined
          ? texts.enterRate
          : isWorstBetter
            ? texts.worstIsBetter
            : undefined,
    expires:
      isIsoDay(expires) && expires >= daysFromNow(0) && expires <= daysFromNow(maxDays) ? undefined : texts.enterDate,
  }
}

/** Message with the shortfall; undefined if the balance suffices. */
export function describeShortfall({ onHold }: Sums, spendable: Money): string | undefined {
  if (!onHold || compare(onHold, spendable) <= 0) return undefined
  const { currency } = onHold
  return texts.notEnough(
    currency,
    formatExact(toDecimal(onHold), currency),
    formatExact(toDecimal(spendable), currency),
  )
}

/** Command for the form's values; undefined while input is missing. */
export function buildCommand(
  userId: number,
  values: OrderValues,
  subject: Subject,
  { sums, rateCurrency, side }: { sums: Sums; rateCurrency: CurrencyCode; side: Side },
): Command | undefined {
  const { kind, from, to, expires } = values
  const { rate, amount, worst } = sums
  if (rate === undefined) return undefined
  if (kind === 'alert') {
    return subject.is === 'alert'
      ? { userId, values, call: { act: 'editAlert', id: subject.alert.id, body: { rate, rate_side: side } } }
      : {
          ...{ userId, values },
          call: { act: 'alert', body: { source_currency: from, target_currency: to, rate, rate_side: side } },
        }
  }
  if (!amount) return undefined
  // An unchanged day keeps its time of day.
  const isExpiryUnchanged = subject.is === 'order' && formatDay(new Date(subject.order.expires_at)) === expires
  const terms = {
    ...{ amount: toDecimal(amount), rate },
    ...(kind === 'stop' && worst !== undefined ? { worst_rate: worst } : {}),
    ...(isExpiryUnchanged ? {} : { expires_at: endOfDay(expires) }),
  }
  if (subject.is === 'order') return { userId, values, call: { act: 'edit', id: subject.order.id, body: terms } }
  const pair = { kind, source_currency: from, target_currency: to, rate_currency: rateCurrency }
  return { userId, values, call: { act: 'place', body: { ...pair, ...terms } } }
}

/** Checks whether the form differs from the saved order or alert. */
export function isChanged(values: OrderValues, subject: Exclude<Subject, { is: 'new' }>): boolean {
  const before = initialValues(subject)
  const isSameRate = (a = '', b = '') => toUnits(parseRate(a) ?? '0') === toUnits(parseRate(b) ?? '0')
  if (!isSameRate(values.rate, before.rate)) return true
  if (subject.is === 'alert') return false
  const [amount, savedAmount] = [parseAmount(values.from, values.amount), parseAmount(values.from, before.amount)]
  const isSameAmount = amount !== undefined && savedAmount !== undefined && subtract(amount, savedAmount).minor === 0n
  return !isSameAmount || values.expires !== before.expires || !isSameRate(values.worst, before.worst)
}
