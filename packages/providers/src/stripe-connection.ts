import { type CurrencyCode, type FiatCode, isCurrencyCode, isFiatCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Stripe } from 'stripe'
import { deadlineExceeded, timeLeft, raceDeadline } from './deadline.ts'
import type { RefusedOutcome, UnknownOutcome } from './outcome.ts'

/** Our account at Stripe, and its event signing secrets. */
export interface StripeSettings {
  /** Secret or restricted key, in test or live mode. */
  readonly secretKey: string
  /** Name of the setting that holds the key, for messages to operators. */
  readonly keyName?: string
  /** Signing secrets of our event destinations; an event may be signed with any of them. */
  readonly webhookSecrets: readonly string[]
  /** Financial account (`fa_…`) for payouts. Without one, payouts are refused. */
  readonly financialAccount?: string | undefined
  /** Held currency that pays for payouts in currencies that the financial account does not hold. */
  readonly convertFrom?: FiatCode | undefined
  /** Alternative to Stripe's own address, for a proxy or a test. */
  readonly apiUrl?: string | undefined
  /** Time limit for one attempt of a call, in milliseconds. */
  readonly timeoutMs?: number
}

export interface StripeConnection extends StripeSettings {
  readonly stripe: Stripe
}

/**
 * Loads Stripe's SDK lazily, because loading takes a moment. Calls use the API version that the SDK was written for,
 * are retried twice with the same idempotency key while their request has time, and send no telemetry.
 */
export async function connectStripe(settings: StripeSettings): Promise<StripeConnection> {
  const { Stripe } = await import('stripe')
  const at = settings.apiUrl === undefined ? undefined : new URL(settings.apiUrl)
  const stripe = new Stripe(settings.secretKey, {
    maxNetworkRetries: 2,
    timeout: settings.timeoutMs ?? 10_000,
    telemetry: false,
    httpClient: withinDeadline(Stripe.createNodeHttpClient()),
    appInfo: { name: 'Tern' },
    ...(at && {
      host: at.hostname.replaceAll(/[[\]]/g, ''),
      port: at.port === '' ? (at.protocol === 'https:' ? 443 : 80) : at.port,
      protocol: at.protocol === 'https:' ? 'https' : 'http',
    }),
  })
  return { ...settings, stripe }
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>

/** Limits a client to the deadline of the current request: no attempt outlives it or starts after it. */
function withinDeadline(client: HttpClient): HttpClient {
  const makeRequest: HttpClient['makeRequest'] = (host, port, path, method, headers, data, protocol, timeout) => {
    const remainingMs = timeLeft(timeout)
    if (remainingMs <= 0) return Promise.reject(new Error(deadlineExceeded.reason))
    return client.makeRequest(host, port, path, method, headers, data, protocol, remainingMs)
  }
  return { getClientName: () => client.getClientName(), makeRequest }
}

type StripeFailure = (RefusedOutcome | UnknownOutcome) & { code: string }

/**
 * Types of errors that are transient or leave the outcome unknown: retry with the same key. They include a key reused
 * with other parameters, which shows that something exists, and an empty financial account, which its owner can fill.
 */
const transientErrors = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
  'RateLimitError',
  'StripeIdempotencyError',
  'InsufficientFundsError',
  'QuotaExceededError',
])

/** Codes whose message concerns the amount, and is shown to the payer. */
const amountErrorCodes = new Set(['amount_too_small', 'amount_too_large'])

/** Returns whether a call was refused because it is invalid or its key lacks permission: payers can fix neither. */
const isConfigurationFault = (type: string, code: string): boolean =>
  type === 'StripeAuthenticationError' ||
  type === 'StripePermissionError' ||
  /^(parameter_|api_key_expired$|platform_api_key_expired$|secret_key_required$|livemode_mismatch$|testmode_charges_only$|url_invalid$)/.test(
    code,
  )

