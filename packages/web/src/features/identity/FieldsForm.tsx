import { type ReactNode, useEffect, useRef } from 'react'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../ui/forms/Button.tsx'

interface FieldsFormProps {
  /** Counts the attempts that failed: after each the first faulty field takes the focus. */
  failures: number
  /** The first field takes the focus when the form appears. */
  takesFocus?: boolean | undefined
  onSubmit: () => void
  children: ReactNode
}

/** A short form on a page of the account. */
export function FieldsForm({ failures, takesFocus, onSubmit, children }: FieldsFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (takesFocus) form.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus()
  }, [takesFocus])
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus(), [failures])
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
      {children}
    </form>
  )
}

interface FormActionsProps {
  /** The words on the button that sends the form. */
  label: string
  isBusy: boolean
  onCancel: () => void
}

/** The end of a form that was opened by a button: sending it, or leaving things as they are. */
export function FormActions({ label, isBusy, onCancel }: FormActionsProps) {
  return (
    <div className="form-actions">
      <Button type="submit" look="primary" processing={isBusy}>
        {label}
      </Button>
      <Button disabled={isBusy} onClick={onCancel}>
        {account.cancel}
      </Button>
    </div>
  )
}
