import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { readObject, readPositive, readSafeInteger, readText } from '../json.ts'
import { createSandboxHttp, type SandboxAnswer, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import { isKeepable } from './kept-card.ts'
import type { CardProvider, CheckoutRequest, CollectionState, DeclineReason, KeptCard } from './port.ts'

const declineReasons: readonly DeclineReason[] = ['canceled', 'expired', 'declined', 'insufficient_funds', 'failed']

/** The statuses of something that has ended without money. */
const endedWithout: ReadonlySet<string> = new Set(['canceled', 'expired', 'declined', 'failed'])

/** The amount an answer or event of the sandbox names. */
export function readAmount(body: unknown): Money | undefined {
  const minor = readPositive(body, 'amount_minor')
  const currency = readText(body, 'currency') ?? ''
  return minor && isCurrencyCode(currency) ? money(currency, minor) : undefined
}

function readCard(body: unknown): KeptCard | undefined {
  const card = readObject(body, 'card')
  const token = readText(card, 'token')
  const fingerprint = readText(card, 'fingerprint')
  const brand = readText(card, 'brand')
  const last4 = readText(card, 'last4')
  const expMonth = readSafeInteger(card, 'exp_month')
  const expYear = readSafeInteger(card, 'exp_year')
  if (!token || !fingerprint || !brand || !last4 || !expMonth || !expYear) return undefined
  const kept = { token, fingerprint, brand, last4, expMonth, expYear }
  return isKeepable(kept) ? kept : undefined
}

/** What an answer or event of the sandbox says about money that is collected; undefined when it cannot be read. */
export function readCollection(body: unknown): Exclude<CollectionState, { status: 'unknown' }> | undefined {
  const status = readText(body, 'status')
  const paymentId = readText(body, 'reference')
  if (!paymentId || !status) return undefined
  if (status === 'open' || status === 'processing') return { status: 'open', paymentId }
  if (endedWithout.has(status)) {
    const told = readText(body, 'reason') ?? status
    // The sandbox tells every reason a bank may have; the port knows those that people are told apart.
    const reason = declineReasons.find((known) => known === told) ?? (status === 'declined' ? 'declined' : 'failed')
    return { status: 'declined', paymentId, reason }
  }
  // A status that is not known here is no verdict.
  if (status !== 'paid') return undefined
  const amount = readAmount(body)
  const captureId = readText(body, 'capture_id')
  const card = readCard(body)
  return amount && captureId
    ? { status: 'settled', paymentId, amount, captureId, ...(card ? { card } : {}) }
    : undefined
}

/** The state an answer tells; `what` names the thing asked about. */
export function collectionOf(answer: SandboxAnswer, what: string): CollectionState {
  if (answer.status === 'done') return readCollection(answer.body) ?? unreadable(what)
  return { status: 'unknown', reason: answer.status === 'refused' ? answer.message : answer.reason }
}

const orderOf = ({
  paymentId,
  amount,
  description,
  returnUrl,
}: Omit<CheckoutRequest, 'idempotencyKey' | 'saveCard'>) => ({
  amount_minor: amount.minor.toString(),
  currency: amount.currency,
  reference: paymentId,
  description,
  return_url: returnUrl,
})

/** Card payments on the sandbox's hosted checkout page. */
export function createSandboxCard(connection: SandboxConnection): CardProvider {
  const http = createSandboxHttp(connection)
  const sessionPath = (sessionId: string) => `/api/checkout/sessions/${encodeURIComponent(sessionId)}`
  return {
    async createCheckout({ idempotencyKey, saveCard, ...order }) {
      const answer = await http.request('POST', '/api/checkout/sessions', {
        idempotencyKey,
        body: { ...orderOf(order), save_card: saveCard },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const sessionId = readText(answer.body, 'session_id')
      const url = readText(answer.body, 'url')
      return sessionId && url ? { status: 'created', sessionId, url } : unreadable('a new checkout')
    },

    async charge({ idempotencyKey, cardToken, ...order }) {
      const answer = await http.request('POST', '/api/charges', {
        idempotencyKey,
        body: { ...orderOf(order), card_token: cardToken },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const sessionId = readText(answer.body, 'session_id')
      return sessionId
        ? { status: 'created', sessionId, url: readText(answer.body, 'url') ?? null }
        : unreadable('a charge')
    },

    async lookup(sessionId) {
      return collectionOf(await http.request('GET', sessionPath(sessionId)), 'a checkout')
    },

    async cancel(sessionId) {
      return collectionOf(await http.request('POST', `${sessionPath(sessionId)}/cancel`), 'a checkout')
    },

    async forgetCard(token) {
      const answer = await http.request('POST', `/api/cards/${encodeURIComponent(token)}/forget`)
      return answer.status === 'done' || (answer.status === 'refused' && answer.httpStatus === 404)
    },
  }
}
