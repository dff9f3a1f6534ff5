import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { deadlineExceeded, timeLeft } from './deadline.ts'
import { readObject, readSafeInteger, readText } from './json.ts'
import type { RefusedOutcome, UnknownOutcome } from './outcome.ts'

// Adyen keeps keys for at least 31 days (docs.adyen.com/development-resources/api-idempotency).
export const adyenKeysKeptMs = 30 * 24 * 3_600_000

/** One of Adyen's APIs, and our key for it. */
export interface AdyenConnection {
  readonly apiKey: string
  /** Name of the setting that holds the key, for messages to operators. */
  readonly keyName: string
  /** Address of the API, with its version. */
  readonly baseUrl: string
  /** Time limit for one call, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

export interface AdyenOrder {
  readonly body: string
  /** At most 64 characters. */
  readonly idempotencyKey?: string
}

/** `refused`: a validation error, which proves that nothing was done. */
export type AdyenAnswer = { status: 'done'; body: unknown } | RefusedOutcome | UnknownOutcome

/** Writes an amount as an exact integer literal, however large. */
export const writeAmount = ({ currency, minor }: Money): string => `{"currency":"${currency}","value":${minor}}`

/** Reads an amount; undefined unless it is positive, exact and in a supported currency. */
export function readAmount(body: unknown): Money | undefined {
  const amount = readObject(body, 'amount')
  const currency = readText(amount, 'currency') ?? ''
  const value = readSafeInteger(amount, 'value')
  return isCurrencyCode(currency) && value !== undefined && value > 0 ? money(currency, BigInt(value)) : undefined
}

export const unreadable: UnknownOutcome = { status: 'unknown', reason: "Adyen's answer could not be read" }

export async function callAdyen(
  connection: AdyenConnection,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  order?: AdyenOrder,
): Promise<AdyenAnswer> {
  const remainingMs = timeLeft(connection.timeoutMs ?? 10_000)
  if (remainingMs <= 0) return deadlineExceeded
  const headers: Record<string, string> = { accept: 'application/json', 'x-api-key': connection.apiKey }
  if (order) headers['content-type'] = 'application/json'
  if (order?.idempotencyKey !== undefined) headers['idempotency-key'] = order.idempotencyKey
  try {
    const response = await fetch(connection.baseUrl + path, {
      method,
      headers,
      body: order?.body ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(remainingMs),
    })
    const isTransient = response.headers.get('transient-error') === 'true'
    return readAnswer(connection, response.status, await response.text(), isTransient)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { status: 'unknown', reason: `No answer from Adyen to ${method} ${path}: ${reason}` }
  }
}

/** Queries Adyen; a refusal counts as unknown. */
export async function askAdyen(
  connection: AdyenConnection,
  path: string,
): Promise<{ status: 'done'; body: unknown } | UnknownOutcome> {
  const answer = await callAdyen(connection, 'GET', path)
  return answer.status === 'refused' ? { status: 'unknown', reason: answer.reason } : answer
}

// A request with the same key is still in progress.
const inProgressCode = '704'

function readAnswer({ keyName }: AdyenConnection, httpStatus: number, text: string, isTransient: boolean): AdyenAnswer {
  if (httpStatus === 401 || httpStatus === 403) {
    const reason = `Adyen does not accept ${keyName}, or not for this (${httpStatus})`
    return { status: 'unknown', reason, fault: 'configuration' }
  }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { status: 'unknown', reason: `Adyen answered ${httpStatus} without JSON` }
  }
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'done', body }
  const code = readText(body, 'errorCode')
  const details = [code, readText(body, 'requestId') ?? readText(body, 'pspReference')]
    .filter((part) => part !== undefined)
    .join(', ')
  // Only a validation error proves that nothing was created.
  if (httpStatus !== 422 || code === undefined || isTransient || code === inProgressCode) {
    return { status: 'unknown', reason: `Adyen answered ${httpStatus} (${details})` }
  }
  return { status: 'refused', reason: `The payment provider does not take this (${details})` }
}
