import { marketing } from '#messages/site/marketing.ts'
import { priceCheck } from '#messages/site/prices/price-check.ts'
import { priceForm } from '#messages/site/prices/price-form.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { formatDateWithYear } from '../../ui/format/date-with-year.ts'
import { example, computePrice } from './price.ts'
import { PriceLines, ReceivedField, SentField } from './PriceFields.tsx'

const { from, to, source, date } = example
const price = computePrice(example)

/** Full price of a transfer beside that of an average bank. The chosen countries turn the globe. */
export function PriceCheck() {
  return (
    <form
      className="price-check sheet raised"
      id="price-check"
      aria-label={marketing.priceCheck}
      data-amount={example.amount}
      data-rate={example.rate}
    >
      <div className="small flex justify-between gap-4 px-6 pt-4 max-md:flex-col max-md:gap-0.5 max-md:px-4 sm:max-md:flex-row">
        <b className="text-balance" id="way">
          {priceCheck.way(countryName(from), countryName(to))}
        </b>
        <span className="muted" id="rate-origin">
          {priceForm.example(formatDateWithYear(date))}
        </span>
      </div>
      <div className="price-grid grid grid-cols-[minmax(0,1fr)_minmax(0,1.02fr)_minmax(0,1fr)] items-start gap-10 px-6 pt-3 pb-5 max-xl:gap-6 max-md:grid-cols-1 max-md:gap-4 max-md:p-4 sm:max-md:grid-cols-[1fr_1fr]">
        <SentField {...example} />
        <PriceLines {...example} />
        <ReceivedField {...example} />
      </div>
      <figure className="px-6 pb-5 max-md:px-4" id="comparison">
        <div className="cost-bar" />
        <figcaption>
          <p className="cost-ends small">
            <span>
              <b className="text-sea">{marketing.tern}</b>{' '}
              <span className="tabular" id="own-cost">
                {formatMoney(price.fee, source)}
              </span>
            </span>
            <span>
              {marketing.averageBank}{' '}
              <b className="tabular" id="bank-cost">
                {formatMoney(price.bankFee ?? '0', source)}
              </b>
            </span>
          </p>
          <p className="tiny faint">{marketing.source(formatMoney('200', 'USD', { places: 0 }))}</p>
        </figcaption>
      </figure>
      <p className="small muted px-6 pb-6 max-md:px-4" id="same-currency" hidden>
        {marketing.sameCurrency}
      </p>
    </form>
  )
}
