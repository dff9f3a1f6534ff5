import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { usePageBack } from '../../../app/instruments/provider-page.ts'
import { type Arrival, arrivalOf, type FormSignIn } from './arrival.ts'
import { dropPending, readStored, type SavedTransfer } from './pending-transfer.ts'
import { branchOf, readReturned } from './return-branch.ts'
import { PaymentReturn } from './PaymentReturn.tsx'
import type { TransferStatus } from './transfer-status.ts'
import type { SendFlow } from '../use-send-flow.ts'

interface ArrivedProps {
  user: CurrentUser
  flow: SendFlow
  onSent: (transaction: Transaction) => void
  form: (
    arrival: FormSignIn,
    onAwaited: (saved: SavedTransfer & { paymentId: string }, transferStatus: TransferStatus) => void,
  ) => ReactNode
}

/**
 * What /send begins with: the empty form, the form as it was left, or the question to the server what became of a
 * payment. The provider's flags are taken out of the address, so that neither a reload nor a bookmark says them again.
 */
export function Arrived({ user, flow, onSent, form }: ArrivedProps) {
  const [search] = useSearchParams()
  const [returned] = useState(() => readReturned(search))
  const [arrival, setArrival] = useState<Arrival>(() => arrivalOf(branchOf(returned, readStored(user.id), user.id)))
  const { clearAddress } = flow
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
    <PaymentReturn
      user={user}
      {...arrival}
      known={arrival.known}
      onSent={onSent}
      onForm={setArrival}
      onAnother={() => {
        dropPending()
        flow.startAnother()
      }}
    />
  )
}
