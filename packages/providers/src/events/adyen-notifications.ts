import { createHmac, timingSafeEqual } from 'node:crypto'
import { readReference } from '../adyen-card-reference.ts'
import type { AdyenCardSettings } from '../adyen-card-settings.ts'
import { readAmount } from '../adyen-http.ts'
import { buildAdyenSession } from '../collect/adyen-card.ts'
import type { CollectionState } from '../collect/port.ts'
import { readDate, readList, readObject, readSafeInteger, readText } from '../json.ts'
import type { KnownOutcome } from '../outcome.ts'
import type { LineKind, ReportLine } from '../report/port.ts'
import { adyenDisputeCodes, readDisputeWarning } from './adyen-disputes.ts'
import type { AdyenItem } from './adyen-item.ts'
import { type EventContent, type ProviderEvent, type ProviderEvents, SignatureError } from './port.ts'

type Settings = Pick<AdyenCardSettings, 'webhookKeys' | 'merchantAccount' | 'isLive'>

/** Codes that the webhook must send. Others change nothing, or repeat what these say. */
export const adyenEventCodes = [
  'AUTHORISATION',
  'CANCELLATION',
  'CANCEL_OR_REFUND',
  'CAPTURE',
  'CAPTURE_FAILED',
  'EXPIRE',
  'REFUND',
  'REFUND_FAILED',
  'REFUNDED_REVERSED',
  'TECHNICAL_CANCEL',
  ...adyenDisputeCodes,
] as const

/** Adyen's standard notifications. Their signature includes no time; event ids make a replay harmless. */
export function createAdyenNotifications(settings: Settings): ProviderEvents {
  return {
    verify(rawBody): ProviderEvent {
      const body = parse(rawBody)
      const items = readList(body, 'notificationItems')?.map((each) => readObject(each, 'NotificationRequestItem'))
      if (!items || items.length === 0) throw new SignatureError('The event has no signed item')
      for (const item of items) checkSignature(item, settings.webhookKeys)
      if (readText(body, 'live') !== String(settings.isLive)) {
        throw new SignatureError(`The event is not of Adyen's ${settings.isLive ? 'live' : 'test'} platform`)
      }
      const events = items.flatMap((item) => readItem(settings, item))
      const [first, ...others] = events
      if (!first) return { id: 'none', about: 'unhandled', type: 'none' }
      return others.length === 0 ? first : { id: `${first.id} and ${others.length}`, about: 'batch', events }
    },
  }
}

function parse(rawBody: string | Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    throw new SignatureError('The event is not JSON')
  }
}

/** Returns the text that Adyen signs (docs.adyen.com/development-resources/webhooks/verify-hmac-signatures). */
function writeSigned(item: object | undefined): string {
  const amount = readObject(item, 'amount')
  const texts = ['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference'].map((name) =>
    readText(item, name),
  )
  const value = readSafeInteger(amount, 'value')
  const signed = [...texts, value, readText(amount, 'currency'), readText(item, 'eventCode'), readText(item, 'success')]
  return signed.map((part) => part ?? '').join(':')
}

function checkSignature(item: object | undefined, keys: readonly string[]): void {
  const text = readText(readObject(item, 'additionalData'), 'hmacSignature')
  if (text === undefined) throw new SignatureError('The event has no signature')
  const signature = Buffer.from(text, 'base64')
  const isAuthentic = keys.some((key) => {
    const ownSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(writeSigned(item)).digest()
    return ownSignature.length === signature.length && timingSafeEqual(ownSignature, signature)
  })
  if (!isAuthentic) throw new SignatureError('The event is signed with a key that is not known here')
}

/** Parses an item, which may report both money and a warning. */
function readItem({ merchantAccount }: Settings, body: object | undefined): ProviderEvent[] {
  const code = readText(body, 'eventCode') ?? 'unknown'
  const pspReference = readText(body, 'pspReference') ?? ''
  const success = readText(body, 'success') ?? ''
  const amount = readAmount(body)
  const unhandled = { id: `${code}:${pspReference}:${success}`, about: 'unhandled', type: code } as const
  if (readText(body, 'merchantAccountCode') !== merchantAccount || !amount) return [unhandled]
  const at = readDate(body, 'eventDate')
  if (pspReference === '' || !at) throw new Error(`A signed ${code} has no reference or no time`)
  const item: AdyenItem = {
    code,
    pspReference,
    paymentReference: readText(body, 'originalReference') ?? pspReference,
    merchantReference: readText(body, 'merchantReference') ?? '',
    isSuccess: success === 'true',
    amount,
    at,
    additional: readObject(body, 'additionalData'),
  }
  const found = [readPayment(item), readReversal(item), readWarning(item)].filter((news) => news !== undefined)
  if (found.length === 0) return [unhandled]
  return found.map((news) => Object.assign(news, { id: `${unhandled.id}:${news.about}` }))
}

