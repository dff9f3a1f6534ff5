import { priceCheck } from '#messages/site/prices/price-check.ts'
import { priceForm } from '#messages/site/prices/price-form.ts'
import { prices } from '#messages/site/prices/price-list.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { formatDateWithYear } from '../../../ui/format/date-with-year.ts'
import { ScaleBar } from '../../../ui/layout/Sheet.tsx'
import { AccountButton } from '../frame/AccountLinks.tsx'
import { pricesExample as example, computePrice } from '../price.ts'
import { PriceLines, ReceivedField, SentField } from '../PriceFields.tsx'

const price = computePrice(example)

/** Price of any amount, with the costs of Tern and an average bank as bars to scale. */
export function Calculator() {
  return (
    <form
      className="price-check sheet raised sticky top-22 max-xl:static max-xl:max-w-160 print:static print:[box-shadow:none]"
      id="price-check"
      aria-labelledby="calculator-title"
      data-amount={example.amount}
      data-rate={example.rate}
    >
      <ScaleBar />
      <div className="grid grid-cols-1 gap-4 p-6 max-md:px-4 max-md:py-5">
        <h2 className="display-s" id="calculator-title">
          {prices.calculator}
        </h2>
        <SentField {...example} />
        <ReceivedField {...example} />
        <PriceLines {...example} />
        <p className="tiny faint -mt-2" id="rate-origin">
          {priceForm.example(formatDateWithYear(example.date))}
        </p>
        <Bars />
        <AccountButton className="button-big button-wide" />
      </div>
    </form>
  )
}

function Bars() {
  return (
    <figure className="cost-bars border-t border-t-ink pt-4" id="comparison">
      <figcaption className="text-small font-medium" id="bars-title">
        {priceCheck.costOfSending(formatMoney(price.sent, example.source))}
      </figcaption>
      <dl className="small" id="bars" data-bars="">
        <div className="cost-bar-own mt-2 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
          <dt className="font-medium text-sea" id="own-name">
            {priceCheck.tern(price.feePercent)}
          </dt>
          <dd className="tabular font-medium" id="own-cost">
            {formatMoney(price.fee, example.source)}
          </dd>
          <dd className="cost-length col-span-full" aria-hidden="true" />
        </div>
        <div className="mt-2 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1" id="bank-bar">
          <dt>{prices.averageBank}</dt>
          <dd className="tabular font-medium" id="bank-cost">
            {formatMoney(price.bankFee ?? '0', example.source)}
          </dd>
          <dd className="cost-length col-span-full" aria-hidden="true" />
        </div>
      </dl>
      <p className="small muted mt-3" id="same-currency" hidden>
        {prices.sameCurrency}
      </p>
      <p className="tiny faint mt-3">{prices.source}</p>
    </figure>
  )
}
