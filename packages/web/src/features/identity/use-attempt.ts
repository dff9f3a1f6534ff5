import { type RefObject, useEffect, useRef, useState } from 'react'
import { type DefaultValues, type FieldPath, type FieldValues, useForm } from 'react-hook-form'
import { type FormErrors, createResolver } from '../../app/forms/resolver.ts'
import { fieldErrors } from './errors.ts'

export interface AttemptOutcome {
  /** Error of the form as a whole. */
  readonly error?: string | undefined
  readonly failures: number
}

/** Focuses the first invalid field after each failed attempt. */
export function useFocusInvalidField(failures = 0): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus()
  }, [failures])
  return form
}

/**
 * Form with actions; the props from `button` let one run at a time. `validate` validates it, usually with the
 * contract's schema. A field with an undefined default keeps text typed before hydration.
 */
export function useAttempt<Values extends FieldValues, Action extends string>(
  defaultValues: DefaultValues<Values>,
  validate: (values: Values) => FormErrors = () => ({}),
) {
  const form = useForm<Values>({
    defaultValues,
    resolver: createResolver(validate),
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const [runningAction, setRunningAction] = useState<Action>()
  const [failures, setFailures] = useState(0)
  const { errors } = form.formState
  const countFailure = () => setFailures((count) => count + 1)

  function showFailures(newFailures: FormErrors<Extract<keyof Values, string>>) {
    form.clearErrors()
    for (const [name, message] of Object.entries(newFailures))
      form.setError(name as 'root', { message: message as string })
    countFailure()
  }

  /** Runs `task`; shows its errors at the fields, or `fallback` if the error has no message for users. */
  async function run(action: Action, fallback: string, task: () => Promise<void>) {
    setRunningAction(action)
    form.clearErrors()
    try {
      await task()
    } catch (error) {
      showFailures(fieldErrors(error, Object.keys(defaultValues), fallback))
    } finally {
      setRunningAction(undefined)
    }
  }

  async function validateAndSubmit(onValid: (values: Values) => unknown) {
    let isValid = false
    await form.handleSubmit(async (values) => {
      isValid = true
      await onValid(values)
    })()
    // Counted after validation, which marks the invalid fields.
    if (!isValid) countFailure()
  }

  const fieldError = (name: FieldPath<Values>) => errors[name]?.message as string | undefined
  return {
    form,
    error: errors.root?.message,
    fieldError,
    failures,
    isBusy: runningAction !== undefined,
    run,
    showFailures,
    /** Validates the form and calls `onValid` if it is valid. */
    submit: (onValid: (values: Values) => unknown) => void validateAndSubmit(onValid),
    field: (name: FieldPath<Values>) => ({
      ...form.register(name, { onChange: () => form.clearErrors(name) }),
      error: fieldError(name),
    }),
    /** Props of an action's button: busy while it runs, disabled while another one does. */
    button: (action: Action) => ({
      processing: runningAction === action,
      disabled: runningAction !== undefined && runningAction !== action,
    }),
  }
}
