import { payments } from '#messages/payments.ts'
import { goToProvider } from '../../../app/instruments/provider-page.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { useCancelPayment } from './use-cancel-payment.ts'
import type { PaymentStatus } from './use-payment-status.ts'

interface PaymentAwaitedProps {
  id: string
  status: PaymentStatus
  /** The payer has canceled it on the provider's page, and the server says that it has not ended. */
  isCanceled: boolean
  onAskAgain: () => void
}

/** A payment that the provider has not confirmed: what it is, and what can be done about it meanwhile. */
export function PaymentAwaited({ id, status: { state, payment }, isCanceled, onAskAgain }: PaymentAwaitedProps) {
  const { cancel, isCanceling, error } = useCancelPayment(id, onAskAgain)
  const notCanceled = error ?? (isCanceled && payment ? payments.cancelFailed : undefined)
  const hasStopped = state === 'still pending' || state === 'unreachable'
  const redirectUrl = payment?.redirectUrl

  return (
    <Sheet scaleBar className="mt-8 max-w-140">
      <div className="grid gap-6 p-6">
        <div>
          <div className="row">
            <p className="small muted">{payment ? payments.paying[payment.method] : payments.amount}</p>
            {payment && <Chip status="PENDING" />}
          </div>
          {payment ? (
            <p className="balance balance-small mt-1">{formatExactWithSign(payment.amount, payment.currency)}</p>
          ) : (
            <SkeletonLine className="mt-2 h-7 w-2/5" />
          )}
        </div>
        <Note live tone={hasStopped ? 'warning' : 'info'}>
          <b className="block">{payments.waitingTitle}</b>
          {state === 'still pending'
            ? payments.stillWaiting
            : state === 'unreachable'
              ? payments.statusFailed
              : payments.waiting}
        </Note>
        {notCanceled && <Note tone="error">{notCanceled}</Note>}
        <div className="form-actions flex-wrap">
          {redirectUrl && (
            <Button look="primary" big onClick={() => goToProvider(redirectUrl)}>
              {payments.goOn}
            </Button>
          )}
          {hasStopped && (
            <Button big onClick={onAskAgain}>
              {payments.askAgain}
            </Button>
          )}
          {redirectUrl && (
            <Button big processing={isCanceling} onClick={cancel}>
              {payments.cancelPayment}
            </Button>
          )}
        </div>
      </div>
    </Sheet>
  )
}
