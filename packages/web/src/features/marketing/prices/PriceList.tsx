import type { ReactNode } from 'react'
import { feeBasisPoints } from '@tern/money/fee'
import { prices } from '#messages/site/prices/price-list.ts'
import { CardMoneyText } from '../CardMoneyText.tsx'
import { percentOf } from '../price.ts'

const { rows } = prices

interface PriceProps {
  name: string
  price: ReactNode
  children: ReactNode
}

function Price({ name, price, children }: PriceProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="price-figure">{price}</dd>
      <dd className="small muted">{children}</dd>
    </div>
  )
}

/** Our prices, from the price list that every quote is made with. The server fills in the row about card money. */
export function PriceList() {
  return (
    <section aria-labelledby="price-list">
      <h2 className="display-s" id="price-list">
        {prices.list}
      </h2>
      <dl className="price-list">
        <Price name={rows.sameCurrency.name} price={`${percentOf(feeBasisPoints.same_currency)}%`}>
          {rows.sameCurrency.text}
        </Price>
        <Price name={rows.otherCurrency.name} price={`${percentOf(feeBasisPoints.stablecoin_bridge)}%`}>
          {rows.otherCurrency.text}
        </Price>
        <Price name={rows.direct.name} price={`${percentOf(feeBasisPoints.direct_conversion)}%`}>
          {rows.direct.text}
        </Price>
        <Price name={rows.add.name} price={prices.free}>
          {rows.add.text}
        </Price>
        <Price name={rows.withdraw.name} price={prices.free}>
          {rows.withdraw.text}
        </Price>
        <Price name={rows.cardMoney} price={<span data-value="card-money-wait">{'\u2013'}</span>}>
          <CardMoneyText />
        </Price>
      </dl>
      <p className="small muted">{prices.more}</p>
    </section>
  )
}
