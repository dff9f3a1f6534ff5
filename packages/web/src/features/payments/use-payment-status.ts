import { Refused } from '@tern/contract/client'
import { paymentStatus } from '@tern/contract/payments'
import { useEffect, useState } from 'react'
import { callApi } from '../../session.ts'

// About two minutes in all; the provider's word usually comes within a second.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000, 30_000]

export type PaymentState =
  | 'asking'
  | 'pending'
  /** Still pending after all questions: nobody asks any more until the person does. */
  | 'still pending'
  | 'completed'
  | 'failed'
  | 'reversed'
  /** The server knows of no such payment of this person. */
  | 'unknown'
  | 'unreachable'

/** How a payment stands by the server's word, asked again with growing pauses while it is pending. */
export function usePaymentStatus(paymentId: string | undefined): { state: PaymentState; askAgain: () => void } {
  const [state, setState] = useState<PaymentState>('asking')
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (paymentId === undefined) return
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (asked: number): Promise<void> => {
      const answer = await statusOf(paymentId, end.signal)
      if (end.signal.aborted) return
      const pauseMs = pausesMs[asked]
      const isOpen = answer === 'pending' || answer === 'unreachable'
      if (isOpen && pauseMs !== undefined) timer = setTimeout(() => void ask(asked + 1), pauseMs)
      setState(answer === 'pending' && pauseMs === undefined ? 'still pending' : answer)
    }
    void ask(0)
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [paymentId, round])
  return { state, askAgain: () => setRound((past) => past + 1) }
}

async function statusOf(id: string, signal: AbortSignal): Promise<PaymentState> {
  try {
    return (await callApi(paymentStatus, { params: { id } }, signal)).status
  } catch (error) {
    return error instanceof Refused && error.status < 500 ? 'unknown' : 'unreachable'
  }
}
