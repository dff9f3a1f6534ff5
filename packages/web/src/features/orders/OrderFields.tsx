import type { Wallet } from '@tern/contract/wallets'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { orders as texts } from '#messages/exchange/orders.ts'
import { isolate } from '../../ui/format/format.ts'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { daysFromNow, isFilledAtOnce, maxDays, type OrderValues } from './order-form.ts'
import { computeDistance } from './pair.ts'
import { formatDistanceText, formatHold } from './order-text.ts'
import type { OrderFormModel } from './use-order-form.ts'

interface FieldProps {
  form: OrderFormModel
}

type Pair = Pick<OrderValues, 'from' | 'to'>

/** All ordered pairs of the wallet's currencies. */
const listPairs = ({ assets }: Wallet): Pair[] =>
  assets.flatMap(({ currency: from }) => assets.flatMap(({ currency: to }) => (from === to ? [] : [{ from, to }])))

/** Amount, source and target of an order; an alert has only the pair. */
export function AmountField({ form, wallet }: FieldProps & { wallet: Wallet }) {
  const { values, subject, spendable } = form
  if (values.kind === 'alert') return subject.is === 'new' ? <AlertPair form={form} /> : null
  return (
    <MoneyField
      className="order-field grid grid-cols-[auto_1fr] gap-x-3"
      label={texts.exchange}
      currency={values.from}
      value={values.amount}
      onValueChange={(amount) => form.change({ amount })}
      error={form.errors.amount}
      hint={<span className="tabular">{texts.available(formatHold(toDecimal(spendable), values.from))}</span>}
      unit={
        subject.is === 'new' ? (
          <PairChoice pairs={listPairs(wallet)} chosen={values} onChoose={form.choose} />
        ) : (
          <span className="input-unit">{texts.pairOf(values.from, values.to)}</span>
        )
      }
    />
  )
}

interface PairChoiceProps {
  pairs: readonly Pair[]
  chosen: Pair
  onChoose: (pair: Pair) => void
}

function PairChoice({ pairs, chosen, onChoose }: PairChoiceProps) {
  return (
    <span className="input-unit">
      <select
        aria-label={texts.pair}
        value={`${chosen.from} ${chosen.to}`}
        onChange={({ target: { value } }) => {
          const pair = pairs.find(({ from, to }) => value === `${from} ${to}`)
          if (pair) onChoose(pair)
        }}
      >
        {pairs.map(({ from, to }) => (
          <option key={from + to} value={`${from} ${to}`}>
            {texts.pairOf(from, to)}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  )
}

/** The pair of an alert may be any two currencies. */
function AlertPair({ form: { values, choose: begin } }: FieldProps) {
  const { from, to } = values
  const choices = currencyCodes.map((value) => ({ value, label: value }))
  const choose = (pair: Pair, otherPair: Pair) => begin(pair.from === pair.to ? otherPair : pair)
  return (
    <div className="grid grid-cols-[1fr_1fr] gap-4">
      <SelectField
        label={texts.rateOf}
        choices={choices}
        value={from}
        onChange={({ target: { value } }) =>
          choose({ from: value as CurrencyCode, to }, { from: value as CurrencyCode, to: from })
        }
      />
      <SelectField
        label={texts.rateIn}
        choices={choices}
        value={to}
        onChange={({ target: { value } }) =>
          choose({ from, to: value as CurrencyCode }, { from: to, to: value as CurrencyCode })
        }
      />
    </div>
  )
}

/** Maximum decimals of a rate that the server accepts. */
const rateDecimals = 15

/** Rate with its distance from the current one, and the worst rate of a stop. */
export function RateFields({ form }: FieldProps) {
  const { values, pair, side, sums, now, errors } = form
  const rate = sums.rate
  const distance = rate === undefined ? undefined : formatDistanceText(computeDistance(rate, now))
  const isExecutedAtOnce = rate !== undefined && isFilledAtOnce(side, rate, now) && values.kind !== 'alert'
  return (
    <>
      <MoneyField
        className="order-field grid grid-cols-[auto_1fr] gap-x-3 order-rate"
        label={texts.when[side](isolate(`1 ${pair.rateCurrency}`))}
        currency={pair.otherCurrency}
        places={rateDecimals}
        value={values.rate}
        onValueChange={(text) => form.change({ rate: text })}
        error={errors.rate}
        hint={
          distance && (
            <span className="tabular">{isExecutedAtOnce ? texts.withComma(distance, texts.rightAway) : distance}</span>
          )
        }
      />
      {values.kind === 'stop' && (
        <MoneyField
          className="order-field grid grid-cols-[auto_1fr] gap-x-3"
          label={texts.worst[side]}
          currency={pair.otherCurrency}
          places={rateDecimals}
          value={values.worst ?? sums.worst ?? ''}
          onValueChange={(worst) => form.change({ worst })}
          error={errors.worst}
          hint={texts.worstHint}
        />
      )}
    </>
  )
}

export function ExpiryField({ form }: FieldProps) {
  return (
    <TextField
      label={texts.expires}
      type="date"
      min={daysFromNow(0)}
      max={daysFromNow(maxDays)}
      value={form.values.expires}
      onChange={(event) => form.change({ expires: event.target.value })}
      error={form.errors.expires}
    />
  )
}
