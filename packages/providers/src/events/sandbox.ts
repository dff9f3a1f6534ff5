import { createHmac, timingSafeEqual } from 'node:crypto'
import { readLink } from '../link/sandbox.ts'
import { readCollection } from '../collect/sandbox-card.ts'
import { readObject, readText } from '../json.ts'
import { readPayout } from '../payout/sandbox.ts'
import { readLine } from '../report/sandbox.ts'
import type { SandboxConnection } from '../sandbox-http.ts'
import {
  type EventHeaders,
  type EventContent,
  type ProviderEvent,
  type ProviderEvents,
  SignatureError,
} from './port.ts'

const toleranceMs = 5 * 60 * 1000

function checkSignature(rawBody: Buffer, header: string, secret: string, now: Date): void {
  const parts = header.split(',').map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3))
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError('The signature has no timestamp')
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const isAuthentic = signatures.some((signature) => {
    const signatureBytes = Buffer.from(/^[0-9a-f]{64}$/.test(signature) ? signature : '', 'hex')
    return signatureBytes.length === expected.length && timingSafeEqual(signatureBytes, expected)
  })
  if (!isAuthentic) throw new SignatureError('The signature does not match')
  const ageMs = now.getTime() - Number.parseInt(timestamp, 10) * 1000
  if (Math.abs(ageMs) > toleranceMs)
    throw new SignatureError('The signature is outside the five minutes it is good for')
}

/**
 * Verifies the sandbox's signature over the exact bytes received, at most 5 minutes from `now`. Throws SignatureError.
 */
export function checkSandboxSignature(rawBody: Buffer, headers: EventHeaders, secret: string, now: Date): void {
  const header = headers['sandbox-signature']
  checkSignature(rawBody, typeof header === 'string' ? header : '', secret, now)
}

type EventParser = (data: object) => EventContent | undefined

/** Creates a parser for events about one kind of item; `idName` is the field with its id at the provider. */
const createReader =
  <State>(
    idName: string,
    readState: (data: object) => State | undefined,
    news: (id: string, state: State) => EventContent,
  ): EventParser =>
  (data) => {
    const id = readText(data, idName)
    const state = readState(data)
    return id && state ? news(id, state) : undefined
  }

const readPayment = createReader('session_id', readCollection, (sessionId, state) => ({
  about: 'payment',
  sessionId,
  state,
}))

const readReversal = (data: object): EventContent | undefined => {
  const line = readLine(data)
  return line ? { about: 'reversal', line } : undefined
}

/** Readers by event type. The second part of a type is the status of its data. */
const readers: readonly (readonly [types: RegExp, read: EventParser])[] = [
  [/^checkout\.(authorized|paid|canceled|expired|failed|declined)$/, readPayment],
  [/^debit\.(paid|failed|canceled)$/, readPayment],
  [
    /^payout\.(paid|failed|returned)$/,
    createReader('payout_id', readPayout, (providerPayoutId, state) => ({ about: 'payout', providerPayoutId, state })),
  ],
  [
    /^bank_link\.(linked|canceled|failed)$/,
    createReader('session_id', readLink, (sessionId, state) => ({ about: 'link', sessionId, state })),
  ],
  [/^reversal\.created$/, readReversal],
]

/** Parses an event's content by its type; undefined if its data is unreadable. */
function readNews(type: string, data: object | undefined): EventContent | undefined {
  const read = readers.find(([types]) => types.test(type))?.[1]
  return read ? read({ ...data, status: type.split('.')[1] }) : { about: 'unhandled', type }
}

function readEvent(text: string): ProviderEvent {
  const event: unknown = JSON.parse(text)
  const id = readText(event, 'id')
  const type = readText(event, 'type')
  if (!id || !type) throw new Error('A signed event has no id or no type')
  const news = readNews(type, readObject(event, 'data'))
  if (!news) throw new Error(`The signed event ${id} is incomplete`)
  return { id, ...news }
}

export const createSandboxEvents = ({ secret }: SandboxConnection): ProviderEvents => ({
  verify(rawBody, headers, now) {
    const bytes = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
    checkSandboxSignature(bytes, headers, secret, now)
    return readEvent(bytes.toString('utf8'))
  },
})
