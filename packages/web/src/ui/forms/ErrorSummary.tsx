import { useEffect, useRef } from 'react'
import { forms } from '#messages/forms.ts'
import { Icon } from '../icon/Icon.tsx'

export interface FieldError {
  /** The id of the control. */
  readonly id: string
  readonly message: string
}

/** All faults of a long form in one place; takes the focus when it appears, and each line leads to its field. */
export function ErrorSummary({ errors }: { errors: readonly FieldError[] }) {
  const summary = useRef<HTMLDivElement>(null)
  const isShown = errors.length > 0
  useEffect(() => {
    if (isShown) summary.current?.focus()
  }, [isShown])
  if (!isShown) return null
  return (
    <div className="note note-error" role="alert" tabIndex={-1} ref={summary}>
      <Icon name="warning" />
      <div>
        <b>{forms.errorSummary(errors.length)}</b>
        <ul>
          {errors.map((error) => (
            <li key={error.id}>
              <a href={`#${error.id}`}>{error.message}</a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
