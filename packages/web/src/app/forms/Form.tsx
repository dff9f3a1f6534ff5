import { type ComponentProps, useEffect, useRef } from 'react'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'ref'> {
  /** How often the form was sent, which React Hook Form counts once the answer is there. */
  submitCount: number
  /** The first field takes the focus when the form appears. */
  takesFocus?: boolean | undefined
  onSubmit: () => void
}

/** A form that shows its own errors. After a failed attempt the first invalid field, or the way to what is missing, takes the focus. */
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
