import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { type ReactNode, useEffect } from 'react'
import { paymentReturns } from '#messages/payments/returns.ts'
import { payments } from '#messages/payments.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { goToProvider, type ProviderReturn } from '../../../app/provider-page.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { SkeletonLine, TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { DepositReceipt } from './DepositReceipt.tsx'
import { removeDraft } from '../draft.ts'
import { type PaymentView, usePaymentStatus } from './payment-status.ts'

interface PaymentReturnProps {
  user: CurrentUser
  wallet: Wallet
  /**
   * Payment that was just started or is named in the address. If the person canceled it on the provider's page, the
   * server is asked to cancel it.
   */
  payment: NonNullable<ProviderReturn['payment']>
  onRestart: () => void
  /** Sets the page title by the outcome of the payment. */
  onOutcome: (title: string | undefined) => void
  /** Form shown if there is no payment to wait for. */
  children: ReactNode
}

/** Status of the payment that the user returns from, as reported by the server. */
export function PaymentReturn(props: PaymentReturnProps) {
  const { user, wallet, onRestart, onOutcome, children } = props
  const { id, isCanceled } = props.payment
  const queryClient = useQueryClient()
  const status = usePaymentStatus(id, isCanceled)
  const { payment, view } = status
  const isCompleted = view === 'completed'
  useEffect(() => {
    if (!isCompleted) return
    removeDraft('deposit')
    onOutcome(paymentReturns.added)
    void refreshMoney(queryClient, user.id)
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(user.id).queryKey })
  }, [isCompleted, queryClient, user.id, onOutcome])
  const canceled = (
    <Note live>
      <b>{paymentReturns.canceled}</b>
    </Note>
  )
  const failed = (
    <Note tone="error">
      <b>{payment?.method === 'bank' ? payments.bankFailed : payments.declined}</b> {payment?.reason}
    </Note>
  )
  const notes: Partial<Record<PaymentView, ReactNode>> = {
    unknown: <Note live>{paymentReturns.unknownPayment}</Note>,
    reversed: <Note tone="warning">{paymentReturns.reversed}</Note>,
    canceled,
    failed,
  }
  const note = id === undefined ? (isCanceled ? canceled : notes.unknown) : notes[view]
  if (id === undefined || note) {
    return (
      <>
        <div className="mt-6 max-w-140">{note}</div>
        {children}
      </>
    )
  }
  if (isCompleted && payment) {
    return <DepositReceipt userId={user.id} payment={payment} wallet={wallet} onRestart={onRestart} />
  }
  if (view === 'asking') {
    return (
      <div className="mt-8 max-w-140">
        <TextSkeleton lines={2} />
      </div>
    )
  }
  return <PaymentAwaited status={status} isCanceled={isCanceled} />
}

interface PaymentAwaitedProps {
  status: ReturnType<typeof usePaymentStatus>
  isCanceled: boolean
}

/** Payment not yet confirmed by the provider, with the available actions. */
function PaymentAwaited({ status, isCanceled }: PaymentAwaitedProps) {
  const { payment, isUnreachable, hasStopped, refetchNow, cancel, isCanceling } = status
  // Canceled on the provider's page, but still open on the server.
  const cancelError = status.error ?? (isCanceled && payment ? paymentReturns.cancelFailed : undefined)
  const redirectUrl = payment?.redirectUrl
  return (
    <Sheet scaleBar className="mt-8 max-w-140">
      <div className="grid gap-6 p-6">
        <div>
          <div className="row">
            <p className="small muted">{payment ? paymentReturns.paying[payment.method] : payments.amount}</p>
            {payment && <Chip status="PENDING" />}
          </div>
          {payment ? (
            <p className="balance balance-small mt-1">{formatExact(payment.amount, payment.currency)}</p>
          ) : (
            <SkeletonLine className="mt-2 h-7 w-2/5" />
          )}
        </div>
        <Note live tone={hasStopped ? 'warning' : 'info'}>
          <b className="block">{paymentReturns.waitingTitle}</b>
          {isUnreachable
            ? paymentReturns.statusFailed
            : hasStopped
              ? paymentReturns.stillWaiting
              : paymentReturns.waiting}
        </Note>
        {cancelError && <Note tone="error">{cancelError}</Note>}
        <div className="form-actions flex-wrap">
          {redirectUrl && (
            <Button look="primary" big onClick={() => goToProvider(redirectUrl)}>
              {paymentReturns.goOn}
            </Button>
          )}
          {hasStopped && (
            <Button big onClick={refetchNow}>
              {paymentReturns.askAgain}
            </Button>
          )}
          {redirectUrl && (
            <Button big processing={isCanceling} onClick={cancel}>
              {paymentReturns.cancelPayment}
            </Button>
          )}
        </div>
      </div>
    </Sheet>
  )
}