const cancelCodes: ReadonlySet<string> = new Set(['CANCELLATION', 'TECHNICAL_CANCEL'])

const isCancel = ({ code, additional }: AdyenItem): boolean =>
  cancelCodes.has(code) || (code === 'CANCEL_OR_REFUND' && readText(additional, 'modification.action') === 'cancel')

const isRefund = ({ code, additional }: AdyenItem): boolean =>
  code === 'REFUND' || (code === 'CANCEL_OR_REFUND' && readText(additional, 'modification.action') === 'refund')

function readPayment(item: AdyenItem): EventContent | undefined {
  const { code, additional, paymentReference } = item
  const state = readState(item)
  if (!state) return undefined
  const page = code === 'AUTHORISATION' ? readText(additional, 'paymentLinkId') : undefined
  return { about: 'payment', sessionId: buildAdyenSession(page, paymentReference, state.status === 'settled'), state }
}

/** Returns the state of a payment; undefined if the item changes none. After a declined card, the page takes another. */
function readState(item: AdyenItem): KnownOutcome<CollectionState> | undefined {
  const { code, isSuccess, amount, paymentReference: captureId, additional } = item
  const { paymentId, capturesLater } = readReference(item.merchantReference)
  if (code === 'AUTHORISATION') {
    if (!isSuccess) return undefined
    if (!capturesLater) return { status: 'settled', paymentId, amount, captureId }
    const cardFingerprint = readText(additional, 'alias')
    return { status: 'authorized', paymentId, amount, ...(cardFingerprint === undefined ? {} : { cardFingerprint }) }
  }
  if (!capturesLater) return undefined
  if (code === 'CAPTURE') {
    return isSuccess
      ? { status: 'settled', paymentId, amount, captureId }
      : { status: 'declined', paymentId, reason: 'failed' }
  }
  if (!isSuccess) return undefined
  if (code === 'EXPIRE') return { status: 'declined', paymentId, reason: 'expired' }
  return isCancel(item) ? { status: 'declined', paymentId, reason: 'canceled' } : undefined
}

/** Returns the movement that reverses a payment, or that returns reversed money. */
function readReversal(item: AdyenItem): EventContent | undefined {
  const { code, pspReference, paymentReference, amount, at: occurredAt, isSuccess } = item
  const { paymentId, capturesLater } = readReference(item.merchantReference)
  const line = (id: string, kind: LineKind, undoes?: string): EventContent => {
    const facts: ReportLine = { id, kind, amount, reference: paymentId, captureId: paymentReference, occurredAt }
    return { about: 'reversal', line: undoes === undefined ? facts : { ...facts, undoes } }
  }
  if (!isSuccess) return undefined
  if (isRefund(item)) return line(pspReference, 'refund')
  // The money of a payment that settled when it was authorized never comes: the card is not charged.
  if (code === 'CAPTURE_FAILED') return line(`${paymentReference}:not_captured`, 'refund')
  if (isCancel(item) && !capturesLater) return line(`${paymentReference}:not_captured`, 'refund')
  switch (code) {
    case 'REFUND_FAILED':
    case 'REFUNDED_REVERSED':
      return line(`${pspReference}:failed`, 'chargeback_reversal', pspReference)
    case 'CHARGEBACK':
      return line(pspReference, 'chargeback')
    case 'CHARGEBACK_REVERSED':
      return line(`${pspReference}:reversed`, 'chargeback_reversal', pspReference)
    case 'SECOND_CHARGEBACK':
      return line(`${pspReference}:second`, 'chargeback')
    default:
      return undefined
  }
}

function readWarning(item: AdyenItem): EventContent | undefined {
  const warning = item.isSuccess ? readDisputeWarning(item) : undefined
  return warning && { about: 'warning', warning }
}
