import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import { useEffect, useState } from 'react'
import { callApi } from '../../../app/session/session.ts'

// About two minutes in all; the provider's word usually comes within a second.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000, 30_000]

export type Payment = Reply<typeof paymentStatus>

export interface PaymentStatus {
  readonly state:
    | 'asking'
    | Payment['status']
    /** Still pending after all questions: nobody asks any more until the person does. */
    | 'still pending'
    /** The server knows of no such payment of this person. */
    | 'unknown'
    | 'unreachable'
  /** What the server said last. */
  readonly payment?: Payment | undefined
}

/**
 * How a payment stands by the server's word, asked again with growing pauses while it is pending. `isGivenUp`: the server
 * is first asked to cancel it.
 */
export function usePaymentStatus(
  paymentId: string | undefined,
  isGivenUp = false,
): { status: PaymentStatus; askAgain: () => void } {
  const [status, setStanding] = useState<PaymentStatus>({ state: 'asking' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (paymentId === undefined) return
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (asked: number): Promise<void> => {
      const answer = await standingOf(paymentId, end.signal)
      if (end.signal.aborted) return
      const pauseMs = pausesMs[asked]
      const isOpen = answer.state === 'pending' || answer.state === 'unreachable'
      if (isOpen && pauseMs !== undefined) timer = setTimeout(() => void ask(asked + 1), pauseMs)
      setStanding(answer.state === 'pending' && pauseMs === undefined ? { ...answer, state: 'still pending' } : answer)
    }
    const begin = async (): Promise<void> => {
      if (isGivenUp && round === 0) await giveUp(paymentId, end.signal)
      if (!end.signal.aborted) await ask(0)
    }
    void begin()
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [paymentId, isGivenUp, round])
  return { status, askAgain: () => setRound((past) => past + 1) }
}

/** Whatever the server answers, how the payment stands is asked next. */
async function giveUp(id: string, signal: AbortSignal): Promise<void> {
  try {
    await callApi(cancelPayment, { params: { id } }, signal)
  } catch {
    // It was paid after all, or cannot be canceled now: its standing says which.
  }
}

async function standingOf(id: string, signal: AbortSignal): Promise<PaymentStatus> {
  try {
    const payment = await callApi(paymentStatus, { params: { id } }, signal)
    return { state: payment.status, payment }
  } catch (error) {
    return { state: error instanceof Refused && error.status < 500 ? 'unknown' : 'unreachable' }
  }
}
