// Steps with payment requests that tests share.

import { randomUUID } from 'node:crypto'
import { acceptLink, declineLink, payLink, paymentLink, quoteForLink } from '@tern/contract/requests/payment-links'
import { cancelRequest, createRequest, requestDetails } from '@tern/contract/requests/requests'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { TestPerson } from '../../../../../tools/testing/test-app.ts'

type Asked = CallInput<typeof createRequest>['body']

/** Asks for money; 20.00 in the person's own currency unless told otherwise. */
export const ask = (person: TestPerson, asked: Partial<Asked> = {}, key: string = randomUUID()) =>
  person.call(createRequest, { body: { amount: '20.00', ...asked }, idempotencyKey: key })

export const linkOf = (person: TestPerson, data: string) => person.call(paymentLink, { params: { data } })
export const detailsOf = (person: TestPerson, id: string) => person.call(requestDetails, { params: { id } })
export const cancel = (person: TestPerson, id: string) => person.call(cancelRequest, { params: { id } })
export const decline = (person: TestPerson, data: string, reason?: string) =>
  person.call(declineLink, { params: { data }, body: reason === undefined ? {} : { reason } })
export const accept = (person: TestPerson, data: string, on: string) =>
  person.call(acceptLink, { params: { data }, body: { on } })

interface Payment {
  readonly amount?: string
  readonly currency?: 'USD' | 'EUR'
}

export const quote = (person: TestPerson, data: string, { amount, currency = 'USD' }: Payment = {}) =>
  person.call(quoteForLink, {
    params: { data },
    body: { source_currency: currency, ...(amount === undefined ? {} : { amount }) },
  })

export const payAt = (person: TestPerson, data: string, quoteId: string, key: string = randomUUID()) =>
  person.call(payLink, { params: { data }, body: { quote_id: quoteId }, idempotencyKey: key })

/** Pays what is left of a request, or a part of it, at a fresh quote. */
export async function pay(person: TestPerson, data: string, payment?: Payment) {
  const { quote_id: quoteId } = await quote(person, data, payment)
  return payAt(person, data, quoteId)
}
