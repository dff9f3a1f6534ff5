import type { Quote } from '@tern/contract/exchange'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { prices } from '#messages/prices.ts'
import { pay } from '#messages/transfers/requests.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { shortRequesterName } from './RequestSummary.tsx'

type Price = Omit<Quote, 'quote_id' | 'expires_at' | 'recipient_id'>

/** Total in the payer's currency, then the amount without the fee, the fee and the rate. */
export function PriceLines({ price, link }: { price: Price; link: PaymentLink }) {
  const { source_currency: source, target_currency: target } = price
  const name = shortRequesterName(link)
  const isSame = source === target
  return (
    <>
      <p className="small muted">{pay.allIn}</p>
      <p>
        <Balance amount={price.total} currency={source} size="medium" />
      </p>
      <div className="mt-2">
        <DefinitionList
          small
          entries={[
            isSame
              ? { term: pay.gets(name), value: formatExact(price.target_amount, target) }
              : { term: pay.forName(name), value: formatExact(price.source_amount, source) },
            {
              term: prices.fee(formatPercent(price.fee_basis_points)),
              value: formatExact(price.fee, price.fee_currency),
            },
            !isSame && { term: prices.midMarketRate, value: formatRateLine(price.mid_market_rate, source, target) },
          ]}
        />
      </div>
    </>
  )
}