/** Maps an SDK error to an outcome; rethrows others. Configuration faults count as unknown, so calls can be retried. */
export function toFailure({ stripe, keyName = 'STRIPE_SECRET_KEY' }: StripeConnection, error: unknown): StripeFailure {
  if (!(error instanceof stripe.errors.StripeError)) throw error
  const { type, statusCode, requestId, message } = error
  const code = error.code ?? error.rawType ?? type
  const details = [code, requestId].filter((part) => part !== undefined).join(', ')
  if (isConfigurationFault(type, code)) {
    const reason = `Stripe does not accept ${keyName}, or not for this (${details})`
    return { status: 'unknown', reason, code, fault: 'configuration' }
  }
  if (transientErrors.has(type) || statusCode === undefined) {
    return { status: 'unknown', reason: `No certain answer from Stripe (${details})`, code }
  }
  const reason = amountErrorCodes.has(code) ? message : `The payment provider does not take this (${details})`
  return { status: 'refused', reason, code }
}

/** Places an order at Stripe; maps SDK errors to outcomes. */
export async function order<Result>(
  connection: StripeConnection,
  work: () => Promise<Result>,
): Promise<Result | RefusedOutcome | UnknownOutcome> {
  try {
    return await raceDeadline(work)
  } catch (error) {
    const failure = toFailure(connection, error)
    const { status, reason } = failure
    return status === 'unknown' && failure.fault ? { status, reason, fault: failure.fault } : { status, reason }
  }
}

/** Queries Stripe; a refusal counts as unknown. */
export async function callStripe<Result>(
  connection: StripeConnection,
  work: () => Promise<Result>,
): Promise<Result | UnknownOutcome> {
  const answer = await order(connection, async () => ({ status: 'told', result: await work() }) as const)
  if (answer.status === 'told') return answer.result
  return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
}

/** Result for a malformed response from Stripe. */
export const unreadable = (subject: string): UnknownOutcome => ({
  status: 'unknown',
  reason: `Stripe's answer about ${subject} could not be read`,
})

/** Amount in Stripe's form: a JSON number of the smallest unit. */
export interface StripeAmount {
  readonly value: number
  readonly currency: string
}

/**
 * Converts our minor units for Stripe, which uses the same unit for all of our fiat currencies, the yen included.
 * Undefined for crypto, which Stripe does not move, for amounts not above zero, and for more than a JSON number holds
 * exactly.
 */
export function toStripe({ currency, minor }: Money): StripeAmount | undefined {
  // Stripe's API accepts only a JSON number, so the conversion is checked to be exact.
  const value = Number(minor)
  if (!isFiatCode(currency) || minor <= 0n || !Number.isSafeInteger(value)) return undefined
  return { value, currency: currency.toLowerCase() }
}

/** Refusal of an amount that Stripe cannot move. */
export const amountRefused = { status: 'refused', reason: 'The payment provider does not take this amount.' } as const

/** Converts an amount from Stripe; undefined unless it is positive, exact and in a supported currency. */
export function fromStripeAmount(
  value: number | null | undefined,
  currency: string | null | undefined,
): Money | undefined {
  const code = currency?.toUpperCase() ?? ''
  if (!isCurrencyCode(code) || typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return undefined
  return money(code, BigInt(value))
}

/** Converts a change from Stripe, of either sign; undefined for zero, and like `fromStripeAmount`. */
export function fromSignedStripeAmount(value: number, currency: string): Money | undefined {
  const amount = fromStripeAmount(Math.abs(value), currency) // not money: Stripe's number
  return amount && (value < 0 ? money(amount.currency, -amount.minor) : amount)
}

/** Adds parts of a balance up by currency; zero sums and unsupported currencies are left out. */
export function sumByCurrency(parts: readonly StripeAmount[]): Money[] {
  const sums = new Map<CurrencyCode, bigint>()
  for (const { value, currency } of parts) {
    const amount = fromSignedStripeAmount(value, currency)
    if (amount) sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor)
  }
  return [...sums].filter(([, minor]) => minor !== 0n).map(([currency, minor]) => money(currency, minor))
}

/** Returns the id of a reference, which Stripe sends as an id or as the whole object. */
export const readId = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

/** Returns the whole object if Stripe expanded it; undefined for a bare id. */
export const expandedObject = <T extends { id: string }>(reference: string | T | null | undefined): T | undefined =>
  typeof reference === 'object' && reference !== null ? reference : undefined

export const fromUnixSeconds = (seconds: number): Date => new Date(seconds * 1000)
