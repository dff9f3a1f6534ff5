import { type ReactNode, useId } from 'react'

export interface RadioChoice<Value extends string> {
  readonly value: Value
  readonly label: ReactNode
  /** Content at the end of the row, such as a balance. */
  readonly end?: ReactNode
  readonly disabled?: boolean | undefined
}

interface RadioProps<Value extends string> {
  /** Heading of the group; `hideLegend` keeps it for assistive technology only. */
  legend: string
  hideLegend?: boolean | undefined
  choices: readonly RadioChoice<Value>[]
  value: Value
  onChange: (value: Value) => void
  hint?: ReactNode
}

function Radios<Value extends string>(props: RadioProps<Value> & { row: string; list: string }) {
  const name = useId()
  return (
    <fieldset aria-describedby={props.hint ? `${name}-hint` : undefined}>
      <legend className={props.hideLegend ? 'visually-hidden' : 'field-label'}>{props.legend}</legend>
      <div className={props.list}>
        {props.choices.map((choice) => (
          <label key={choice.value} className={props.row}>
            <input
              type="radio"
              className="cover-input"
              name={name}
              value={choice.value}
              checked={choice.value === props.value}
              disabled={choice.disabled}
              onChange={() => props.onChange(choice.value)}
            />
            <span className="grow">{choice.label}</span>
            {choice.end && <span className="small muted tabular">{choice.end}</span>}
          </label>
        ))}
      </div>
      {props.hint && (
        <p className="hint" id={`${name}-hint`}>
          {props.hint}
        </p>
      )}
    </fieldset>
  )
}

/** Radio buttons, each on its own row. */
export function RadioList<Value extends string>(props: RadioProps<Value>) {
  return <Radios {...props} list="radio-list" row="radio-option" />
}

/** Radio buttons side by side, for a few short choices, as in filters. */
export function RadioPills<Value extends string>(props: RadioProps<Value>) {
  return <Radios {...props} list="pills" row="pill" />
}
