import { cancelPayment } from '@tern/contract/payments'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { transferStatus } from '@tern/contract/transfers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { resumeForm } from './arrival.ts'
import { emptyForm } from '../send-form.ts'
import type { SavedTransfer } from '../pending-transfer.ts'
import { cancelAndRead, readTransferStatus, type Subject, type TransferStatus } from './transfer-status.ts'

type Respond = () => unknown
const answers = vi.hoisted(() => new Map<unknown, Respond[]>())
vi.mock('../../../app/session/session.ts', () => ({
  callApi: async (endpoint: Endpoint) => {
    const replies = answers.get(endpoint) ?? []
    return (replies.length > 1 ? replies.shift() : replies[0])?.()
  },
}))

const paymentId = '01a1fda9-0000-7000-8000-000000000001'
const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const saved: SavedTransfer = {
  userId: 1_000_000_001,
  formData: { ...emptyForm(), source: 'USD', recipient, amount: '40' },
  activeStep: 2,
  paymentSource: 'card',
  recipientInfo: recipient,
  paymentId,
}
const leftSubject: Subject = { userId: saved.userId, saved, paymentId, claim: 'left' }
const paidSubject: Subject = { ...leftSubject, claim: 'paid' }

const transaction = { id: 't', counterparty: recipient, source_amount: '40.00', source_currency: 'USD' }
const pending = {
  kind: 'funded_send',
  state: 'awaiting_funding',
  captured: false,
  reversed: false,
  reason: null,
  redirectUrl: 'https://pay.example/1',
  transaction,
}
const failed = { ...pending, state: 'failed', reason: 'The bank declined the payment.', redirectUrl: null }
const lateReason = 'The payment came too late for this transfer. The money is in your wallet.'
const lateFailure = {
  ...failed,
  captured: true,
  reason: lateReason,
  transaction: { ...transaction, counterparty: null },
}
const completedTransfer = { ...pending, state: 'settled', captured: true, redirectUrl: null }
const reversedTransfer = { ...completedTransfer, reversed: true }

const respond = (endpoint: Endpoint, ...replies: unknown[]) =>
  answers.set(
    endpoint,
    replies.map((answer) => () => {
      if (answer instanceof Error) throw answer
      return answer
    }),
  )
const createRefusal = (code: string, detail: string) =>
  new Refused({ type: 'about:blank', title: detail, status: 409, code, detail } as never)
const noPayment = 'There is no payment for this transfer.'
const paidLate: TransferStatus = { status: 'paid_only', detail: lateReason, reference: paymentId }

beforeEach(() => answers.clear())

describe('a payment that failed', () => {
  it('and took no money restores the form, with the reason', async () => {
    respond(transferStatus, failed)
    const unpaidStatus: TransferStatus = { status: 'unpaid', reason: failed.reason }
    for (const subject of [leftSubject, paidSubject]) expect(await readTransferStatus(subject)).toEqual(unpaidStatus)
    expect(resumeForm(unpaidStatus, saved)).toMatchObject({ show: 'form', restored: { paymentSource: 'card' } })
  })

  it('but took the money is not offered again', async () => {
    respond(transferStatus, lateFailure)
    for (const subject of [leftSubject, paidSubject]) expect(await readTransferStatus(subject)).toEqual(paidLate)
    expect(resumeForm(paidLate, saved)).toBeUndefined()
  })

  it('of a transfer whose price had moved offers it at a new price', async () => {
    const movedTransfer = {
      ...lateFailure,
      transaction: { ...transaction, status: 'FAILED', transaction_type: 'SEND' },
    }
    respond(transferStatus, movedTransfer)
    const keptStatus = {
      status: 'kept',
      detail: lateReason,
      transaction: movedTransfer.transaction,
    } as unknown as TransferStatus
    for (const subject of [leftSubject, paidSubject]) expect(await readTransferStatus(subject)).toEqual(keptStatus)
  })

  it('is polled again without an answer', async () => {
    respond(transferStatus, new Unreachable(undefined))
    for (const subject of [leftSubject, paidSubject])
      expect(await readTransferStatus(subject)).toEqual({ status: 'unreachable' })
  })
})

describe('a payment that was made', () => {
  it('leads to the receipt of its transfer', async () => {
    respond(transferStatus, completedTransfer)
    for (const subject of [leftSubject, paidSubject]) {
      expect(await readTransferStatus(subject)).toEqual({ status: 'done', transaction })
    }
  })

  it.each([
    { recipientInfo: { ...recipient, id: 1_000_000_003 } },
    { priced: { holdsUntilMs: 1, quote: { source_amount: '4000.00', source_currency: 'USD' } } },
  ])('is distinguished from another transfer stored on the device: %j', async (otherTransaction) => {
    respond(transferStatus, completedTransfer)
    const subject = { ...paidSubject, saved: { ...saved, ...otherTransaction } as SavedTransfer }
    expect(await readTransferStatus(subject)).toEqual({ status: 'paid_only', detail: noPayment, reference: paymentId })
  })

  it('leads to the receipt of a transfer that is held', async () => {
    respond(transferStatus, { ...completedTransfer, state: 'held' })
    expect(await readTransferStatus(paidSubject)).toEqual({ status: 'done', transaction })
  })
})

it('waits for a pending payment, and offers payment only if it was not made', async () => {
  respond(transferStatus, pending)
  expect(await readTransferStatus(leftSubject)).toMatchObject({ status: 'waiting', payUrl: pending.redirectUrl })
  expect(await readTransferStatus(paidSubject)).toMatchObject({ status: 'waiting', payUrl: null })
})

it('has the receipt of a bank payment while that is pending', async () => {
  respond(transferStatus, pending)
  expect(await readTransferStatus(paidSubject)).toMatchObject({ status: 'waiting', transaction })
})

it('reports no payment if the address or device is forged, or names another transfer', async () => {
  for (const kind of ['wallet_send', 'exchange', 'payout']) {
    respond(transferStatus, { ...completedTransfer, kind, captured: false })
    expect(await readTransferStatus(paidSubject), kind).toEqual({ status: 'refused', detail: noPayment })
  }
  respond(transferStatus, createRefusal('not_found', 'Not found'))
  expect(await readTransferStatus(paidSubject)).toEqual({ status: 'refused', detail: noPayment })
  expect(await readTransferStatus({ ...paidSubject, paymentId: undefined })).toEqual({
    status: 'refused',
    detail: noPayment,
  })
})

it('does not offer a transfer again whose payment was reversed', async () => {
  respond(transferStatus, reversedTransfer)
  const now = await readTransferStatus(leftSubject)
  expect(now).toEqual({ status: 'taken_back' })
  expect(resumeForm(now, saved)).toBeUndefined()
})

describe('canceling a payment', () => {
  it('restores the form', async () => {
    respond(transferStatus, pending, { ...failed, reason: 'The payment was canceled.' })
    respond(cancelPayment, { status: 'failed' })
    expect(await cancelAndRead(leftSubject)).toEqual({ status: 'unpaid', reason: 'The payment was canceled.' })
  })

  it('that was paid at the same moment states where the money is', async () => {
    respond(transferStatus, pending, lateFailure)
    respond(cancelPayment, { status: 'failed' })
    expect(await cancelAndRead(leftSubject)).toEqual(paidLate)
  })

  it('is too late once the provider has the payment', async () => {
    respond(transferStatus, pending)
    respond(cancelPayment, createRefusal('not_cancelable', 'Too late'))
    expect(await cancelAndRead(leftSubject)).toMatchObject({ status: 'waiting', payUrl: null })
  })
})
