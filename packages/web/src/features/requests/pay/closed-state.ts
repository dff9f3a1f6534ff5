import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { pay } from '#messages/transfers/requests.ts'
import { formatDate } from '../../../ui/format/format.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { requesterName } from './RequestSummary.tsx'
import type { LinkStateName } from './LinkState.tsx'

/** Public state of a link that cannot be paid; undefined while it can be. */
export function describeClosedState(
  link: PaymentLink,
): { readonly state: LinkStateName; readonly text: string } | undefined {
  const name = requesterName(link)
  const amount = formatExact(link.amount, link.currency)
  const closedDate = formatDate(link.closed_at ?? link.expires_at)
  switch (link.state) {
    case 'paid':
      return { state: 'paid', text: pay.paidText(name, amount) }
    case 'expired':
      return { state: 'expired', text: pay.expiredText(name, amount, formatDate(link.expires_at)) }
    case 'cancelled':
      return { state: 'cancelled', text: pay.cancelledText(name, closedDate) }
    case 'declined':
      return { state: 'declined', text: pay.declinedText(name) }
    case 'processing':
      return { state: 'processing', text: pay.processingText }
    case 'open':
    case 'seen':
    case 'part_paid':
      return undefined
  }
}
