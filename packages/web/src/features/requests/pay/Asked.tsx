import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { pay } from '#messages/transfers/requests.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatDate } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'

/** What the requester is called. */
export const requesterName = ({ requester }: Pick<PaymentLink, 'requester'>): string =>
  requester.name ?? requester.username

/** Who asks for how much, and what for. */
export function Asked({ link }: { link: PaymentLink }) {
  const name = requesterName(link)
  const { country } = link.requester
  const where = [link.name, country === null ? null : countryName(country)].filter((part) => part !== null)
  const isPart = link.state === 'part_paid'
  const amount = formatExactWithSign(link.amount, link.currency)
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
          <span className="small muted block">{where.join(', ')}</span>
        </p>
      </div>
      <h1 className="asked-amount">
        <span className="lead muted block">{pay.asks}</span>{' '}
        <Balance amount={isPart ? link.remaining_amount : link.amount} currency={link.currency} />
      </h1>
      <p className="asked-what wrap-anywhere" dir="auto">
        {link.description}
      </p>
      {isPart && (
        <p className="muted mt-2">{pay.leftOf(formatExactWithSign(link.remaining_amount, link.currency), amount)}</p>
      )}
      <p className="small muted mt-2">{pay.requested(formatDate(link.created_at), formatDate(link.expires_at))}</p>
    </section>
  )
}
