import type { Transaction } from '@tern/contract/transactions'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readProviderReturn } from '../../../app/provider-page.ts'
import { emptyForm } from '../send-form.ts'
import { chooseArrival, resumeForm } from './arrival.ts'
import {
  toDraft,
  toPendingOrder,
  type PendingTransfer,
  type SavedTransfer,
  type StoredTransfer,
} from '../pending-transfer.ts'

const userId = 1_000_000_001
const paymentId = '01a1fda9-0000-7000-8000-000000000001'
const otherId = '01a1fda9-0000-7000-8000-000000000002'
const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const orderedTransfer: PendingTransfer = {
  userId,
  formData: { ...emptyForm(), source: 'USD', recipient, amount: '40' },
  activeStep: 2,
  paymentSource: 'wallet',
  recipientInfo: recipient,
  priced: { holdsUntilMs: 1, quote: { recipient_id: recipient.id } as PendingTransfer['priced']['quote'] },
  idempotencyKey: '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d',
}
const cardTransfer: SavedTransfer = { ...orderedTransfer, paymentSource: 'card', paymentId }
const { paymentId: _none, ...unstartedTransfer } = cardTransfer

const wrapStored = (saved: SavedTransfer): StoredTransfer => ({ status: 'read', saved })
const noTransfer: StoredTransfer = { status: 'none' }
const unreadable: StoredTransfer = { status: 'unreadable' }
const arrive = (query: string, stored: StoredTransfer = wrapStored(cardTransfer)) =>
  chooseArrival(readProviderReturn(new URLSearchParams(query)), stored, userId)
const buildSubject = (
  claim: string,
  saved: SavedTransfer | undefined = cardTransfer,
  id: string | undefined = paymentId,
) => ({
  show: 'status',
  userId,
  saved,
  paymentId: id,
  claim,
})
const readNotice = (arrival: ReturnType<typeof chooseArrival>) =>
  arrival.show === 'form' ? [arrival.restored?.activeStep, arrival.notice?.text] : arrival.show
const canceledText = 'Payment was canceled. You can try again or use a different payment method.'
const paidQuery = `payment_success=true&payment_id=${paymentId}`

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: { dataset: { support: 'mailto:help@tern.example' } } })
})
afterEach(() => vi.unstubAllGlobals())

describe('without a support contact', () => {
  beforeEach(() => vi.stubGlobal('document', { documentElement: { dataset: {} } }))

  it('no sentence refers to support, and each says what to do', () => {
    const transferWithoutRecipient = {
      ...cardTransfer,
      recipientInfo: null,
      formData: { ...cardTransfer.formData, recipient: undefined },
    }
    const transferToOneself = { ...cardTransfer, recipientInfo: { ...recipient, id: userId } }
    const notices = [
      arrive(paidQuery, unreadable),
      arrive(paidQuery, wrapStored(transferWithoutRecipient)),
      arrive(paidQuery, wrapStored(transferToOneself)),
    ].map(readNotice)
    expect(notices).toEqual([
      [undefined, 'Something went wrong processing your payment. Your transactions show the outcome.'],
      [1, 'Missing recipient information. Please choose the recipient again.'],
      [
        1,
        'Cannot send money to yourself using a card payment. The payment was processed but no transfer was made. Your transactions show the money.',
      ],
    ])
  })
})

describe('without a provider in the address', () => {
  it('starts over if the stored transfer is unreadable', () => {
    expect(arrive('', noTransfer)).toEqual({ show: 'form' })
    expect(arrive('', unreadable)).toEqual({ show: 'form' })
    expect(arrive('', wrapStored({ ...orderedTransfer, idempotencyKey: undefined }))).toEqual({ show: 'form' })
  })

  it('finds an unanswered order and an abandoned payment', () => {
    expect(arrive('', wrapStored(orderedTransfer))).toMatchObject({
      restored: { idempotencyKey: orderedTransfer.idempotencyKey },
    })
    expect(arrive('')).toEqual(buildSubject('left'))
  })
})

describe('an address with a successful payment', () => {
  it.each(['card', 'bank', 'wallet_partial'] as const)('polls the payment by %s', (paymentSource) => {
    const saved = { ...cardTransfer, paymentSource }
    expect(arrive(paidQuery, wrapStored(saved))).toEqual(buildSubject('paid', saved))
  })

  it('polls the named payment, else the saved one', () => {
    expect(arrive(`payment_success=true&payment_id=${otherId}`, wrapStored(unstartedTransfer))).toMatchObject({
      paymentId: otherId,
    })
    expect(arrive('payment_success=true')).toEqual(buildSubject('paid'))
    const wrongId = wrapStored({ ...cardTransfer, paymentId: 'x' })
    for (const query of ['payment_success=true', 'payment_success=true&payment_id=../admin']) {
      expect(arrive(query, wrongId)).toMatchObject({ paymentId: undefined })
    }
  })

  it('polls the payment alone on a device without a stored transfer', () => {
    expect(arrive(paidQuery, noTransfer)).toEqual({ ...buildSubject('paid'), saved: undefined })
    expect(arrive('payment_success=true', noTransfer)).toEqual({ show: 'form' })
  })

  it('ignores a transfer that another tab has begun later', () => {
    const otherTransfer = wrapStored({ ...cardTransfer, paymentId: otherId })
    expect(arrive(paidQuery, otherTransfer)).toEqual({ ...buildSubject('paid'), saved: undefined })
  })

  it('returns to the recipient step if the recipient is missing', () => {
    const saved = { ...cardTransfer, recipientInfo: null, formData: { ...cardTransfer.formData, recipient: undefined } }
    expect(readNotice(arrive(paidQuery, wrapStored(saved)))).toEqual([
      1,
      'Missing recipient information. Please try again or contact support.',
    ])
  })

  it('refuses a transfer to oneself', () => {
    expect(
      readNotice(arrive(paidQuery, wrapStored({ ...cardTransfer, recipientInfo: { ...recipient, id: userId } }))),
    ).toEqual([
      1,
      'Cannot send money to yourself using a card payment. The payment was processed but no transfer was made. Please contact support for a refund.',
    ])
  })

  it.each([
    [orderedTransfer, 2],
    [{ ...cardTransfer, activeStep: 1 } as const, 1],
    [{ ...cardTransfer, activeStep: 0 } as const, 0],
  ])('treats any other success as a new payment method, at the saved step', (saved, step) => {
    expect(readNotice(arrive(paidQuery, wrapStored(saved)))).toEqual([
      step,
      'Payment method added successfully. Please continue with your transaction.',
    ])
  })

  it('keeps an unanswered order when a payment method was added meanwhile', () => {
    expect(arrive(paidQuery, wrapStored(orderedTransfer))).toMatchObject({
      restored: { idempotencyKey: orderedTransfer.idempotencyKey },
    })
  })
})

