import { type ChangeEvent, type FocusEvent, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { kyc } from '#messages/identity/kyc.ts'
import { personLocale } from '../../../ui/format/locale.ts'
import { FieldError } from '../../../ui/forms/Field.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import type { VerificationFormState } from '../VerificationFields.tsx'
import { joinDate, type DatePart, getPartOrder, splitDate, readDate } from './date-parts.ts'

const name = 'dateOfBirth'
const lengths = { year: 4, month: 2, day: 2 } as const
const autoComplete = { year: 'bday-year', month: 'bday-month', day: 'bday-day' } as const

const partNames = Object.keys(lengths) as DatePart[]

/**
 * Date of birth in three fields, in the order of the user's locale. A full date pasted into one field fills all three.
 * Validated as soon as it is complete.
 */
export function DateField({ form }: { form: VerificationFormState }) {
  const value = useWatch({ control: form.control, name })
  const [parts, setParts] = useState(() => splitDate(value))
  const [order] = useState(() => getPartOrder(personLocale()))
  // The form's value differs after a draft was restored or the form was cleared.
  const visibleParts = joinDate(parts) === value ? parts : splitDate(value)
  const error = form.formState.errors[name]?.message

  function changePart(part: DatePart, { target }: ChangeEvent<HTMLInputElement>) {
    const { value: text } = target
    const next = readDate(text, order) ?? {
      ...visibleParts,
      [part]: text.replaceAll(/\D/g, '').slice(0, lengths[part]),
    }
    setParts(next)
    form.clearErrors(name)
    form.setValue(name, joinDate(next))
    if (partNames.every((datePart) => next[datePart].length === lengths[datePart])) void form.trigger(name)
  }

  /** On leaving the fields, validates a date whose month or day has one digit. */
  function handleBlur({ currentTarget, relatedTarget }: FocusEvent) {
    const isComplete =
      partNames.every((datePart) => visibleParts[datePart] !== '') && visibleParts.year.length === lengths.year
    if (isComplete && !currentTarget.contains(relatedTarget)) void form.trigger(name)
  }

  return (
    <fieldset
      className="[&_.field-label]:mb-0.5 [&>.hint]:mt-0 [&>.hint]:mb-1.5 [&:has([aria-invalid])_.input-box]:[box-shadow:0_0_0_1px_var(--beak-ink)] [&:has([aria-invalid])_.input-box]:border-beak-ink"
      onBlur={handleBlur}
      aria-describedby={[error && `${name}-error`, `${name}-hint`].filter(Boolean).join(' ')}
    >
      <legend className="field-label">{kyc.dateOfBirth}</legend>
      <p className="hint" id={`${name}-hint`}>
        {kyc.ageHint}
      </p>
      <div className="flex gap-3 [&>div]:w-20 [&_.field-label]:font-normal [&_.field-label]:text-ink-2">
        {order.map((part, index) => (
          <TextField
            key={part}
            className={part === 'year' ? 'w-26!' : undefined}
            label={kyc.dateParts[part]}
            inputMode="numeric"
            autoComplete={autoComplete[part]}
            aria-invalid={error ? true : undefined}
            value={visibleParts[part]}
            onChange={(event) => changePart(part, event)}
            {...(index === 0 ? { id: name } : {})}
          />
        ))}
      </div>
      <div aria-live="polite">{error && <FieldError id={`${name}-error`}>{error}</FieldError>}</div>
    </fieldset>
  )
}
