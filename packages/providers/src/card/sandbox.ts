import { createHmac, timingSafeEqual } from 'node:crypto'
import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { readDate, readObject, readPositive, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import {
  type CardEvent,
  type CardProvider,
  type CheckoutState,
  type DeclineReason,
  type EventHeaders,
  SignatureError,
} from './port.ts'

const toleranceMs = 5 * 60 * 1000

const declineReasons: readonly DeclineReason[] = ['canceled', 'expired', 'failed']

function readAmount(body: unknown): Money | undefined {
  const minor = readPositive(body, 'amount_minor')
  const currency = readText(body, 'currency') ?? ''
  return minor && isCurrencyCode(currency) ? money(currency, minor) : undefined
}

function readState(body: unknown): CheckoutState {
  const status = readText(body, 'status')
  const paymentId = readText(body, 'reference')
  if (!paymentId) return unreadable('a checkout')
  if (status === 'open') return { status, paymentId }
  const reason = declineReasons.find((known) => known === status)
  if (reason) return { status: 'declined', paymentId, reason }
  const amount = readAmount(body)
  const captureId = readText(body, 'capture_id')
  if (status !== 'paid' || !amount || !captureId) return unreadable('a checkout')
  return { status: 'settled', paymentId, amount, captureId }
}

function checkSignature(rawBody: Buffer, header: string, secret: string, now: Date): void {
  const parts = header.split(',').map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3))
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError('The signature has no timestamp')
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const authentic = signatures.some((signature) => {
    const given = Buffer.from(/^[0-9a-f]{64}$/.test(signature) ? signature : '', 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!authentic) throw new SignatureError('The signature does not match')
  const ageMs = now.getTime() - Number.parseInt(timestamp, 10) * 1000
  if (Math.abs(ageMs) > toleranceMs)
    throw new SignatureError('The signature is outside the five minutes it is good for')
}

function readEvent(text: string): CardEvent {
  const event: unknown = JSON.parse(text)
  const data = readObject(event, 'data')
  const id = readText(event, 'id')
  const type = readText(event, 'type')
  if (!id || !type) throw new Error('A signed event has no id or no type')
  const ending = /^checkout\.(paid|canceled|expired|failed)$/.exec(type)?.[1]
  if (!ending) return { id, status: 'unhandled', type }
  const sessionId = readText(data, 'session_id')
  const paymentId = readText(data, 'reference')
  const amount = readAmount(data)
  const occurredAt = readDate(event, 'created_at')
  if (!sessionId || !paymentId || !amount || !occurredAt) throw new Error(`The signed event ${id} is incomplete`)
  const common = { id, sessionId, paymentId, amount, occurredAt }
  const reason = declineReasons.find((known) => known === (readText(data, 'reason') ?? ending))
  if (ending !== 'paid') return { ...common, status: 'declined', reason: reason ?? 'failed' }
  const captureId = readText(data, 'capture_id')
  if (!captureId) throw new Error(`The signed event ${id} names no capture`)
  return { ...common, status: 'settled', captureId }
}

const single = (headers: EventHeaders, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** Card payments on the sandbox's hosted checkout page. */
export function createSandboxCard(connection: SandboxConnection): CardProvider {
  const http = createSandboxHttp(connection)
  return {
    async createCheckout({ paymentId, amount, description, returnUrl, idempotencyKey }) {
      const answer = await http.request('POST', '/api/checkout/sessions', {
        idempotencyKey,
        body: {
          amount_minor: amount.minor.toString(),
          currency: amount.currency,
          reference: paymentId,
          description,
          return_url: returnUrl,
        },
      })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const sessionId = readText(answer.body, 'session_id')
      const url = readText(answer.body, 'url')
      return sessionId && url ? { status: 'created', sessionId, url } : unreadable('a new checkout')
    },

    async lookup(sessionId) {
      const answer = await http.request('GET', `/api/checkout/sessions/${encodeURIComponent(sessionId)}`)
      if (answer.status === 'done') return readState(answer.body)
      return { status: 'unknown', reason: answer.status === 'refused' ? answer.message : answer.reason }
    },

    verifyEvent(rawBody, headers, now) {
      const bytes = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
      checkSignature(bytes, single(headers, 'sandbox-signature'), connection.secret, now)
      return readEvent(bytes.toString('utf8'))
    },
  }
}
