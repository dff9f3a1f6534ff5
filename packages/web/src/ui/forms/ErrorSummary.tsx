import { useEffect, useRef } from 'react'
import { shell } from '#messages/shell.ts'
import { Icon } from '../layout/Icon.tsx'

export interface FieldFault {
  /** The id of the control. */
  readonly id: string
  readonly message: string
}

/** All faults of a long form in one place; takes the focus when it appears, and each line leads to its field. */
export function ErrorSummary({ faults }: { faults: readonly FieldFault[] }) {
  const summary = useRef<HTMLDivElement>(null)
  const isShown = faults.length > 0
  useEffect(() => {
    if (isShown) summary.current?.focus()
  }, [isShown])
  if (!isShown) return null
  return (
    <div className="note note-error" role="alert" tabIndex={-1} ref={summary}>
      <Icon name="warning" />
      <div>
        <b>{shell.errorSummary(faults.length)}</b>
        <ul>
          {faults.map((fault) => (
            <li key={fault.id}>
              <a href={`#${fault.id}`}>{fault.message}</a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
