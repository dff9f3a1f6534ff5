import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { readProviderReturn, usePageBack } from '../../../app/provider-page.ts'
import { StepSkeleton } from '../StepFrame.tsx'
import type { SendFlow } from '../use-send-flow.ts'
import { type Arrival, arrivalOf, type FormArrival } from './arrival.ts'
import { dropPending, readStored, type SavedTransfer } from '../pending-transfer.ts'

const PaymentReturn = lazy(() => import('./PaymentReturn.tsx'))

interface ArrivedProps {
  user: CurrentUser
  flow: SendFlow
  onSent: (transaction: Transaction) => void
  form: (arrival: FormArrival, onAwaited: (saved: SavedTransfer) => void) => ReactNode
}

/**
 * What /send begins with: the form, empty or as it was left, or how a payment stands. The provider's flags are removed
 * from the address, so that neither a reload nor a bookmark repeats them.
 */
export function Arrived({ user, flow, onSent, form }: ArrivedProps) {
  const [search] = useSearchParams()
  const [returned] = useState(() => readProviderReturn(search))
  const [arrival, setArrival] = useState<Arrival>(() => arrivalOf(returned, readStored(user.id), user.id))
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
    const left = arrivalOf(undefined, readStored(user.id), user.id)
    if (left.show === 'status') setArrival(left)
  })

  if (arrival.show === 'form') {
    return form(arrival, (saved) =>
      setArrival({ show: 'status', userId: user.id, saved, paymentId: saved.paymentId, claim: 'paid' }),
    )
  }
  return (
    <Suspense fallback={<StepSkeleton />}>
      <PaymentReturn
        subject={arrival}
        onSent={onSent}
        onForm={setArrival}
        onAnother={() => {
          dropPending()
          flow.startAnother()
        }}
      />
    </Suspense>
  )
}
