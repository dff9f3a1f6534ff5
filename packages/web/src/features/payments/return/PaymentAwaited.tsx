import { payments } from '#messages/payments.ts'
import { goToProvider } from '../../../app/provider-page.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { useCancelPayment } from '../../../app/orders/status.ts'
import type { usePaymentStatus } from './payment-status.ts'

interface PaymentAwaitedProps {
  id: string
  status: ReturnType<typeof usePaymentStatus>
  /** The payer canceled it on the provider's page, and the server says that it has not ended. */
  isCanceled: boolean
}

/** A payment that the provider has not confirmed, and what can be done about it. */
export function PaymentAwaited({ id, status, isCanceled }: PaymentAwaitedProps) {
  const { answer, payment, hasStopped, askAgain } = status
  const { cancel, isBusy, error } = useCancelPayment(id, payments.cancelFailed, askAgain)
  const notCanceled = error ?? (isCanceled && payment ? payments.cancelFailed : undefined)
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
          {answer === 'unreachable' ? payments.statusFailed : hasStopped ? payments.stillWaiting : payments.waiting}
        </Note>
        {notCanceled && <Note tone="error">{notCanceled}</Note>}
        <div className="form-actions flex-wrap">
          {redirectUrl && (
            <Button look="primary" big onClick={() => goToProvider(redirectUrl)}>
              {payments.goOn}
            </Button>
          )}
          {hasStopped && (
            <Button big onClick={askAgain}>
              {payments.askAgain}
            </Button>
          )}
          {redirectUrl && (
            <Button big processing={isBusy} onClick={cancel}>
              {payments.cancelPayment}
            </Button>
          )}
        </div>
      </div>
    </Sheet>
  )
}
