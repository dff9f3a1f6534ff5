import { Refused } from '@tern/contract/protocol/client'
import { useState } from 'react'

export interface Action {
  /**
   * Message for a failure that is not a refusal by the server, or a function that returns the message of any failure.
   */
  failed: string | ((error: unknown) => string)
  onFailed?: ((message: string) => void) | undefined
  /** Runs after each attempt, whatever its outcome; the action is busy until then. */
  onSettled?: (() => unknown) | undefined
}

/** Action of a button, run one at a time. `error` is the message of the last failure. */
export function useAction({ failed, onFailed, onSettled }: Action) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()

  function handleFailure(cause: unknown): void {
    const message = typeof failed === 'string' ? (cause instanceof Refused ? cause.message : failed) : failed(cause)
    setError(message)
    onFailed?.(message)
  }

  async function run(task: () => Promise<unknown>): Promise<void> {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await task()
    } catch (cause) {
      handleFailure(cause)
    }
    await onSettled?.()
    setIsBusy(false)
  }

  return { run: (task: () => Promise<unknown>) => void run(task), isBusy, error }
}
