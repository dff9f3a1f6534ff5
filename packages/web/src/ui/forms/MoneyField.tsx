import type { CurrencyCode } from '@tern/money/currency'
import { scaleOf } from '@tern/money/currency'
import { type ChangeEvent, type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { placeCaret, groupAmount, type TypedAmount } from './amount-text.ts'
import { applyText } from './pasted-amount.ts'
import { Field, type FieldProps } from './Field.tsx'
import { Icon } from '../icon/Icon.tsx'
import { forms } from '#messages/forms.ts'

type MoneyFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'className' | 'value' | 'onChange' | 'defaultValue' | 'ref'> & {
    currency: CurrencyCode
    /** Plain decimal such as "1234.5"; "" if empty. */
    value: string
    onValueChange: (value: string) => void
    /** Decimal places allowed, such as those of a rate; the currency's own by default. */
    places?: number | undefined
    /** Replaces the currency. */
    unit?: ReactNode
    /** Lets the person choose the currency inside the field. */
    currencies?: readonly CurrencyCode[] | undefined
    onCurrencyChange?: ((currency: CurrencyCode) => void) | undefined
    /** Label of the currency choice, for pages with several; 'Currency' by default. */
    currencyLabel?: string | undefined
    /** A button inside the field, such as one that fills in the whole balance. */
    action?: ReactNode
  }

/**
 * Amount field, grouped during input in the person's own number format; the value is a plain decimal string. Text
 * inserted as a whole, such as a pasted amount, is either accepted in full or refused with a message; the field then
 * keeps its content. Typed text that is not an amount stays in the field with a message, and the value is "".
 */
export function MoneyField(props: MoneyFieldProps) {
  const { label, optional, hint, aside, error, className, id, currency, value, onValueChange, ...rest } = props
  const { currencies, onCurrencyChange, currencyLabel, action, places, unit, ...input } = rest
  const scale = places ?? scaleOf(currency)
  const field = useRef<HTMLInputElement>(null)
  const [entry, setEntry] = useState<TypedAmount & { caret: number }>()
  const [refused, setRefused] = useState<Refusal>()
  const typedAmount = entry?.amount === value ? entry : undefined
  const displayText = typedAmount?.shown ?? groupAmount(value)

  useLayoutEffect(() => {
    if (entry && document.activeElement === field.current) field.current?.setSelectionRange(entry.caret, entry.caret)
  }, [entry])

  const changeText = (event: ChangeEvent<HTMLInputElement>) => {
    const { value: text, selectionStart } = event.currentTarget
    const applied = applyText(
      text,
      event.nativeEvent as InputEvent,
      { shown: displayText, entry: typedAmount },
      { currency, scale },
    )
    const next = 'refused' in applied ? applied.keptAmount : applied
    setRefused('refused' in applied ? { message: applied.refused, keptText: next?.amount ?? value } : undefined)
    if (!next) return
    setEntry({ ...next, caret: placeCaret(next.shown, text, selectionStart ?? text.length) })
    onValueChange(next.amount)
  }

  return (
    <Field
      {...{ label, optional, hint, aside, className, id }}
      error={refused?.keptText === value ? refused.message : error}
    >
      {(control) => (
        <div className="input-box input-box-money">
          <input
            className="input"
            inputMode={scale === 0 ? 'numeric' : 'decimal'}
            autoComplete="off"
            placeholder={groupAmount(scale === 0 ? '0' : '0.00')}
            {...input}
            {...control}
            ref={field}
            value={displayText}
            onChange={changeText}
            onBlur={() => !entry?.isRefused && setEntry(undefined)}
          />
          {action}
          {unit ?? <CurrencyUnit {...{ currency, currencies, onCurrencyChange, currencyLabel }} />}
        </div>
      )}
    </Field>
  )
}

interface Refusal {
  readonly message: string
  /** Value of the field at the time of the refusal; the message is shown while it is unchanged. */
  readonly keptText: string
}

type CurrencyUnitProps = Pick<MoneyFieldProps, 'currency' | 'currencies' | 'onCurrencyChange' | 'currencyLabel'>

function CurrencyUnit({ currency, currencies, onCurrencyChange, currencyLabel }: CurrencyUnitProps) {
  if (!currencies || !onCurrencyChange)
    return (
      <span className="input-unit" translate="no">
        {currency}
      </span>
    )
  return (
    <span className="input-unit" translate="no">
      <select
        aria-label={currencyLabel ?? forms.currency}
        value={currency}
        onChange={(event) => onCurrencyChange(event.target.value as CurrencyCode)}
      >
        {currencies.map((code) => (
          <option key={code}>{code}</option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  )
}
