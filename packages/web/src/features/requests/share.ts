import type { PaymentRequest } from '@tern/contract/requests/requests'
import { receive } from '#messages/transfers/requests.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** Name of the requester, as they chose to be called. */
export const requesterName = ({ name, requester }: PaymentRequest): string =>
  name ?? requester.name ?? requester.username

/** Amount still to be paid. */
export const describeAmount = ({ remaining_amount: left, amount, currency, state }: PaymentRequest): string =>
  formatExact(state === 'part_paid' ? left : amount, currency)

export const shareText = (request: PaymentRequest): string =>
  receive.shareText(requesterName(request), describeAmount(request), request.description)

const buildWhatsAppLink = (text: string) => `https://wa.me/?text=${encodeURIComponent(text)}`
const buildMailLink = (subject: string, body: string) =>
  `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`

/** Share addresses of other apps, with text and link of the request. */
export function shareAddresses(request: PaymentRequest): { readonly whatsApp: string; readonly email: string } {
  const text = `${shareText(request)}\n${request.url}`
  return {
    whatsApp: buildWhatsAppLink(text),
    email: buildMailLink(receive.emailSubject(describeAmount(request)), text),
  }
}
