import type { ComponentProps, ReactNode } from 'react'
import { Field, type FieldProps } from './Field.tsx'
import { Icon } from '../icon/Icon.tsx'

export interface Choice<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly disabled?: boolean | undefined
}

type SelectFieldProps = FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'children'> & {
    choices: readonly Choice[]
    /** The first, empty choice, such as 'Choose a country'. */
    placeholder?: string | undefined
    /** What shortens the list, between its label and itself. */
    above?: ReactNode
  }

/** One of many choices, as the device's own list. */
export function SelectField(props: SelectFieldProps) {
  const { label, optional, hint, error, className, choices, placeholder, above, id, ...select } = props
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <>
          {above}
          <div className="input-box">
            <select className="input" {...select} {...control}>
              {placeholder !== undefined && <option value="">{placeholder}</option>}
              {choices.map((choice) => (
                <option key={choice.value} value={choice.value} disabled={choice.disabled}>
                  {choice.label}
                </option>
              ))}
            </select>
            <span className="select-chevron">
              <Icon name="down" />
            </span>
          </div>
        </>
      )}
    </Field>
  )
}
