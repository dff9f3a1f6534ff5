import { createHmac, timingSafeEqual } from 'node:crypto'
import { isCurrencyCode, isFiatCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { createAdyenSetup } from './adyen-setup.ts'
import { deadlineExceeded, timeLeft } from './deadline.ts'
import { type EventHeaders, type ProviderEvent, type ProviderEvents, SignatureError } from './events/port.ts'
import { readList, readObject, readSafeInteger, readText } from './json.ts'
import type { MoneyProvider } from './money.ts'
import type { KnownOutcome, RefusedOutcome, UnknownOutcome } from './outcome.ts'
import type { AccountNumbers, Payee, PayoutProvider, PayoutRequest, PayoutState } from './payout/port.ts'

/** Our balance platform at Adyen. */
export interface AdyenSettings {
  readonly apiKey: string
  /** Balance account (`BA…`) from which payouts are made. */
  readonly balanceAccount: string
  /** HMAC keys of our webhook, in hexadecimal; an event may be signed with any of them. */
  readonly webhookKeys: readonly string[]
  /** Origin of the Transfers API, test or live. */
  readonly apiUrl: string
  /** Time limit for one call, in milliseconds. */
  readonly timeoutMs?: number
}

// Adyen keeps keys for at least 31 days (docs.adyen.com/development-resources/api-idempotency).
const keysKeptMs = 30 * 24 * 3_600_000

/** Pays to account numbers with Adyen's Transfers API, version 4. */
export function createAdyenPayouts(settings: AdyenSettings): MoneyProvider {
  return {
    name: 'adyen',
    payout: createPayoutProvider(settings),
    events: createEvents(settings),
    setup: createAdyenSetup(settings),
    check: () => check(settings),
  }
}

function createPayoutProvider(settings: AdyenSettings): PayoutProvider {
  return {
    keysKeptMs,
    needsPayee: true,

    async pay(request) {
      const { amount, payee } = request
      if (amount.minor <= 0n || !isFiatCode(amount.currency) || !payee) {
        return { status: 'refused', reason: 'The payment provider cannot pay this amount to this account.' }
      }
      const answer = await call(settings, 'POST', '/transfers', writeTransfer(settings, { ...request, payee }))
      if (answer.status !== 'done') return answer
      const id = readText(answer.body, 'id')
      const status = readText(answer.body, 'status')
      if (id === undefined || status === undefined) return unreadable
      if (status === 'refused') return { status, reason: readReason(answer.body) }
      return { status: 'accepted', providerPayoutId: id }
    },

    async lookup(id) {
      const answer = await call(settings, 'GET', `/transfers/${encodeURIComponent(id)}`)
      if (answer.status === 'done') return readTransfer(answer.body) ?? unreadable
      return answer.status === 'unknown' ? answer : { status: 'unknown', reason: answer.reason }
    },
  }
}

interface AdyenOrder {
  readonly body: string
  readonly idempotencyKey: string
}

/** Writes the request. The amount is an exact integer literal, however large. */
function writeTransfer(
  { balanceAccount }: AdyenSettings,
  { payoutId, amount, description, idempotencyKey, payee }: PayoutRequest & { payee: Payee },
): AdyenOrder {
  const transfer = {
    balanceAccountId: balanceAccount,
    category: 'bank',
    priority: 'regular',
    reference: payoutId,
    description: plain(description).slice(0, 140),
    counterparty: {
      bankAccount: {
        accountHolder: { fullName: payee.holderName },
        accountIdentification: writeIdentification(payee.numbers),
      },
    },
  }
  const value = `{"currency":"${amount.currency}","value":${amount.minor}}`
  return { body: `{"amount":${value},${JSON.stringify(transfer).slice(1)}`, idempotencyKey }
}

function writeIdentification(numbers: AccountNumbers): object {
  if (numbers.scheme === 'iban') return { type: 'iban', iban: numbers.iban }
  const { accountNumber } = numbers
  if (numbers.scheme === 'us') return { type: 'usLocal', accountNumber, routingNumber: numbers.routingNumber }
  return { type: 'ukLocal', accountNumber, sortCode: numbers.sortCode }
}

/** Reduces a text to the characters that Adyen allows in descriptions to banks of every country. */
const plain = (text: string): string => text.normalize('NFKD').replaceAll(/[^A-Za-z0-9 -]/g, '')

// A status that is in neither list is unknown.
const runningStatuses: ReadonlySet<string> = new Set([
  'received',
  'pending',
  'pendingApproval',
  'approvalPending',
  'pendingExecution',
  'authorised',
])
const failedStatuses: ReadonlySet<string> = new Set(['refused', 'rejected', 'cancelled', 'failed', 'returned'])

const reasons: Readonly<Record<string, string>> = {
  amountLimitExceeded: 'payout_method_amount_limit_exceeded',
  counterpartyAccountBlocked: 'bank_account_restricted',
  counterpartyAccountClosed: 'account_closed',
  counterpartyAccountNotFound: 'no_account',
  declined: 'declined',
  invalidToAccount: 'invalid_account_number',
  refusedByCounterpartyBank: 'declined',
}

function readReason(transfer: unknown): string {
  const details = readText(transfer, 'reason') ?? readText(transfer, 'status') ?? 'failed'
  return reasons[details] ?? details
}

/**
 * Reads a transfer of one of our payouts; undefined if its state cannot be determined. A booked transfer can still
 * fail or be returned; its events then show that it had been booked.
 */
function readTransfer(transfer: unknown): KnownOutcome<PayoutState> | undefined {
  const id = readText(transfer, 'id')
  const payoutId = readText(transfer, 'reference')
  const status = readText(transfer, 'status') ?? ''
  if (id === undefined || payoutId === undefined) return undefined
  if (runningStatuses.has(status)) return { status: 'open', payoutId }
  const amount = readAmount(transfer)
  if (status === 'booked') return amount && { status: 'settled', payoutId, amount, paidId: id }
  if (!failedStatuses.has(status)) return undefined
  const reason = readReason(transfer)
  const wasBooked = readWasBooked(transfer)
  if (status === 'returned' || wasBooked) {
    return amount && { status: 'returned', payoutId, amount, paidId: id, returnId: `${id}:returned`, reason }
  }
  // Without its events, it is unknown whether a failed transfer had been booked.
  return wasBooked === undefined && status === 'failed' ? undefined : { status: 'failed', payoutId, reason }
}

function readWasBooked(transfer: unknown): boolean | undefined {
  return readList(transfer, 'events')?.some((event) => readText(event, 'status') === 'booked')
}

function readAmount(transfer: unknown): Money | undefined {
  const amount = readObject(transfer, 'amount')
  const currency = readText(amount, 'currency') ?? ''
  const value = readSafeInteger(amount, 'value')
  return isCurrencyCode(currency) && value !== undefined && value > 0 ? money(currency, BigInt(value)) : undefined
}

const isTransferEvent = (type: string): boolean => /^balancePlatform\.transfer\.(created|updated)$/.test(type)

function createEvents({ webhookKeys, balanceAccount }: AdyenSettings): ProviderEvents {
  return {
    verify(rawBody, headers): ProviderEvent {
      const bytes = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
      checkSignature(bytes, headers, webhookKeys)
      const event: unknown = JSON.parse(bytes.toString('utf8'))
      const type = readText(event, 'type') ?? 'unknown'
      const transfer = readObject(event, 'data')
      const id = readText(transfer, 'id')
      const number = readSafeInteger(transfer, 'sequenceNumber')
      const isOwnAccount = readText(readObject(transfer, 'balanceAccount'), 'id') === balanceAccount
      const unhandledEvent = { id: `${type}:${id ?? ''}:${number ?? ''}`, about: 'unhandled', type } as const
      if (!isTransferEvent(type) || !isOwnAccount || readText(transfer, 'category') !== 'bank') return unhandledEvent
      if (id === undefined || number === undefined) throw new Error('A signed transfer event has no id or number')
      const state = readTransfer(transfer)
      return state ? { id: `${id}:${number}`, about: 'payout', providerPayoutId: id, state } : unhandledEvent
    },
  }
}

/** Verifies the Base64 HMAC of the exact bytes. It includes no timestamp; event ids make a replay harmless. */
function checkSignature(bytes: Buffer, headers: EventHeaders, keys: readonly string[]): void {
  const header = headers['hmacsignature']
  if (typeof header !== 'string') throw new SignatureError('The event has no signature')
  const signature = Buffer.from(header, 'base64')
  const isAuthentic = keys.some((key) => {
    const ownSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(bytes).digest()
    return ownSignature.length === signature.length && timingSafeEqual(ownSignature, signature)
  })
  if (!isAuthentic) throw new SignatureError('The event is signed with a key that is not known here')
}

type AdyenAnswer = { status: 'done'; body: unknown } | RefusedOutcome | UnknownOutcome

const unreadable: UnknownOutcome = { status: 'unknown', reason: "Adyen's answer could not be read" }

async function call(
  settings: AdyenSettings,
  method: 'GET' | 'POST',
  path: string,
  order?: AdyenOrder,
): Promise<AdyenAnswer> {
  const remainingMs = timeLeft(settings.timeoutMs ?? 10_000)
  if (remainingMs <= 0) return deadlineExceeded
  const headers: Record<string, string> = { accept: 'application/json', 'x-api-key': settings.apiKey }
  if (order) {
    headers['content-type'] = 'application/json'
    headers['idempotency-key'] = order.idempotencyKey
  }
  try {
    const response = await fetch(`${settings.apiUrl}/btl/v4${path}`, {
      method,
      headers,
      body: order?.body ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(remainingMs),
    })
    return readAnswer(response.status, await response.text(), response.headers.get('transient-error') === 'true')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { status: 'unknown', reason: `No answer from Adyen to ${method} ${path}: ${reason}` }
  }
}

// A request with the same key is still in progress.
const inProgressCode = '704'

function readAnswer(httpStatus: number, text: string, isTransient: boolean): AdyenAnswer {
  if (httpStatus === 401 || httpStatus === 403) {
    const reason = `Adyen does not accept ADYEN_API_KEY, or not for this (${httpStatus})`
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
  const details = [code, readText(body, 'requestId')].filter((part) => part !== undefined).join(', ')
  // Only a validation error proves that no transfer was created.
  if (httpStatus !== 422 || code === undefined || isTransient || code === inProgressCode) {
    return { status: 'unknown', reason: `Adyen answered ${httpStatus} (${details})` }
  }
  return { status: 'refused', reason: `The payment provider does not take this (${details})` }
}

/** Checks the key by listing transfers of a day. A missing reply proves nothing about the key. */
async function check(settings: AdyenSettings): Promise<string | undefined> {
  const query = new URLSearchParams({
    balanceAccountId: settings.balanceAccount,
    createdSince: '2026-01-01T00:00:00Z',
    createdUntil: '2026-01-02T00:00:00Z',
    limit: '1',
  })
  const answer = await call(settings, 'GET', `/transfers?${query.toString()}`)
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}
