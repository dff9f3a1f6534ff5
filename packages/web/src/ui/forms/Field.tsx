import { type ReactNode, useId } from 'react'
import { forms } from '#messages/forms.ts'
import { classNames } from '../icon/class-names.ts'
import { Icon } from '../icon/Icon.tsx'

export interface FieldProps {
  label: string
  optional?: boolean | undefined
  hint?: ReactNode
  /** Content at the end of the label's line, such as a balance; announced with the field. */
  aside?: ReactNode
  /** Error of the value, shown under the field and announced with it. */
  error?: string | undefined
  className?: string | undefined
}

interface ControlProps {
  id: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

export function FieldError({ id, children }: { id?: string | undefined; children: ReactNode }) {
  return (
    <p className="field-error" id={id}>
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  )
}

/** Label above, error and hint below; `children` receives the attributes that tie the control to them. */
export function Field(props: FieldProps & { id?: string | undefined; children: (control: ControlProps) => ReactNode }) {
  const ownId = useId()
  const id = props.id ?? ownId
  const parts = (['error', 'aside', 'hint'] as const).filter((part) => Boolean(props[part]))
  const descriptionIds = parts.map((part) => `${id}-${part}`).join(' ')
  return (
    <div className={classNames(props.error && 'field-invalid', props.className)}>
      <div className="row items-baseline">
        <label className="field-label" htmlFor={id}>
          {props.label} {props.optional && <span className="faint font-normal">{forms.optional}</span>}
        </label>
        {props.aside && (
          <span className="row-end small muted tabular" id={`${id}-aside`}>
            {props.aside}
          </span>
        )}
      </div>
      {props.children({
        id,
        // Set only with an error, so that fields that share an error can set it themselves.
        ...(props.error && { 'aria-invalid': true }),
        ...(descriptionIds && { 'aria-describedby': descriptionIds }),
      })}
      {props.error && <FieldError id={`${id}-error`}>{props.error}</FieldError>}
      {props.hint && (
        <p className="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  )
}
