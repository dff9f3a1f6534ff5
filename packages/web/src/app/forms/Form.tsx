import { type ComponentProps, useEffect, useRef } from 'react'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'ref'> {
  /** Number of submissions, which React Hook Form counts once the submit handler has finished. */
  submitCount: number
  /** Focuses the first field when the form appears. */
  takesFocus?: boolean | undefined
  onSubmit: () => void
}

/**
 * Form that shows its own errors instead of the browser's. A failed submit focuses the first invalid field, or the
 * button that links a missing bank account.
 */
export function Form({ submitCount, takesFocus, onSubmit, ...form }: FormProps) {
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (takesFocus) place.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus()
  }, [takesFocus])
  useEffect(() => {
    if (submitCount > 0) place.current?.querySelector<HTMLElement>('[aria-invalid], [data-missing]')?.focus()
  }, [submitCount])
  return (
    <form
      noValidate
      {...form}
      ref={place}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}
