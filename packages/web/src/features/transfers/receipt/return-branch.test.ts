import { describe, expect, it } from 'vitest'
import { emptyForm } from '../send-form.ts'
import type { SavedTransfer, Stored } from './pending-transfer.ts'
import { branchOf, readReturned } from './return-branch.ts'

const userId = 1_000_000_001
const begunId = '01a1fda9-0000-7000-8000-000000000001'
const otherId = '01a1fda9-0000-7000-8000-000000000002'
const recipient = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const saved: SavedTransfer = {
  userId,
  formData: { ...emptyForm(), recipient, amount: '40' },
  activeStep: 2,
  paymentSource: 'card',
  recipientInfo: recipient,
  paymentId: begunId,
}
const read: Stored = { status: 'read', saved }
const after = (query: string, stored: Stored = read) =>
  branchOf(readReturned(new URLSearchParams(query)), stored, userId)

describe('an address that says a payment was canceled', () => {
  it('cancels the payment it names', () => {
    expect(after(`payment_canceled=true&payment_id=${begunId}`)).toEqual({
      kind: 'canceled',
      saved,
      paymentId: begunId,
    })
    expect(after(`payment_canceled=true&payment_id=${otherId}`)).toEqual({
      kind: 'canceled',
      saved: undefined,
      paymentId: otherId,
    })
  })

  it('leaves the open payment to the person when it names none', () => {
    for (const query of ['payment_canceled=true', 'payment_canceled=true&payment_id=nonsense']) {
      expect(after(query), query).toEqual({ kind: 'left', saved, paymentId: begunId })
    }
  })

  it('brings the form back when nothing was begun', () => {
    const { paymentId: _none, ...draft } = saved
    const canceled = { kind: 'canceled', paymentId: undefined }
    expect(after('payment_canceled=true', { status: 'read', saved: draft })).toEqual({ ...canceled, saved: draft })
    expect(after('payment_canceled=true', { status: 'none' })).toEqual({ ...canceled, saved: undefined })
  })
})

it('asks about what was begun when an address says that it was paid', () => {
  const complete = { kind: 'complete', saved, recipient, paymentId: begunId }
  expect(after('payment_success=true')).toEqual(complete)
  expect(after(`payment_success=true&payment_id=${begunId}`)).toEqual(complete)
})
