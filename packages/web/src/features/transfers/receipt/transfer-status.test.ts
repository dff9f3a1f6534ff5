import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { sendMoney } from '@tern/contract/transfers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formAfter } from './arrival.ts'
import { emptyForm } from '../send-form.ts'
import type { SavedTransfer } from './pending-transfer.ts'
import { askPayment, completeTransfer, giveUpPayment, type TransferStatus, type Subject } from './transfer-status.ts'

type Answer = () => unknown
const answers = vi.hoisted(() => new Map<unknown, Answer[]>())
vi.mock('../../../app/session/session.ts', () => ({
  callApi: async (endpoint: Endpoint) => {
    const left = answers.get(endpoint) ?? []
    return (left.length > 1 ? left.shift() : left[0])?.()
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
const subject: Subject = { userId: saved.userId, saved, recipient, paymentId }

const pending = {
  status: 'pending',
  purpose: 'send',
  captured: false,
  reason: null,
  redirectUrl: 'https://pay.example/1',
  transaction_id: null,
}
const failed = { ...pending, status: 'failed', reason: 'The bank declined the payment.', redirectUrl: null }
const lateReason = 'The payment came too late for this transfer. The money is in your wallet.'
const late = { ...failed, captured: true, reason: lateReason }
const reversed = { ...pending, status: 'reversed', captured: true, redirectUrl: null }

const says = (endpoint: Endpoint, ...given: unknown[]) =>
  answers.set(
    endpoint,
    given.map((answer) => () => {
      if (answer instanceof Error) throw answer
      return answer
    }),
  )
const refused = (code: string, detail: string) =>
  new Refused({ type: 'about:blank', title: detail, status: 409, code, detail } as never)
const complete = () => completeTransfer(saved, recipient, paymentId)
const paidLate: TransferStatus = { status: 'paid only', detail: lateReason, reference: paymentId }

beforeEach(() => answers.clear())

describe('a payment that failed', () => {
  it('and took no money brings the form back, with the reason', async () => {
    says(paymentStatus, failed)
    says(sendMoney, refused('payment_failed', failed.reason))
    const unpaid: TransferStatus = { status: 'unpaid', reason: failed.reason }
    expect(await askPayment(subject)).toEqual(unpaid)
    expect(await complete()).toEqual(unpaid)
    expect(formAfter(unpaid, saved)).toMatchObject({ show: 'form', restored: { paymentSource: 'card' } })
  })

  it('and took the money all the same is never offered again', async () => {
    says(paymentStatus, late)
    says(sendMoney, refused('payment_failed', lateReason))
    expect(await askPayment(subject)).toEqual(paidLate)
    expect(await complete()).toEqual(paidLate)
    expect(formAfter(paidLate, saved)).toBeUndefined()
    says(sendMoney, refused('payment_not_found', 'There is no payment for this transfer.'))
    expect(await complete()).toMatchObject({ status: 'paid only' })
  })

  it('is asked about again while nobody says whether it took money', async () => {
    says(sendMoney, refused('payment_failed', lateReason))
    says(paymentStatus, new Unreachable(undefined))
    expect(await complete()).toEqual({ status: 'unreachable' })
  })
})

it('a transfer whose payment was taken back is not offered again either', async () => {
  says(paymentStatus, reversed)
  const transferStatus = await askPayment(subject)
  expect(transferStatus).toEqual({ status: 'taken back' })
  expect(formAfter(transferStatus, saved)).toBeUndefined()
})

describe('giving a payment up', () => {
  it('brings the form back', async () => {
    says(paymentStatus, pending, { ...failed, reason: 'The payment was canceled.' })
    says(cancelPayment, { status: 'failed' })
    expect(await giveUpPayment(subject)).toEqual({ status: 'unpaid', reason: 'The payment was canceled.' })
  })

  it('in the moment in which it is paid tells where the money is', async () => {
    says(paymentStatus, pending, late)
    says(cancelPayment, { status: 'failed' })
    expect(await giveUpPayment(subject)).toEqual(paidLate)
  })
})
