import { priceCheck } from '#messages/site/prices/price-check.ts'
import { priceForm } from '#messages/site/prices/price-form.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { type CountryCode, currencies } from './globe/countries.ts'
import { type Example, computePrice } from './price.ts'

const codes = Object.keys(currencies) as CountryCode[]

interface AmountInputProps {
  id: 'sent' | 'received'
  label: string
  countryLabel: string
  amount: string
  country: CountryCode
}

/** Renders the example into the HTML; the page's script makes it editable. */
function AmountInput({ id, label, countryLabel, amount, country }: AmountInputProps) {
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="input-box input-box-money min-h-16 text-ink">
        <input
          className="input py-1.75 text-[32px]"
          id={id}
          inputMode="decimal"
          autoComplete="off"
          aria-describedby={`${id}-refused`}
          readOnly
          defaultValue={amount}
        />
        <span className="input-unit min-w-24 justify-between">
          <span id={`${id}-currency`}>{currencies[country]}</span>
          <Icon name="down" />
          <select
            className="absolute inset-x-0 -inset-y-3.5 m-0 w-full p-0 text-[16px] opacity-0"
            id={`${id}-country`}
            aria-label={countryLabel}
            disabled
            defaultValue={country}
          >
            {codes.map((code) => (
              <option key={code} value={code}>
                {priceForm.country(countryName(code), currencies[code])}
              </option>
            ))}
          </select>
        </span>
      </div>
      <p className="field-error" id={`${id}-refused`} role="alert" hidden />
    </div>
  )
}

export function SentField({ from, amount, source }: Example) {
  return (
    <AmountInput
      id="sent"
      label={priceForm.youSend}
      countryLabel={priceForm.sendFrom}
      amount={formatMoney(amount, source, { unit: 'none' })}
      country={from}
    />
  )
}

export function ReceivedField(example: Example) {
  return (
    <AmountInput
      id="received"
      label={priceForm.theyGet}
      countryLabel={priceForm.sendTo}
      amount={formatMoney(computePrice(example).received, example.target, { unit: 'none' })}
      country={example.to}
    />
  )
}

export function PriceLines(example: Example) {
  const { source, target, rate } = example
  const price = computePrice(example)
  return (
    <dl className="definitions small price-lines [&>div]:py-1.5" aria-live="polite">
      <div>
        <dt id="fee-name">{priceCheck.fee(price.feePercent)}</dt>
        <dd id="fee">{formatMoney(price.fee, source)}</dd>
      </div>
      <div>
        <dt id="rate-name">{priceCheck.rate}</dt>
        <dd id="rate">{formatRateLine(rate, source, target)}</dd>
      </div>
      <div className="definitions-sum">
        <dt>{priceForm.total}</dt>
        <dd id="total">{formatMoney(price.total, source)}</dd>
      </div>
    </dl>
  )
}
