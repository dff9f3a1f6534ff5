import { priceCheck } from '#messages/site/prices/price-check.ts'
import { priceForm } from '#messages/site/prices/price-form.ts'
import { prices } from '#messages/site/prices/price-list.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { formatFullDate } from '../../../ui/format/full-date.ts'
import { ScaleBar } from '../../../ui/layout/Sheet.tsx'
import { AccountButton } from '../frame/AccountLinks.tsx'
import { pricesExample as example, priceOf } from '../price.ts'
import { PriceLines, ReceivedField, SentField } from '../PriceFields.tsx'

const price = priceOf(example)

/** The price of any amount, with Tern's cost and an average bank's as bars to scale. */
export function Calculator() {
  return (
    <form
      className="calculator sheet price-check"
      id="price-check"
      aria-labelledby="calculator-title"
      data-amount={example.amount}
      data-rate={example.rate}
    >
      <ScaleBar />
      <div className="calculator-body">
        <h2 className="display-s" id="calculator-title">
          {prices.calculator}
        </h2>
        <SentField {...example} />
        <ReceivedField {...example} />
        <PriceLines {...example} />
        <p className="tiny faint" id="rate-origin">
          {priceForm.example(formatFullDate(example.date))}
        </p>
        <Bars />
        <AccountButton className="button-big button-wide" />
      </div>
    </form>
  )
}

function Bars() {
  return (
    <figure className="cost-bars" id="comparison">
      <figcaption id="bars-title">{priceCheck.costOfSending(formatMoney(price.sent, example.source))}</figcaption>
      <dl className="small" id="bars" data-bars="">
        <div className="cost-bar-own">
          <dt id="own-name">{priceCheck.tern(price.feePercent)}</dt>
          <dd id="own-cost">{formatMoney(price.fee, example.source)}</dd>
          <dd aria-hidden="true" />
        </div>
        <div id="bank-bar">
          <dt>{prices.averageBank}</dt>
          <dd id="bank-cost">{formatMoney(price.bankFee ?? '0', example.source)}</dd>
          <dd aria-hidden="true" />
        </div>
      </dl>
      <p className="small muted" id="same-currency" hidden>
        {prices.sameCurrency}
      </p>
      <p className="tiny faint">{prices.source}</p>
    </figure>
  )
}
