import '../../css/period-form.css'
import type { CurrencyCode } from '@tern/money/currency'
import { type FormEvent, useState } from 'react'
import { statements as texts } from '#messages/statements/statements.ts'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import {
  findKind,
  formatPeriod,
  listDays,
  listPeriods,
  nameKind,
  type NamedKind,
  type Period,
  type PeriodKind,
} from './period-choices.ts'

interface PeriodFormProps {
  currency: CurrencyCode
  currencies: readonly CurrencyCode[]
  period: Period
  /** Days on which the account was opened, and today. */
  since: string
  today: string
  /** True to offer any first and last day. */
  hasDates?: boolean
  onChange: (currency: CurrencyCode, period: Period) => void
}

const kinds = Object.entries(texts.kinds).map(([value, label]) => ({ value: value as PeriodKind, label }))
const namedKinds = kinds.filter(({ value }) => value !== 'custom')

/** Chooses balance and period. Each choice applies at once, except dates that the person types. */
export function PeriodForm({ currency, currencies, period, since, today, hasDates, onChange }: PeriodFormProps) {
  const [kind, setKind] = useState(findKind(period))
  const change = (next: Period) => onChange(currency, next)
  const chooseKind = (next: PeriodKind) => {
    setKind(next)
    if (next === 'custom') return
    // The latest period of that length within the one shown.
    const [, end] = listDays(period)
    change({ period: nameKind(next, end < today ? end : today) })
  }
  return (
    <div className="period-form">
      <SelectField
        label={texts.balance}
        choices={currencies.map((value) => ({ value, label: texts.balanceIn(value) }))}
        value={currency}
        onChange={({ target }) => onChange(target.value as CurrencyCode, period)}
      />
      <Segmented label={texts.periods} choices={hasDates ? kinds : namedKinds} value={kind} onChange={chooseKind} />
      {kind === 'custom' ? (
        <DatesForm period={period} today={today} onChange={change} />
      ) : (
        <PeriodStepper kind={kind} period={period} since={since} today={today} onChange={change} />
      )}
    </div>
  )
}

interface PartProps {
  period: Period
  today: string
  onChange: (period: Period) => void
}

/** One period of a list, with buttons for its neighbours. */
function PeriodStepper({ kind, period, since, today, onChange }: PartProps & { kind: NamedKind; since: string }) {
  const shown = 'period' in period ? period.period : ''
  const listed = listPeriods(kind, since, today)
  // An older link may name a period outside the list.
  const periods = listed.includes(shown) ? listed : [...listed, shown].toSorted().toReversed()
  const index = periods.indexOf(shown)
  const step = (by: number) => {
    const next = periods[index + by]
    if (next !== undefined) onChange({ period: next })
  }
  return (
    <div className="period-stepper">
      <IconButton
        icon="previous"
        label={texts.earlier}
        disabled={index >= periods.length - 1}
        onClick={() => step(1)}
      />
      <SelectField
        label={texts.choose[kind]}
        choices={periods.map((value) => ({ value, label: formatPeriod({ period: value }) }))}
        value={shown}
        onChange={({ target }) => onChange({ period: target.value })}
      />
      <IconButton icon="next" label={texts.later} disabled={index <= 0} onClick={() => step(-1)} />
    </div>
  )
}

function DatesForm({ period, today, onChange }: PartProps) {
  const [first, last] = listDays(period)
  const [from, setFrom] = useState(first)
  const [to, setTo] = useState(last < today ? last : today)
  const [error, setError] = useState<string>()
  const show = (event: FormEvent) => {
    event.preventDefault()
    const problem = from === '' || to === '' ? texts.datesMissing : to < from ? texts.datesReversed : undefined
    setError(problem)
    if (problem === undefined) onChange({ from, to })
  }
  return (
    <form className="period-dates" noValidate onSubmit={show}>
      <TextField
        label={texts.from}
        type="date"
        max={today}
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
      <TextField
        label={texts.to}
        type="date"
        max={today}
        value={to}
        error={error}
        onChange={({ target }) => setTo(target.value)}
      />
      <Button type="submit">{texts.show}</Button>
    </form>
  )
}
