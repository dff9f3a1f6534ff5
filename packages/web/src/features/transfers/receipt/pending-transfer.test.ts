import { beforeEach, describe, expect, it, vi } from 'vitest'
import { arrivalOf, asDraft, formAfter } from './arrival.ts'
import { asPendingOrder, dropPending, keepPending, type PendingTransfer, readStored } from './pending-transfer.ts'
import { branchOf, readReturned, type Returned } from './return-branch.ts'
import { emptyForm } from '../send-form.ts'

const userId = 1_000_000_001
const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const paymentId = '01a1fda9-ecfd-727b-aa02-069b1760d700'
const pending: PendingTransfer = {
  userId,
  formData: { ...emptyForm(), source: 'USD', recipient, amount: '40' },
  activeStep: 2,
  paymentSource: 'wallet',
  recipientInfo: recipient,
  priced: {
    holdsUntilMs: 1,
    quote: {
      quote_id: '01a1fda9-ecfd-727b-aa02-069b1760d756',
      expires_at: '2026-11-21T10:05:00.000Z',
      source_currency: 'USD',
      target_currency: 'EUR',
      source_amount: '40.00',
      target_amount: '37.20',
      stablecoin_amount: '40.000000',
      conversion_path: 'stablecoin',
      rate: '0.9300',
      mid_market_rate: '0.9300',
      rate_as_of: '2026-11-21T10:00:00.000Z',
      spread_percent: '0.00',
      fee: '0.40',
      fee_currency: 'USD',
      fee_basis_points: 100,
      total: '40.40',
      total_cost_percent: '1.00',
      delivery_estimate: 'seconds',
      recipient_id: recipient.id,
    },
  },
  idempotencyKey: '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d',
}
const byCard: PendingTransfer = { ...pending, paymentSource: 'card', cardId: null, keepsCard: true, paymentId }

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})

const savedOf = (id = userId) => {
  const stored = readStored(id)
  return stored.status === 'read' ? stored.saved : undefined
}

