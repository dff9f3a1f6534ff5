import { useState } from 'react'
import { type Errors, faultsOf } from './errors.ts'

/**
 * One form that tries one thing at a time: which of its actions is running, what was wrong with the last try, and how many
 * tries failed (see AuthFrame). Actions have names, since a form may have several buttons.
 */
export function useAttempt<Field extends string, Action extends string>(fields: readonly Field[]) {
  const [running, setRunning] = useState<Action>()
  const [errors, setErrors] = useState<Errors<Field>>({})
  const [failures, setFailures] = useState(0)

  function fail(found: Errors<Field>) {
    setErrors(found)
    setFailures((count) => count + 1)
  }

  /** Runs `work`; what it throws becomes the form's faults, with `otherwise` when there are no better words. */
  async function run(action: Action, otherwise: string, work: () => Promise<void>) {
    setRunning(action)
    setErrors({})
    try {
      await work()
    } catch (error) {
      fail(faultsOf(error, fields, otherwise))
    } finally {
      setRunning(undefined)
    }
  }

  return {
    errors,
    failures,
    isBusy: running !== undefined,
    run,
    fail,
    /** Forgets what was wrong with one field, or with everything. */
    clear: (field?: Field) => setErrors((before) => (field ? { ...before, [field]: undefined } : {})),
    /** For the button of an action: it shows that it runs, and waits while another does. */
    button: (action: Action) => ({
      processing: running === action,
      disabled: running !== undefined && running !== action,
    }),
  }
}
