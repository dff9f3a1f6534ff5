import { expect, it } from 'vitest'
import { readProviderReturn } from './provider-page.ts'

const readReturn = (query: string) => readProviderReturn(new URLSearchParams(query))

it('reads each flag of a provider and its subject', () => {
  expect(readReturn('payment_success=true&payment_id=a')?.payment).toEqual({ id: 'a', isCanceled: false })
  expect(readReturn('payment_canceled=true&payment_id=a')?.payment).toEqual({ id: 'a', isCanceled: true })
  expect(readReturn('linkStatus=success&link_id=b')?.link).toEqual({ id: 'b', isCanceled: false })
  expect(readReturn('linkStatus=canceled')?.link).toEqual({ id: undefined, isCanceled: true })
  expect(readReturn('withdrawal_success=true&payout_id=c')?.withdrawal).toEqual({ id: 'c', hasFailed: false })
  expect(readReturn('withdrawal_error=declined')?.withdrawal).toEqual({ id: undefined, hasFailed: true })
})

it('cancels nothing when the address claims both success and cancellation', () => {
  expect(readReturn('payment_success=true&payment_canceled=true&payment_id=a')?.payment).toEqual({
    id: 'a',
    isCanceled: false,
  })
})

it('ignores other parameters', () => {
  for (const query of [
    '',
    'payment_success=false',
    'payment_success=1',
    'payment_canceled=false',
    'payment_id=a',
    'linkStatus=maybe',
    'withdrawal_success=1',
  ]) {
    expect(readReturn(query), query).toBeUndefined()
  }
})
