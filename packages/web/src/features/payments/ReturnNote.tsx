import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import { payments } from '#messages/payments.ts'
import { refreshMoney } from '../../live.ts'
import { pathIfPresent } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Note } from '../../ui/Note.tsx'
import { type PaymentState, usePaymentStatus } from './use-payment-status.ts'
import type { Returned } from './use-return.ts'

/** How the payment stands that the person comes back from, by the server's word and not by the address's. */
export function ReturnNote({ user, returned }: { user: CurrentUser; returned: Returned }) {
  const queryClient = useQueryClient()
  const { paymentId, isCanceled } = returned
  const { state, askAgain } = usePaymentStatus(paymentId)
  const isCompleted = state === 'completed'
  useEffect(() => {
    if (isCompleted) void refreshMoney(queryClient, user.id)
  }, [isCompleted, queryClient, user.id])
  const canceled = (
    <Note live>
      <b>{payments.canceled}</b>
    </Note>
  )
  if (paymentId === undefined) return isCanceled && <div className="mt-6 max-w-140">{canceled}</div>
  // A canceled payment that has been paid all the same is a paid one.
  const isStopped = isCanceled && (state === 'pending' || state === 'still pending' || state === 'failed')
  if (isCanceled && state === 'asking') return null
  return <div className="mt-6 max-w-140">{isStopped ? canceled : <Standing state={state} onAskAgain={askAgain} />}</div>
}

const mayAskAgain: ReadonlySet<PaymentState> = new Set<PaymentState>(['still pending', 'unreachable'])

function Standing({ state, onAskAgain }: { state: PaymentState; onAskAgain: () => void }) {
  const walletPath = pathIfPresent('wallet')
  if (state === 'completed') {
    return (
      <Note live>
        <b>{payments.success}</b> {walletPath && <Link to={walletPath}>{payments.toWallet}</Link>}
      </Note>
    )
  }
  if (state === 'failed') return <Note tone="error">{payments.declined}</Note>
  if (state === 'unknown') return <Note live>{payments.unknownPayment}</Note>
  return (
    <Note live tone={mayAskAgain.has(state) ? 'warning' : 'info'}>
      <Waiting>
        {state === 'still pending'
          ? payments.stillWaiting
          : state === 'unreachable'
            ? payments.statusFailed
            : payments.waiting}
      </Waiting>
      {mayAskAgain.has(state) && (
        <Button look="ghost" className="-mb-2 -ml-3" onClick={onAskAgain}>
          {payments.askAgain}
        </Button>
      )}
    </Note>
  )
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <>
      <b className="block">{payments.waitingTitle}</b>
      {children}
    </>
  )
}