describe('an address with a canceled payment', () => {
  it('cancels the payment it names', () => {
    expect(arrive(`payment_canceled=true&payment_id=${paymentId}`)).toEqual(buildSubject('canceled'))
    const otherSubject = { ...buildSubject('canceled'), saved: undefined, paymentId: otherId }
    expect(arrive(`payment_canceled=true&payment_id=${otherId}`)).toEqual(otherSubject)
  })

  it('leaves an open payment to the user if none is named', () => {
    for (const query of ['payment_canceled=true', 'payment_canceled=true&payment_id=nonsense']) {
      expect(arrive(query), query).toEqual(buildSubject('left'))
    }
  })

  it('restores the form if no payment was begun', () => {
    expect(readNotice(arrive('payment_canceled=true', wrapStored({ ...unstartedTransfer, activeStep: 1 })))).toEqual([
      2,
      canceledText,
    ])
    expect(readNotice(arrive('payment_canceled=true', noTransfer))).toEqual([undefined, canceledText])
  })
})

it.each(['payment_success', 'payment_canceled'])(
  'starts over after %s if the stored transfer is unreadable',
  (flag) => {
    expect(readNotice(arrive(`${flag}=true&payment_id=${paymentId}`, unreadable))).toEqual([
      undefined,
      'Something went wrong processing your payment. Please try again or contact support.',
    ])
  },
)

it('returns from linking to the same step, with the bank selected', () => {
  expect(arrive(`linkStatus=success&link_id=${paymentId}`, wrapStored(unstartedTransfer))).toMatchObject({
    restored: { activeStep: 2, paymentSource: 'bank' },
    link: { id: paymentId, isCanceled: false },
  })
  for (const stored of [noTransfer, unreadable]) {
    expect(arrive(`linkStatus=canceled&link_id=${paymentId}`, stored)).toMatchObject({
      show: 'form',
      link: { id: paymentId, isCanceled: true },
    })
  }
})

describe('the page after a decided payment', () => {
  it('is the form at its last step, as a draft of a new order at a new price', () => {
    const after = resumeForm({ status: 'unpaid', reason: null }, cardTransfer)
    expect(after?.notice?.text).toBe(canceledText)
    expect(after?.restored).toMatchObject({ activeStep: 2, paymentSource: 'card', priced: { holdsUntilMs: 0 } })
    expect(after?.restored?.idempotencyKey).toBeUndefined()
    expect(after?.restored?.paymentId).toBeUndefined()
    expect(toPendingOrder(toDraft(cardTransfer))).toBeUndefined()
  })

  it('states why a card was declined, and a cancellation only once', () => {
    const textAfter = (reason: string) => resumeForm({ status: 'unpaid', reason }, cardTransfer)?.notice?.text
    expect(textAfter('The card was declined.')).toBe(`${canceledText} The card was declined.`)
    expect(textAfter('The payment was canceled.')).toBe(canceledText)
  })

  it('is an empty form while an earlier payment is processed, so that another can begin', () => {
    const transaction = {
      amount: '40.40',
      currency: 'USD',
      counterparty: { id: 1, username: 'lucas.moreau', name: 'Lucas Moreau' },
    } as Transaction
    expect(resumeForm({ status: 'waiting', transaction, payUrl: null }, cardTransfer, 'left')).toEqual({
      show: 'form',
      restored: undefined,
      notice: {
        tone: 'info',
        text: 'Your payment of $40.40 to Lucas is being processed. Your transactions show it as pending.',
      },
    })
    expect(
      resumeForm({ status: 'waiting', transaction, payUrl: 'https://pay.example' }, cardTransfer, 'left'),
    ).toBeUndefined()
  })

  it('states a refusal, and nothing while it is undecided', () => {
    expect(resumeForm({ status: 'refused', detail: 'No such payment.' }, cardTransfer)?.notice?.text).toBe(
      'Failed to process transfer: No such payment.',
    )
    expect(
      resumeForm({ status: 'waiting', transaction: {} as Transaction, payUrl: null }, cardTransfer),
    ).toBeUndefined()
    expect(resumeForm({ status: 'unreachable' }, cardTransfer)).toBeUndefined()
    expect(resumeForm({ status: 'paid_only', detail: 'x', reference: paymentId }, cardTransfer)).toBeUndefined()
  })
})