describe('what is kept of a transfer', () => {
  it.each([pending, byCard])('comes back after a reload, with its key and to its recipient', (order) => {
    keepPending(order)
    const saved = savedOf()
    expect(saved).toEqual(order)
    expect(saved && asPendingOrder(saved)).toEqual(order)
  })

  it('is gone once it is answered', () => {
    keepPending(pending)
    dropPending()
    expect(readStored(userId)).toEqual({ status: 'none' })
  })

  it('is nothing to somebody else', () => {
    keepPending(pending)
    expect(readStored(1_000_000_003)).toEqual({ status: 'none' })
  })

  it('is no order to be given again when its parts name different people, or it was never given', () => {
    const other = { ...recipient, id: 1_000_000_004 }
    expect(asPendingOrder({ ...pending, recipientInfo: other })).toBeUndefined()
    expect(asPendingOrder({ ...pending, formData: { ...pending.formData, recipient: other } })).toBeUndefined()
    expect(asPendingOrder({ ...pending, idempotencyKey: undefined })).toBeUndefined()
    expect(asPendingOrder({ ...pending, priced: undefined })).toBeUndefined()
  })

  it.each([
    '{',
    '',
    'null',
    '[]',
    '7',
    '{"userId":1000000001,"idempotencyKey":"x"}',
    JSON.stringify({ ...byCard, activeStep: 3 }),
    JSON.stringify({ ...byCard, paymentSource: 'gold' }),
    JSON.stringify({ ...byCard, formData: null }),
    JSON.stringify({ ...byCard, formData: { ...byCard.formData, amount: 40 } }),
    JSON.stringify({ ...byCard, priced: { holdsUntilMs: 1, quote: {} } }),
  ])('is unreadable and no error when it is %j', (text) => {
    localStorage.setItem('pendingTransaction', text)
    expect(readStored(userId)).toEqual({ status: 'unreadable' })
  })

  it('is unreadable where the browser keeps nothing, and sending goes on all the same', () => {
    vi.stubGlobal('reportError', () => undefined)
    const refuse = () => {
      throw new Error('denied')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
    expect(readStored(userId)).toEqual({ status: 'unreadable' })
    keepPending(pending)
    dropPending()
  })
})

describe('the address one comes back with', () => {
  const read = (search: string) => readReturned(new URLSearchParams(search))

  it('is nothing without a flag that is true', () => {
    for (const search of [
      '',
      'payment_success=1',
      'payment_canceled=false',
      'linkStatus=done',
      `payment_id=${paymentId}`,
    ])
      expect(read(search), search).toBeUndefined()
  })

  it('names the payment or the linking, if that is an id at all', () => {
    expect(read(`payment_success=true&payment_id=${paymentId}`)).toMatchObject({ payment: 'success', paymentId })
    expect(read('payment_canceled=true&payment_id=../admin')).toMatchObject({
      payment: 'canceled',
      paymentId: undefined,
    })
    expect(read(`linkStatus=success&link_id=${paymentId}`)).toMatchObject({ link: 'success', linkId: paymentId })
    expect(read('linkStatus=canceled')).toMatchObject({ link: 'canceled', payment: undefined })
  })

  it('is asked about when it claims both success and cancellation', () => {
    expect(read('payment_success=true&payment_canceled=true')).toMatchObject({ payment: 'success' })
  })
})

describe('the branch of the return', () => {
  const nothing: Returned = { payment: undefined, paymentId: undefined, link: undefined, linkId: undefined }
  const success: Returned = { ...nothing, payment: 'success', paymentId }
  const canceled: Returned = { ...nothing, payment: 'canceled', paymentId }
  const read = (saved: typeof byCard | object) => ({ status: 'read', saved: saved as typeof byCard }) as const
  const none = { status: 'none' } as const
  const unreadable = { status: 'unreadable' } as const
  const noticeOf = (branch: ReturnType<typeof branchOf>) => {
    const arrival = arrivalOf(branch)
    return arrival.show === 'form' ? [arrival.restored?.activeStep, arrival.notice?.text] : arrival.show
  }

  it('begins anew where nothing is saved and nothing is claimed', () => {
    expect(branchOf(undefined, none, userId)).toEqual({ kind: 'begin' })
    expect(branchOf(undefined, unreadable, userId)).toEqual({ kind: 'begin' })
    expect(branchOf({ ...success, paymentId: undefined }, none, userId)).toEqual({ kind: 'begin' })
  })

  it('finds an order without an answer, and a payment that was left', () => {
    expect(branchOf(undefined, read(pending), userId).kind).toBe('unanswered')
    expect(branchOf(undefined, read(byCard), userId)).toMatchObject({ kind: 'left', paymentId })
    expect(branchOf(undefined, read({ ...pending, idempotencyKey: undefined }), userId).kind).toBe('begin')
  })

  it.each(['card', 'bank', 'wallet_partial'] as const)('asks to complete what %s has paid', (paymentSource) => {
    const saved = { ...byCard, paymentSource }
    const branch = branchOf(success, read(saved), userId)
    expect(branch).toEqual({ kind: 'complete', saved, recipient, paymentId })
    expect(noticeOf(branch)).toBe('standing')
  })

  it('asks about the payment that the address names, else about the saved one', () => {
    const other = paymentId.replace('700', '701')
    const fresh = { ...byCard, paymentId: undefined }
    expect(branchOf({ ...success, paymentId: other }, read(fresh), userId)).toMatchObject({ paymentId: other })
    expect(branchOf({ ...success, paymentId: undefined }, read(byCard), userId)).toMatchObject({ paymentId })
    expect(branchOf({ ...success, paymentId: undefined }, read({ ...byCard, paymentId: 'x' }), userId)).toMatchObject({
      paymentId: undefined,
    })
  })

  it('asks by the payment alone on a device that knows no transfer', () => {
    expect(branchOf(success, none, userId)).toEqual({ kind: 'ask', paymentId })
  })

  it('takes a transfer that another tab has begun since for none', () => {
    const other = read({ ...byCard, paymentId: paymentId.replace('700', '701') })
    expect(branchOf(success, other, userId)).toEqual({ kind: 'ask', paymentId })
    expect(branchOf(canceled, other, userId)).toEqual({ kind: 'canceled', saved: undefined, paymentId })
  })

  it('goes back to the recipient when that is missing', () => {
    const saved = { ...byCard, recipientInfo: null, formData: { ...byCard.formData, recipient: undefined } }
    expect(noticeOf(branchOf(success, read(saved), userId))).toEqual([
      1,
      'Missing recipient information. Please try again or contact support.',
    ])
  })

  it('refuses what would go to oneself', () => {
    const saved = { ...byCard, recipientInfo: { ...recipient, id: userId } }
    expect(noticeOf(branchOf(success, read(saved), userId))).toEqual([
      1,
      'Cannot send money to yourself using a card payment. The payment was processed but no transfer was made. Please contact support for a refund.',
    ])
  })

  it.each([
    [{ ...pending, paymentSource: 'wallet' }, 2],
    [{ ...byCard, activeStep: 1 }, 1],
    [{ ...byCard, activeStep: 0 }, 0],
  ])('takes any other success for a new payment method, at the saved step', (saved, step) => {
    expect(noticeOf(branchOf(success, read(saved), userId))).toEqual([
      step,
      'Payment method added successfully. Please continue with your transaction.',
    ])
  })

  it('keeps an order without an answer when a payment method was added meanwhile', () => {
    const arrival = arrivalOf(branchOf(success, read(pending), userId))
    expect(arrival).toMatchObject({ show: 'form', restored: { idempotencyKey: pending.idempotencyKey } })
  })

  it('asks how a canceled payment stands, and says so at once where there is none', () => {
    expect(branchOf(canceled, read(byCard), userId)).toEqual({ kind: 'canceled', saved: byCard, paymentId })
    expect(noticeOf(branchOf(canceled, read(byCard), userId))).toBe('standing')
    const message = 'Payment was canceled. You can try again or use a different payment method.'
    const unnamed = { ...canceled, paymentId: undefined }
    const saved = { ...byCard, paymentId: undefined, activeStep: 1 }
    expect(noticeOf(branchOf(unnamed, read(saved), userId))).toEqual([2, message])
    expect(noticeOf(branchOf(unnamed, none, userId))).toEqual([undefined, message])
  })

  it.each([success, canceled])('starts over when what was saved cannot be read', (returned) => {
    expect(noticeOf(branchOf(returned, unreadable, userId))).toEqual([
      undefined,
      'Something went wrong processing your payment. Please try again or contact support.',
    ])
  })

  it('comes back from linking to the same step, with the bank chosen', () => {
    const linked: Returned = { ...nothing, link: 'success', linkId: paymentId }
    expect(arrivalOf(branchOf(linked, read({ ...byCard, paymentId: undefined }), userId))).toMatchObject({
      restored: { activeStep: 2, paymentSource: 'bank' },
      link: { id: paymentId, isCanceled: false },
    })
    expect(arrivalOf(branchOf({ ...linked, link: 'canceled' }, none, userId))).toMatchObject({
      link: { id: paymentId, isCanceled: true },
    })
    expect(arrivalOf(branchOf(linked, unreadable, userId))).toMatchObject({
      show: 'form',
      link: { id: paymentId },
    })
  })
})

describe('what a settled payment leads back to', () => {
  it('is the form at its last step, as a draft that would be a new order at a new price', () => {
    const after = formAfter({ status: 'unpaid', reason: null }, byCard)
    expect(after?.notice?.text).toBe('Payment was canceled. You can try again or use a different payment method.')
    expect(after?.restored).toMatchObject({ activeStep: 2, paymentSource: 'card', priced: { holdsUntilMs: 0 } })
    expect(after?.restored?.idempotencyKey).toBeUndefined()
    expect(after?.restored?.paymentId).toBeUndefined()
    expect(asPendingOrder(asDraft(byCard))).toBeUndefined()
  })

  it('says why a card was declined', () => {
    expect(formAfter({ status: 'unpaid', reason: 'The card was declined.' }, byCard)?.notice?.text).toBe(
      'Payment was canceled. You can try again or use a different payment method. The card was declined.',
    )
  })

  it('does not say twice that it was canceled', () => {
    expect(formAfter({ status: 'unpaid', reason: 'The payment was canceled.' }, byCard)?.notice?.text).toBe(
      'Payment was canceled. You can try again or use a different payment method.',
    )
  })

  it('says what the server refused, and nothing while it is not settled', () => {
    expect(formAfter({ status: 'refused', detail: 'No such payment.' }, byCard)?.notice?.text).toBe(
      'Failed to process transfer: No such payment.',
    )
    expect(formAfter({ status: 'waiting' }, byCard)).toBeUndefined()
    expect(formAfter({ status: 'unreachable' }, byCard)).toBeUndefined()
    expect(formAfter({ status: 'paid only', detail: 'x', reference: paymentId }, byCard)).toBeUndefined()
  })
})
