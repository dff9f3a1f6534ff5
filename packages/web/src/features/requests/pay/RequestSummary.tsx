import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { pay } from '#messages/transfers/requests.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatDate, formatDateTime } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { LocalName } from '../../../app/recipient/LocalName.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import type { SettledPayment } from './member/use-pay.ts'

const payeeClass =
  'grid grid-cols-[56px_minmax(0,1fr)] items-center gap-4 [&_.avatar]:size-14 [&_.avatar]:text-[1.25rem]'
const verifiedClass =
  'inline-flex items-center gap-1.5 text-fine/[1.5] font-medium text-ink-2 [&_.icon]:size-4 [&_.icon]:text-sea'

type LinkRequester = Pick<PaymentLink, 'requester'>

/** Full name of the requester, otherwise their username. */
export const requesterName = ({ requester }: LinkRequester): string => requester.name ?? requester.username

/** First name of the requester, otherwise their username. */
export const shortRequesterName = ({ requester }: LinkRequester): string =>
  requester.name?.trim().split(/\s+/)[0] || requester.username

/** Requester, amount and purpose; once paid, the amount received. */
export function RequestSummary({
  link,
  settled,
}: {
  link: PaymentLink
  settled?: Partial<SettledPayment> | undefined
}) {
  const name = requesterName(link)
  const { country } = link.requester
  const requesterDetails = [link.name, country === null ? null : countryName(country)].filter((part) => part !== null)
  const { payment } = settled ?? {}
  const isPartPaid = link.state === 'part_paid'
  const amount = payment?.target_amount ?? (isPartPaid ? link.remaining_amount : link.amount)
  const totalText = formatExact(link.amount, link.currency)
  return (
    <section className="relative z-1">
      <div className={payeeClass}>
        <Avatar name={name} />
        <p className="min-w-0 wrap-anywhere">
          <b className="text-lead/6.5 me-3 font-strong">{name}</b>
          {link.requester.is_verified && (
            <span className={verifiedClass}>
              <Icon name="check" />
              {pay.verified}
            </span>
          )}
          {link.requester.local_name && <LocalName name={link.requester.local_name} />}
          <span className="small muted block">{requesterDetails.join(', ')}</span>
        </p>
      </div>
      <h1 className="mt-8 mb-4 font-normal max-md:mt-4 max-md:mb-1">
        <span className="lead muted block">{payment ? pay.hasReceived : pay.asks}</span>{' '}
        <Balance amount={amount} currency={link.currency} />
      </h1>
      <p className="max-w-[30em] text-[1.25rem]/7 text-balance wrap-anywhere max-md:text-lead/6.5" dir="auto">
        {link.description}
      </p>
      {isPartPaid && (
        <p className="muted mt-2">{pay.leftToPay(formatExact(link.remaining_amount, link.currency), totalText)}</p>
      )}
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
