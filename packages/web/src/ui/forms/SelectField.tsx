import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './Field.tsx'
import { Icon } from '../icon/Icon.tsx'

export interface Choice<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly disabled?: boolean | undefined
}

export interface ChoiceGroup {
  readonly label: string
  readonly choices: readonly Choice[]
}

type SelectFieldProps = FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'children'> & {
    choices?: readonly Choice[]
    /** Further choices, under headings. */
    groups?: readonly ChoiceGroup[]
    /** First, empty choice, such as 'Choose a country'. */
    placeholder?: string | undefined
  }

/** Select field for many choices, with the device's own list. */
export function SelectField(props: SelectFieldProps) {
  const { label, optional, hint, error, className, choices = [], groups = [], placeholder, id, ...select } = props
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <div className="input-box">
          <select className="input" {...select} {...control}>
            {placeholder !== undefined && <option value="">{placeholder}</option>}
            <Options choices={choices} />
            {groups.map((group) => (
              <optgroup key={group.label} label={group.label}>
                <Options choices={group.choices} />
              </optgroup>
            ))}
          </select>
          <span className="select-chevron">
            <Icon name="down" />
          </span>
        </div>
      )}
    </Field>
  )
}

const Options = ({ choices }: Pick<ChoiceGroup, 'choices'>) =>
  choices.map((choice) => (
    <option key={choice.value} value={choice.value} disabled={choice.disabled}>
      {choice.label}
    </option>
  ))
