import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { type ReactNode, useEffect } from 'react'
import { payments } from '#messages/payments.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Deposited } from './Deposited.tsx'
import { dropDraft } from '../draft.ts'
import { PaymentAwaited } from './PaymentAwaited.tsx'
import { usePaymentStatus } from './payment-status.ts'

/** A payment to ask the server about. */
export interface AwaitedPayment {
  /** Undefined when the address did not say. */
  readonly id: string | undefined
  /** As the address says: then the payment is canceled if it still can be. */
  readonly isCanceled: boolean
}

interface PaymentReturnProps {
  user: CurrentUser
  wallet: Wallet
  payment: AwaitedPayment
  onAnother: () => void
  /** The form, for when there is nothing to wait for. */
  children: ReactNode
}

/** How the payment stands that the person comes back from, as the server says. */
export function PaymentReturn({ user, wallet, payment: { id, isCanceled }, onAnother, children }: PaymentReturnProps) {
  const queryClient = useQueryClient()
  const status = usePaymentStatus(id, isCanceled)
  const { payment, view } = status
  const isCompleted = view === 'completed'
  useEffect(() => {
    if (!isCompleted) return
    dropDraft('deposit')
    void refreshMoney(queryClient, user.id)
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(user.id).queryKey })
  }, [isCompleted, queryClient, user.id])
  const aboveForm = (note: ReactNode) => (
    <>
      {note && <div className="mt-6 max-w-140">{note}</div>}
      {children}
    </>
  )
  const canceled = (
    <Note live>
      <b>{payments.canceled}</b>
    </Note>
  )

  if (id === undefined) return aboveForm(isCanceled && canceled)
  if (isCompleted && payment) {
    return <Deposited userId={user.id} payment={payment} wallet={wallet} onAnother={onAnother} />
  }
  if (view === 'unknown') return aboveForm(<Note live>{payments.unknownPayment}</Note>)
  if (view === 'reversed') return aboveForm(<Note tone="warning">{payments.reversed}</Note>)
  if (view === 'canceled') return aboveForm(canceled)
  if (view === 'failed') {
    const sentence = payment?.method === 'bank' ? payments.bankFailed : payments.declined
    return aboveForm(
      <Note tone="error">
        <b>{sentence}</b> {payment?.reason}
      </Note>,
    )
  }
  if (view === 'asking') {
    return (
      <div className="mt-8 max-w-140">
        <TextSkeleton lines={2} />
      </div>
    )
  }
  return <PaymentAwaited id={id} status={status} isCanceled={isCanceled} />
}
