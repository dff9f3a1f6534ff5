import type { Quote } from '@tern/contract/exchange'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { prices } from '#messages/prices.ts'
import { pay } from '#messages/requests.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { requesterName } from './Asked.tsx'

type Price = Omit<Quote, 'quote_id' | 'expires_at' | 'recipient_id'>

/** What paying costs in all, and what it is made of. */
export function PriceLines({ price, link }: { price: Price; link: PaymentLink }) {
  const { source_currency: source, target_currency: target } = price
  return (
    <>
      <p className="small muted">{pay.allIn}</p>
      <p>
        <Balance amount={price.total} currency={source} size="medium" />
      </p>
      <div className="mt-3">
        <DefinitionList
          small
          entries={[
            { term: pay.gets(requesterName(link)), value: formatExactWithSign(price.target_amount, target) },
            price.conversion_path !== 'none' && {
              term: prices.midMarketRate,
              value: formatRateLine(price.mid_market_rate, source, target),
            },
            { term: prices.amount, value: formatExact(price.source_amount, source) },
            {
              term: prices.fee(formatPercent(price.fee_basis_points)),
              value: formatExact(price.fee, price.fee_currency),
            },
            { term: prices.total, value: formatExact(price.total, source), sum: true },
          ]}
        />
      </div>
    </>
  )
}
