import { useEffect, useRef } from 'react'
import { kyc } from '#messages/identity/kyc.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'

interface SummaryProps {
  /** Messages with their fields, in page order. */
  errors: readonly { readonly field: string; readonly message: string }[]
  /** Number of refused attempts; after each one the summary takes the focus. */
  attempts: number
  onSeek: (field: string) => void
}

/** List of errors, each linked to its field. An error disappears once its field is edited. */
export function ErrorSummary({ errors, attempts, onSeek }: SummaryProps) {
  const place = useRef<HTMLDivElement>(null)
  const focusedAttempt = useRef(0)
  const hasErrors = errors.length > 0
  // Errors of a submission are rendered one render after its count.
  useEffect(() => {
    if (attempts === focusedAttempt.current || !hasErrors) return
    focusedAttempt.current = attempts
    place.current?.focus()
  }, [attempts, hasErrors])
  if (!hasErrors) return null
  return (
    <div
      className="py-4 px-5 mt-6 border border-beak-ink rounded-control bg-sheet [&_.icon]:text-beak-ink"
      role="alert"
      tabIndex={-1}
      ref={place}
    >
      <p className="row">
        <Icon name="warning" />
        <b>{kyc.toCorrect(errors.length)}</b>
      </p>
      <ul>
        {errors.map(({ field, message }) => (
          <li className="ps-8" key={field}>
            <a
              className="text-beak-ink inline-flex items-center min-h-11 py-1.5 font-book"
              href={`#${field}`}
              onClick={(event) => {
                event.preventDefault()
                onSeek(field)
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
