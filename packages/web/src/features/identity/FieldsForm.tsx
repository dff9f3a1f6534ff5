import { type ReactNode, useEffect } from 'react'
import { account } from '#messages/identity/account.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { type AttemptOutcome, useFocusInvalidField } from './use-attempt.ts'

interface FieldsFormProps {
  attempt: AttemptOutcome
  onSubmit: () => void
  /** For a form opened by a button: focuses the first field and adds submit and cancel buttons. */
  openedForm?: { label: string; isBusy: boolean; onCancel: () => void } | undefined
  children: ReactNode
}

export function FieldsForm({ attempt, onSubmit, openedForm, children }: FieldsFormProps) {
  const form = useFocusInvalidField(attempt.failures)
  const isOpened = openedForm !== undefined
  useEffect(() => {
    if (isOpened) form.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus()
  }, [isOpened, form])
  return (
    <form
      className="grid gap-5"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {attempt.error && <Note tone="error">{attempt.error}</Note>}
      {children}
      {openedForm && (
        <div className="form-actions">
          <Button type="submit" look="primary" processing={openedForm.isBusy}>
            {openedForm.label}
          </Button>
          <Button disabled={openedForm.isBusy} onClick={openedForm.onCancel}>
            {account.cancel}
          </Button>
        </div>
      )}
    </form>
  )
}
