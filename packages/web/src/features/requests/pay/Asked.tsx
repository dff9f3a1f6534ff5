import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { pay } from '#messages/transfers/requests.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatDate, formatDateTime } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { LocalName } from '../../../app/recipient/LocalName.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import type { Settled } from './member/use-pay.ts'

type Requested = Pick<PaymentLink, 'requester'>

/** Full name of the requester, otherwise their username. */
export const requesterName = ({ requester }: Requested): string => requester.name ?? requester.username

/** First name of the requester, otherwise their username. */
export const shortRequesterName = ({ requester }: Requested): string =>
  requester.name?.trim().split(/\s+/)[0] || requester.username

/** Requester, amount and purpose; once paid, the amount received. */
export function Asked({ link, settled }: { link: PaymentLink; settled?: Partial<Settled> | undefined }) {
  const name = requesterName(link)
  const { country } = link.requester
  const where = [link.name, country === null ? null : countryName(country)].filter((part) => part !== null)
  const { payment } = settled ?? {}
  const isPart = link.state === 'part_paid'
  const amount = payment?.target_amount ?? (isPart ? link.remaining_amount : link.amount)
  const whole = formatExact(link.amount, link.currency)
  return (
    <section className="asked">
      <div className="asked-who">
        <Avatar name={name} />
        <p className="min-w-0 wrap-anywhere">
          <b className="asked-name">{name}</b>
          {link.requester.is_verified && (
            <span className="asked-verified">
              <Icon name="check" />
              {pay.verified}
            </span>
          )}
          {link.requester.local_name && <LocalName name={link.requester.local_name} />}
          <span className="small muted block">{where.join(', ')}</span>
        </p>
      </div>
      <h1 className="asked-amount">
        <span className="lead muted block">{payment ? pay.hasReceived : pay.asks}</span>{' '}
        <Balance amount={amount} currency={link.currency} />
      </h1>
      <p className="asked-what wrap-anywhere" dir="auto">
        {link.description}
      </p>
      {isPart && <p className="muted mt-2">{pay.leftOf(formatExact(link.remaining_amount, link.currency), whole)}</p>}
      <p className="small muted mt-2">
        {payment
          ? [formatDateTime(payment.timestamp), settled?.tookMs && pay.inTime(settled.tookMs)]
              .filter(Boolean)
              .join(' · ')
          : pay.requested(formatDate(link.created_at), formatDate(link.expires_at))}
      </p>
    </section>
  )
}
