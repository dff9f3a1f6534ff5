import { isCurrencyCode, isFiatCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Stripe } from 'stripe'
import { outOfTime, timeLeft, untilDeadline } from './deadline.ts'
import type { Refused, Unknown } from './outcome.ts'

/** Which account at Stripe is ours, and how it signs its events. */
export interface StripeSettings {
  /** A secret or restricted key, of the test or the live mode. */
  readonly secretKey: string
  /** Where operators set the key, for what they are told of it. */
  readonly keyName?: string
  /** The signing secrets of our event destinations; an event may be signed with any of them. */
  readonly webhookSecrets: readonly string[]
  /** The financial account (`fa_…`) that payouts are made from. Without one, nothing is paid out. */
  readonly financialAccount?: string | undefined
  /** Another address than Stripe's own, for a proxy or a test. */
  readonly apiUrl?: string | undefined
  /** How long one attempt of a call may take. */
  readonly timeoutMs?: number
}

export interface StripeConnection extends StripeSettings {
  readonly stripe: Stripe
}

/**
 * Loads Stripe's SDK, which takes a moment and is therefore left alone until somebody needs it. Calls are made with the
 * version of the API that the SDK was written for, repeated twice with the same idempotency key as long as their request has time,
 * and not measured.
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

/** The same client, limited to the deadline of the current request: no attempt outlives it or begins after it. */
function withinDeadline(client: HttpClient): HttpClient {
  const makeRequest: HttpClient['makeRequest'] = (host, port, path, method, headers, data, protocol, timeout) => {
    const left = timeLeft(timeout)
    if (left <= 0) return Promise.reject(new Error(outOfTime.reason))
    return client.makeRequest(host, port, path, method, headers, data, protocol, left)
  }
  return { getClientName: () => client.getClientName(), makeRequest }
}

type StripeFailure = (Refused | Unknown) & { code: string }

/**
 * Errors that say nothing about whether it was carried out, or that can be over by themselves: to be repeated with the
 * same key. Among them is a key that was used with other parameters, because then something does exist, and an empty
 * financial account, which its owner fills.
 */
const passing = new Set([
  'StripeConnectionError',
  'StripeAPIError',
  'StripeRateLimitError',
  'RateLimitError',
  'StripeIdempotencyError',
  'InsufficientFundsError',
  'QuotaExceededError',
])

/** What Stripe says about an amount is for whoever typed it. */
const aboutTheAmount = new Set(['amount_too_small', 'amount_too_large'])

/** Whether a call was refused because it is invalid or its key lacks the right: payers cannot fix either. */
const isOurFault = (type: string, code: string): boolean =>
  type === 'StripeAuthenticationError' ||
  type === 'StripePermissionError' ||
  /^(parameter_|api_key_expired$|platform_api_key_expired$|secret_key_required$|livemode_mismatch$|testmode_charges_only$|url_invalid$)/.test(
    code,
  )

/** Maps an SDK error to an outcome; rethrows others. Configuration faults leave the outcome unknown, so the call can be retried. */
export function failureOf({ stripe, keyName = 'STRIPE_SECRET_KEY' }: StripeConnection, error: unknown): StripeFailure {
  if (!(error instanceof stripe.errors.StripeError)) throw error
  const { type, statusCode, requestId, message } = error
  const code = error.code ?? error.rawType ?? type
  const told = [code, requestId].filter((part) => part !== undefined).join(', ')
  if (isOurFault(type, code)) {
    const reason = `Stripe does not accept ${keyName}, or not for this (${told})`
    return { status: 'unknown', reason, code, fault: 'configuration' }
  }
  if (passing.has(type) || statusCode === undefined) {
    return { status: 'unknown', reason: `No certain answer from Stripe (${told})`, code }
  }
  const reason = aboutTheAmount.has(code) ? message : `The payment provider does not take this (${told})`
  return { status: 'refused', reason, code }
}

/** Orders something from Stripe; an error of the SDK becomes what it means. */
export async function order<Result>(
  connection: StripeConnection,
  work: () => Promise<Result>,
): Promise<Result | Refused | Unknown> {
  try {
    return await untilDeadline(work)
  } catch (error) {
    const failure = failureOf(connection, error)
    const { status, reason } = failure
    return status === 'unknown' && failure.fault ? { status, reason, fault: failure.fault } : { status, reason }
  }
}

/** The same where only an answer is asked for: what Stripe does not tell is unknown. */
export async function ask<Result>(
  connection: StripeConnection,
  work: () => Promise<Result>,
): Promise<Result | Unknown> {
  const answer = await order(connection, async () => ({ status: 'told', result: await work() }) as const)
  if (answer.status === 'told') return answer.result
  return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
}

/** An answer of Stripe that is not what it should be. */
export const unreadable = (what: string): Unknown => ({
  status: 'unknown',
  reason: `Stripe's answer about ${what} could not be read`,
})

/** An amount as Stripe takes it: a JSON number of the smallest unit. */
export interface StripeAmount {
  readonly value: number
  readonly currency: string
}

/**
 * Our minor units for Stripe, which counts all of our fiat currencies in the same unit, the yen among them. Undefined for
 * what Stripe moves none of (crypto) and for more than a JSON number holds exactly.
 */
export function toStripe({ currency, minor }: Money): StripeAmount | undefined {
  // Checked to be the same number; Stripe's API takes no other form.
  const value = Number(minor)
  if (!isFiatCode(currency) || minor <= 0n || !Number.isSafeInteger(value)) return undefined
  return { value, currency: currency.toLowerCase() }
}

/** The refusal of an amount that Stripe cannot move. */
export const notTaken = { status: 'refused', reason: 'The payment provider does not take this amount.' } as const

/** An amount that Stripe names; undefined when it is not above zero, not exact or in a currency that is none of ours. */
export function fromStripe(value: number | null | undefined, currency: string | null | undefined): Money | undefined {
  const code = currency?.toUpperCase() ?? ''
  if (!isCurrencyCode(code) || typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return undefined
  return money(code, BigInt(value))
}

/** The id of what Stripe may give as an id or as the whole object. */
export const idOf = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

/** The whole object where Stripe gave it; undefined where it gave the id alone. */
export const whole = <T extends { id: string }>(reference: string | T | null | undefined): T | undefined =>
  typeof reference === 'object' && reference !== null ? reference : undefined

/** A return address with what happened added to its query. */
export function returnTo(address: string, added: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value)
  return url.href
}

/** A moment that Stripe gives in seconds. */
export const atSeconds = (seconds: number): Date => new Date(seconds * 1000)
