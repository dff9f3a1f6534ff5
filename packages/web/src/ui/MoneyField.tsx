import type { CurrencyCode } from '@tern/money/currency'
import { scaleOf } from '@tern/money/currency'
import { type ComponentProps, type FormEvent, useLayoutEffect, useRef, useState } from 'react'
import { groupAmount, limitPlaces, readAmount, typeAmount } from './amount-text.ts'
import { Field, type FieldProps } from './Field.tsx'
import { Icon } from './Icon.tsx'
import { shell } from '#messages/shell.ts'

type MoneyFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'className' | 'value' | 'onChange' | 'defaultValue' | 'ref'> & {
    currency: CurrencyCode
    /** A plain decimal such as "1234.5", or "" for nothing. */
    value: string
    onValueChange: (value: string) => void
    /** Lets the person choose the currency inside the field. */
    currencies?: readonly CurrencyCode[] | undefined
    onCurrencyChange?: ((currency: CurrencyCode) => void) | undefined
  }

/** Where the caret belongs after regrouping, so that it stays behind the same figure. */
function caretAfter(text: string, figures: number): number {
  let seen = 0
  for (let index = 0; index < text.length; index++) {
    if (seen === figures) return index
    if (/\d/.test(text.charAt(index))) seen++
  }
  return text.length
}

const countFigures = (text: string, caret: number): number => text.slice(0, caret).replace(/\D/g, '').length

/** An amount, grouped while it is typed, in the person's own number format; the value stays a plain decimal string. */
export function MoneyField(props: MoneyFieldProps) {
  const { label, optional, hint, error, className, id, currency, value, onValueChange, ...rest } = props
  const { currencies, onCurrencyChange, ...input } = rest
  const scale = scaleOf(currency)
  const field = useRef<HTMLInputElement>(null)
  const [unclear, setUnclear] = useState<{ shown: string; amount: string }>()
  const [caret, setCaret] = useState<{ at: number }>()
  const shown = unclear?.amount === value ? unclear.shown : groupAmount(value)

  useLayoutEffect(() => {
    if (caret && document.activeElement === field.current) field.current?.setSelectionRange(caret.at, caret.at)
  }, [caret])

  const take = (event: FormEvent<HTMLInputElement>) => {
    const text = event.currentTarget.value
    const native = event.nativeEvent as InputEvent
    const pasted = native.inputType?.startsWith('insertFrom') || (native.data?.length ?? 0) > 1 || !native.inputType
    const isStillUnclear = unclear !== undefined && text.startsWith(unclear.shown)
    const position = event.currentTarget.selectionStart ?? text.length
    if (pasted || isStillUnclear) {
      const amount = limitPlaces(readAmount(text), scale)
      setUnclear(isStillUnclear && !pasted ? { shown: text, amount } : undefined)
      return onValueChange(amount)
    }
    const next = typeAmount(text, native.data, scale)
    setUnclear(next.isUnclear ? { shown: next.shown, amount: next.amount } : undefined)
    if (!next.isUnclear)
      setCaret({
        at: position === text.length ? next.shown.length : caretAfter(next.shown, countFigures(text, position)),
      })
    onValueChange(next.amount)
  }

  return (
    <Field {...{ label, optional, hint, error, className, id }}>
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
            value={shown}
            onChange={take}
            onBlur={() => setUnclear(undefined)}
          />
          <CurrencyUnit {...{ currency, currencies, onCurrencyChange }} />
        </div>
      )}
    </Field>
  )
}

type CurrencyUnitProps = Pick<MoneyFieldProps, 'currency' | 'currencies' | 'onCurrencyChange'>

function CurrencyUnit({ currency, currencies, onCurrencyChange }: CurrencyUnitProps) {
  if (!currencies || !onCurrencyChange) return <span className="input-unit">{currency}</span>
  return (
    <span className="input-unit">
      <select
        aria-label={shell.currency}
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
