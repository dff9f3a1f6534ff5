import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { usePageBack } from '../../../app/instruments/provider-page.ts'
import { type Arrival, arrivalOf, type FormArrival } from './arrival.ts'
import { dropPending, readStored, type SavedTransfer } from './pending-transfer.ts'
import { branchOf, readReturned } from './return-branch.ts'
import { Returning } from './PaymentReturn.tsx'
import type { Standing } from './transfer-status.ts'
import type { Round } from '../use-send-flow.ts'

interface ArrivedProps {
  user: CurrentUser
  round: Round
  onSent: (transaction: Transaction) => void
  form: (
    arrival: FormArrival,
    onAwaited: (saved: SavedTransfer & { paymentId: string }, standing: Standing) => void,
  ) => ReactNode
}

/**
 * What /send begins with: the empty form, the form as it was left, or the question to the server what became of a
 * payment. The provider's flags are taken out of the address, so that neither a reload nor a bookmark says them again.
 */
export function Arrived({ user, round, onSent, form }: ArrivedProps) {
  const [search] = useSearchParams()
  const [returned] = useState(() => readReturned(search))
  const [arrival, setArrival] = useState<Arrival>(() => arrivalOf(branchOf(returned, readStored(user.id), user.id)))
  const { clearAddress } = round
  useEffect(() => {
    if (returned) clearAddress()
    // Only on arriving: the address is another one afterwards.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  // What is in the form again is pending no more; an order without an answer is.
  const isUnanswered = arrival.show === 'form' && arrival.restored?.idempotencyKey !== undefined
  useEffect(() => {
    if (arrival.show === 'form' && !isUnanswered && readStored(user.id).status !== 'none') dropPending()
    // Not when an order has left the form meanwhile.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [arrival])
  usePageBack(() => {
    const branch = branchOf(undefined, readStored(user.id), user.id)
    if (branch.kind === 'left') setArrival(arrivalOf(branch))
  })

  if (arrival.show === 'form') {
    return form(arrival, (saved, known) => {
      const { recipientInfo: recipient, paymentId } = saved
      if (recipient) setArrival({ show: 'standing', branch: { kind: 'complete', saved, recipient, paymentId }, known })
    })
  }
  return (
    <Returning
      user={user}
      {...arrival}
      known={arrival.known}
      onSent={onSent}
      onForm={setArrival}
      onAnother={() => {
        dropPending()
        round.startAnother()
      }}
    />
  )
}
