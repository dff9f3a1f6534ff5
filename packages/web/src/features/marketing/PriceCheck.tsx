import { type FiatCode, fiatCodes } from '@tern/money/currency'
import { marketing } from '#messages/site/marketing.ts'
import { priceCheck } from '#messages/site/price-check.ts'
import { formatMoney, formatWithCode } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { example, priceOf } from './price.ts'

const { source, target, rate, date } = example
const price = priceOf(example)

interface AmountInputProps {
  id: string
  label: string
  currencyLabel: string
  amount: string
  currency: FiatCode
}

/** Sent as it stands here the fields only show the example; the page's script sets them free. */
function AmountInput({ id, label, currencyLabel, amount, currency }: AmountInputProps) {
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="input-box input-box-money">
        <input className="input" id={id} inputMode="decimal" autoComplete="off" readOnly defaultValue={amount} />
        <span className="input-unit">
          <select id={`${id}-currency`} aria-label={currencyLabel} disabled defaultValue={currency}>
            {fiatCodes.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      </div>
    </div>
  )
}

/** What a transfer costs, fee and rate in full, beside what an average bank takes. */
export function PriceCheck() {
  return (
    <form className="price-check sheet" id="price-check" aria-label={marketing.priceCheck}>
      <div className="scale-bar" />
      <div className="price-check-body">
        <AmountInput
          id="sent"
          label={priceCheck.youSend}
          currencyLabel={priceCheck.sendCurrency}
          amount={formatMoney(price.sent, source, { unit: 'none' })}
          currency={source}
        />
        <dl className="definitions small price-ladder" aria-live="polite">
          <div>
            <dt id="fee-name">{priceCheck.fee(price.feePercent)}</dt>
            <dd id="fee">{formatWithCode(price.fee, source)}</dd>
          </div>
          <div>
            <dt>{priceCheck.rate}</dt>
            <dd id="rate">{formatRateLine(rate, source, target)}</dd>
          </div>
          <div className="definitions-sum">
            <dt>{priceCheck.total}</dt>
            <dd id="total">{formatWithCode(price.total, source)}</dd>
          </div>
        </dl>
        <AmountInput
          id="received"
          label={priceCheck.theyGet}
          currencyLabel={priceCheck.getCurrency}
          amount={formatMoney(price.received, target, { unit: 'none' })}
          currency={target}
        />
        <p className="hint rate-origin" id="rate-origin">
          {marketing.example(date)}
        </p>
        <Comparison />
      </div>
    </form>
  )
}

function Comparison() {
  return (
    <figure className="comparison" id="comparison">
      <figcaption className="small">
        <b id="cost-title">{priceCheck.costOf(formatWithCode(price.sent, source))}</b>
      </figcaption>
      <dl className="bars small">
        <div>
          <dt>Tern</dt>
          <dd className="bar" />
          <dd className="bar-amount" id="own-cost">
            {formatWithCode(price.fee, source)}
          </dd>
        </div>
        <div>
          <dt>{marketing.average}</dt>
          <dd className="bar bar-bank" />
          <dd className="bar-amount" id="bank-cost">
            {formatWithCode(price.bankFee ?? '0', source)}
          </dd>
        </div>
      </dl>
      <p className="tiny faint">{marketing.averageSource}</p>
    </figure>
  )
}
