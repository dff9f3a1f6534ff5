import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { readObject, readPositive, readSafeInteger, readText, readTexts } from '../json.ts'
import type { KnownOutcome } from '../outcome.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import { isSavableCard } from './savable-card.ts'
import type { CardProvider, CollectionState, DeclineReason, KeptCard } from './port.ts'

const declineReasons: readonly DeclineReason[] = ['canceled', 'expired', 'declined', 'insufficient_funds', 'failed']

/** Statuses of payments that ended without money. */
const failedStatuses: ReadonlySet<string> = new Set(['canceled', 'expired', 'declined', 'failed'])

export function readAmount(body: unknown): Money | undefined {
  const minor = readPositive(body, 'amount_minor')
  const currency = readText(body, 'currency') ?? ''
  return minor && isCurrencyCode(currency) ? money(currency, minor) : undefined
}

function readCard(body: unknown): KeptCard | undefined {
  const card = readObject(body, 'card')
  const texts = readTexts(card, 'token', 'fingerprint', 'brand', 'last4')
  const expMonth = readSafeInteger(card, 'exp_month')
  const expYear = readSafeInteger(card, 'exp_year')
  const savedCard = texts && expMonth && expYear ? { ...texts, expMonth, expYear } : undefined
  return savedCard && isSavableCard(savedCard) ? savedCard : undefined
}

/** Parses a payment's state in a sandbox reply or event; undefined if unreadable. */
export function readCollection(body: unknown): KnownOutcome<CollectionState> | undefined {
  const status = readText(body, 'status')
  const paymentId = readText(body, 'reference')
  if (!paymentId || !status) return undefined
  if (status === 'open') return { status, paymentId }
  if (status === 'processing') return { status: 'open', paymentId, isProcessing: true }
  if (failedStatuses.has(status)) {
    const reasonText = readText(body, 'reason') ?? status
    // The sandbox reports more bank reasons than the port has; the rest become `declined` or `failed`.
    const reason =
      declineReasons.find((known) => known === reasonText) ?? (status === 'declined' ? 'declined' : 'failed')
    return { status: 'declined', paymentId, reason }
  }
  const amount = readAmount(body)
  if (status === 'authorized') {
    const cardFingerprint = readText(body, 'card_fingerprint')
    return amount && { status, paymentId, amount, ...(cardFingerprint ? { cardFingerprint } : {}) }
  }
  // Any other status leaves the state unknown.
  if (status !== 'paid') return undefined
  const captureId = readText(body, 'capture_id')
  const card = readCard(body)
  return amount && captureId
    ? { status: 'settled', paymentId, amount, captureId, ...(card ? { card } : {}) }
    : undefined
}

/** Common fields of payments and payouts in sandbox orders; `reference` is our payment or payout id. */
export const buildOrder = (
  reference: string,
  order: { amount: Money; description: string; idempotencyKey: string },
): Record<string, string> => ({
  amount_minor: order.amount.minor.toString(),
  currency: order.amount.currency,
  reference,
  description: order.description,
  idempotencyKey: order.idempotencyKey,
})

/** Card payments on the sandbox's hosted checkout page. */
export function createSandboxCardProvider(connection: SandboxConnection): CardProvider {
  const http = createSandboxHttp(connection)
  const sessionPath = (sessionId: string) => `/api/checkout/sessions/${encodeURIComponent(sessionId)}`
  return {
    createCheckout({ paymentId, saveCard, capturesLater, returnUrl, ...request }) {
      const flags = { save_card: saveCard, captures_later: capturesLater ?? false }
      const order = { ...buildOrder(paymentId, request), return_url: returnUrl, ...flags }
      return http.order('/api/checkout/sessions', order, 'a new checkout', (body) => {
        const createdCheckout = readTexts(body, 'session_id', 'url')
        return createdCheckout && { status: 'created', sessionId: createdCheckout.session_id, url: createdCheckout.url }
      })
    },
    charge({ paymentId, cardToken, capturesLater, returnUrl, ...request }) {
      const terms = { return_url: returnUrl, card_token: cardToken, captures_later: capturesLater ?? false }
      const order = { ...buildOrder(paymentId, request), ...terms }
      return http.order('/api/charges', order, 'a charge', (body) => {
        const sessionId = readText(body, 'session_id')
        return sessionId ? { status: 'created', sessionId, url: readText(body, 'url') ?? null } : undefined
      })
    },
    lookup: (sessionId) => http.ask(['GET', sessionPath(sessionId)], 'a checkout', readCollection),
    capture: (sessionId) => http.ask(['POST', `${sessionPath(sessionId)}/capture`], 'a checkout', readCollection),
    cancel: (sessionId) => http.ask(['POST', `${sessionPath(sessionId)}/cancel`], 'a checkout', readCollection),
    forgetCard: (token) => http.end(`/api/cards/${encodeURIComponent(token)}/forget`),
  }
}
