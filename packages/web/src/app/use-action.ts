import { useState } from 'react'

interface Action {
  /** Message for a failure. */
  sentenceOf: (error: unknown) => string
  /** Runs after the reply, whatever it is; the action is busy until then. */
  onSettled?: (() => unknown) | undefined
}

/** Action of a button, run one at a time. `error` is the message of the last failure. */
export function useAction({ sentenceOf, onSettled }: Action) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function run(work: () => Promise<unknown>): Promise<void> {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (cause) {
      setError(sentenceOf(cause))
    }
    await onSettled?.()
    setIsBusy(false)
  }

  return { run: (work: () => Promise<unknown>) => void run(work), isBusy, error }
}
