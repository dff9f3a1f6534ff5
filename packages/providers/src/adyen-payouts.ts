import { createHmac, timingSafeEqual } from 'node:crypto'
import { isFiatCode } from '@tern/money/currency'
import {
  type AdyenConnection,
  adyenKeysKeptMs,
  type AdyenOrder,
  askAdyen,
  callAdyen,
  readAmount,
  unreadable,
  writeAmount,
} from './adyen-http.ts'
import { createAdyenSetup } from './adyen-setup.ts'
import { type EventHeaders, type ProviderEvent, type ProviderEvents, SignatureError } from './events/port.ts'
import { readList, readObject, readSafeInteger, readText } from './json.ts'
import type { MoneyProvider } from './money.ts'
import type { KnownOutcome } from './outcome.ts'
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
  const connection = connect(settings)
  return {
    keysKeptMs: adyenKeysKeptMs,
    needsPayee: true,

    async pay(request) {
      const { amount, payee } = request
      if (amount.minor <= 0n || !isFiatCode(amount.currency) || !payee) {
        return { status: 'refused', reason: 'The payment provider cannot pay this amount to this account.' }
      }
      const answer = await callAdyen(connection, 'POST', '/transfers', writeTransfer(settings, { ...request, payee }))
      if (answer.status !== 'done') return answer
      const id = readText(answer.body, 'id')
      const status = readText(answer.body, 'status')
      if (id === undefined || status === undefined) return unreadable
      if (status === 'refused') return { status, reason: readReason(answer.body) }
      return { status: 'accepted', providerPayoutId: id }
    },

    async lookup(id) {
      const answer = await askAdyen(connection, `/transfers/${encodeURIComponent(id)}`)
      return answer.status === 'done' ? (readTransfer(answer.body) ?? unreadable) : answer
    },
  }
}

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
  return { body: `{"amount":${writeAmount(amount)},${JSON.stringify(transfer).slice(1)}`, idempotencyKey }
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

const connect = ({ apiKey, apiUrl, timeoutMs }: AdyenSettings): AdyenConnection => ({
  apiKey,
  keyName: 'ADYEN_API_KEY',
  baseUrl: `${apiUrl}/btl/v4`,
  timeoutMs,
})

/** Checks the key by listing transfers of a day. A missing reply proves nothing about the key. */
async function check(settings: AdyenSettings): Promise<string | undefined> {
  const query = new URLSearchParams({
    balanceAccountId: settings.balanceAccount,
    createdSince: '2026-01-01T00:00:00Z',
    createdUntil: '2026-01-02T00:00:00Z',
    limit: '1',
  })
  const answer = await askAdyen(connect(settings), `/transfers?${query.toString()}`)
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}
