import { useEffect, useState } from 'react'
import type { AskingBranch } from './arrival.ts'
import {
  askPayment,
  completeTransfer,
  giveUpPayment,
  outOfHands,
  type TransferStatus,
  type Subject,
} from './transfer-status.ts'

// About two minutes in all; the provider's word usually comes within a second.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000, 30_000]

/** What a branch of the return is about. */
export function subjectOf(branch: AskingBranch, userId: number): Subject {
  const saved = branch.kind === 'ask' ? undefined : branch.saved
  const recipient = branch.kind === 'complete' ? branch.recipient : (saved?.recipientInfo ?? saved?.formData.recipient)
  return { userId, saved, recipient, paymentId: branch.paymentId }
}

const ask = (branch: AskingBranch, subject: Subject): Promise<TransferStatus> =>
  branch.kind === 'complete' ? completeTransfer(branch.saved, branch.recipient, branch.paymentId) : askPayment(subject)

const isOpen = ({ status }: TransferStatus) => status === 'waiting' || status === 'unreachable'

/**
 * How a transfer stands that is paid from outside, asked again with growing pauses while nobody knows. `known` is what
 * has just been answered. After the last pause nobody asks any more until the person does.
 */
export function useTransferStatus(branch: AskingBranch, userId: number, known: TransferStatus | undefined) {
  const [transferStatus, setTransferStatus] = useState(known)
  const [flow, setFlow] = useState<{ count: number; wish: 'ask' | 'give up' }>({
    count: 0,
    wish: branch.kind === 'canceled' ? 'give up' : 'ask',
  })
  const [isTired, setIsTired] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    let isOver = false
    let isOutOfHands = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const subject = subjectOf(branch, userId)
    const look = async (asked: number): Promise<void> => {
      setIsAsking(true)
      const isGivenUp = flow.wish === 'give up' && asked === 0
      const answer = await (isGivenUp ? giveUpPayment(subject) : ask(branch, subject))
      if (isOver) return
      setIsAsking(false)
      if (isGivenUp && answer.status === 'waiting') isOutOfHands = answer.payUrl === null
      setTransferStatus(isOutOfHands ? outOfHands(answer) : answer)
      if (isOpen(answer)) later(asked)
    }
    const later = (asked: number) => {
      const pauseMs = pausesMs[asked]
      if (pauseMs === undefined) setIsTired(true)
      else timer = setTimeout(() => void look(asked + 1), pauseMs)
    }
    setIsTired(false)
    if (known && flow.count === 0) later(0)
    else void look(0)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
    // One arrival is one branch; what was known of it counts only at first.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [branch, userId, flow])
  const again = (wish: 'ask' | 'give up') => () => setFlow(({ count }) => ({ count: count + 1, wish }))
  const isGivingUp = isAsking && flow.wish === 'give up'
  return { transferStatus, isTired, isAsking, isGivingUp, askAgain: again('ask'), giveUp: again('give up') }
}
