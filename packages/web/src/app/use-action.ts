import { useState } from 'react'

interface Action {
  /** What is said when it fails. */
  sentenceOf: (error: unknown) => string
  /** Once the answer is there, whatever it is; the action is busy until then. */
  onSettled?: (() => unknown) | undefined
}

/** A change that a button makes, one at a time. `error` is why the last try failed. */
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
