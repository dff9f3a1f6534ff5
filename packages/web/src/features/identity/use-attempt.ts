import { type RefObject, useEffect, useRef, useState } from 'react'
import { type DefaultValues, type FieldPath, type FieldValues, useForm } from 'react-hook-form'
import { type FormErrors, resolverOf } from '../../app/forms/resolver.ts'
import { errorsFrom } from './errors.ts'

/** What became of a form's attempts, as `useAttempt` tells it. */
export interface AttemptOutcome {
  /** What is wrong with the form as a whole. */
  readonly error?: string | undefined
  /** Counts the attempts that failed. */
  readonly failures: number
}

/** For a form: after each attempt that failed its first faulty field takes the focus. */
export function useFocusOnFaulty(failures = 0): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus()
  }, [failures])
  return form
}

/**
 * A form whose actions run one at a time. `errorsOf` checks it, usually by the contract's schema. A field
 * that begins undefined takes over what was typed before the script came.
 */
export function useAttempt<Values extends FieldValues, Action extends string>(
  defaultValues: DefaultValues<Values>,
  errorsOf: (values: Values) => FormErrors = () => ({}),
) {
  const form = useForm<Values>({
    defaultValues,
    resolver: resolverOf(errorsOf),
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const [running, setRunning] = useState<Action>()
  const [failures, setFailures] = useState(0)
  const { errors } = form.formState
  const countFailure = () => setFailures((count) => count + 1)

  function fail(found: FormErrors<Extract<keyof Values, string>>) {
    form.clearErrors()
    for (const [name, message] of Object.entries(found)) form.setError(name as 'root', { message: message as string })
    countFailure()
  }

  /** Runs `work`; what it throws is shown at the fields, or as `otherwise` when there are no better words. */
  async function run(action: Action, otherwise: string, work: () => Promise<void>) {
    setRunning(action)
    form.clearErrors()
    try {
      await work()
    } catch (error) {
      fail(errorsFrom(error, Object.keys(defaultValues), otherwise))
    } finally {
      setRunning(undefined)
    }
  }

  async function check(onValid: (values: Values) => unknown) {
    let isValid = false
    await form.handleSubmit(async (values) => {
      isValid = true
      await onValid(values)
    })()
    // Only now do the fields show what is wrong with them.
    if (!isValid) countFailure()
  }

  const errorOf = (name: FieldPath<Values>) => errors[name]?.message as string | undefined
  return {
    form,
    error: errors.root?.message,
    errorOf,
    failures,
    isBusy: running !== undefined,
    run,
    fail,
    /** Checks the form, and goes on when nothing is wrong. */
    submit: (onValid: (values: Values) => unknown) => void check(onValid),
    /** For the control of a field. */
    field: (name: FieldPath<Values>) => ({
      ...form.register(name, { onChange: () => form.clearErrors(name) }),
      error: errorOf(name),
    }),
    /** For the button of an action: it shows that it runs, and waits while another does. */
    button: (action: Action) => ({
      processing: running === action,
      disabled: running !== undefined && running !== action,
    }),
  }
}
