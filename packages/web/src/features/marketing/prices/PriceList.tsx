import type { ReactNode } from 'react'
import { feeBasisPoints } from '@tern/money/fee'
import { prices } from '#messages/site/prices/price-list.ts'
import { CardMoneyText } from '../CardMoneyText.tsx'
import { formatPercent } from '../price.ts'

const { rows } = prices

interface PriceProps {
  name: string
  price: ReactNode
  children: ReactNode
}

function Price({ name, price, children }: PriceProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-0.5 border-b py-4">
      <dt className="self-end font-medium">{name}</dt>
      <dd className="row-[1/3] col-start-2 self-center font-display text-headline font-normal [word-spacing:0.07em] max-md:text-[28px]/8">
        {price}
      </dd>
      <dd className="small muted row-start-2 max-w-[64ch] text-pretty [&_b]:[font-weight:inherit] [&_i]:not-italic">
        {children}
      </dd>
    </div>
  )
}

/** Price list that every quote uses. The server fills in the row about card money. */
export function PriceList() {
  return (
    <section aria-labelledby="price-list">
      <h2 className="display-s" id="price-list">
        {prices.list}
      </h2>
      <dl className="price-list mt-3 mb-6 border-t border-t-ink">
        <Price name={rows.sameCurrency.name} price={`${formatPercent(feeBasisPoints.same_currency)}%`}>
          {rows.sameCurrency.text}
        </Price>
        <Price name={rows.otherCurrency.name} price={`${formatPercent(feeBasisPoints.stablecoin_bridge)}%`}>
          {rows.otherCurrency.text}
        </Price>
        <Price name={rows.direct.name} price={`${formatPercent(feeBasisPoints.direct_conversion)}%`}>
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
