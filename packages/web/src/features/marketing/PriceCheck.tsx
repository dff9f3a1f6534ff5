import { marketing } from '#messages/site/marketing.ts'
import { priceCheck } from '#messages/site/price-check.ts'
import { formatDate, formatMoney } from '../../ui/format/format.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { type CountryCode, currencies } from './globe/countries.ts'
import { example, priceOf } from './price.ts'

const { from, to, source, target, rate, date } = example
const price = priceOf(example)
const codes = Object.keys(currencies) as CountryCode[]

interface AmountInputProps {
  id: string
  label: string
  countryLabel: string
  amount: string
  country: CountryCode
}

/** Sent as it stands here the fields only show the example; the page's script sets them free. */
function AmountInput({ id, label, countryLabel, amount, country }: AmountInputProps) {
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="input-box input-box-money">
        <input
          className="input"
          id={id}
          inputMode="decimal"
          autoComplete="off"
          aria-describedby={`${id}-refused`}
          readOnly
          defaultValue={amount}
        />
        <span className="input-unit">
          <span id={`${id}-currency`}>{currencies[country]}</span>
          <Icon name="down" />
          <select id={`${id}-country`} aria-label={countryLabel} disabled defaultValue={country}>
            {codes.map((code) => (
              <option key={code} value={code}>
                {marketing.country(marketing.countries[code], currencies[code])}
              </option>
            ))}
          </select>
        </span>
      </div>
      <p className="field-error" id={`${id}-refused`} role="alert" hidden />
    </div>
  )
}

/** What a transfer costs, fee and rate in full, beside what an average bank takes. Its countries turn the globe. */
export function PriceCheck() {
  return (
    <form className="price-check sheet" id="price-check" aria-label={marketing.priceCheck}>
      <div className="price-head small">
        <b id="way">{priceCheck.way(countryName(from), countryName(to))}</b>
        <span className="muted" id="rate-origin">
          {marketing.example(formatDate(date))}
        </span>
      </div>
      <div className="price-grid">
        <AmountInput
          id="sent"
          label={marketing.youSend}
          countryLabel={marketing.sendFrom}
          amount={formatMoney(price.sent, source, { unit: 'none' })}
          country={from}
        />
        <dl className="definitions small price-lines" aria-live="polite">
          <div>
            <dt id="fee-name">{priceCheck.fee(price.feePercent)}</dt>
            <dd id="fee">{formatMoney(price.fee, source)}</dd>
          </div>
          <div>
            <dt id="rate-name">{priceCheck.rate}</dt>
            <dd id="rate">{formatRateLine(rate, source, target)}</dd>
          </div>
          <div className="definitions-sum">
            <dt>{marketing.total}</dt>
            <dd id="total">{formatMoney(price.total, source)}</dd>
          </div>
        </dl>
        <AmountInput
          id="received"
          label={marketing.theyGet}
          countryLabel={marketing.sendTo}
          amount={formatMoney(price.received, target, { unit: 'none' })}
          country={to}
        />
      </div>
      <figure className="comparison" id="comparison">
        <div className="cost-bar" />
        <figcaption>
          <p className="cost-ends small">
            <span>
              <b className="cost-own">{marketing.tern}</b>{' '}
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
      <p className="same-currency small muted" id="same-currency" hidden>
        {marketing.sameCurrency}
      </p>
    </form>
  )
}
