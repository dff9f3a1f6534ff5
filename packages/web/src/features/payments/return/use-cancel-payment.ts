import { Refused } from '@tern/contract/protocol/client'
import { cancelPayment } from '@tern/contract/payments'
import { useState } from 'react'
import { payments } from '#messages/payments.ts'
import { callApi } from '../../../app/session/session.ts'

/** Gives up a payment that has not been made, then calls `onAnswered`; `error` is why that did not work. */
export function useCancelPayment(id: string, onAnswered: () => void) {
  const [isCanceling, setIsCanceling] = useState(false)
  const [error, setError] = useState<string>()

  async function cancel(): Promise<void> {
    if (isCanceling) return
    setIsCanceling(true)
    setError(undefined)
    try {
      await callApi(cancelPayment, { params: { id } })
    } catch (error) {
      setError(`${payments.cancelFailed} ${error instanceof Refused ? error.message : ''}`)
    }
    setIsCanceling(false)
    onAnswered()
  }

  return { cancel: () => void cancel(), isCanceling, error }
}
