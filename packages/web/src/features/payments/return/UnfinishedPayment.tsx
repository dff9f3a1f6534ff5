import { payments } from '#messages/payments.ts'
import { goToProvider } from '../../../app/provider-page.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useCancelPayment } from '../../../app/orders/status.ts'
import { usePaymentStatus } from './payment-status.ts'

/** A payment whose page was left by the browser's Back: it can be continued or canceled. */
export function UnfinishedPayment({ id }: { id: string }) {
  const { payment, askAgain } = usePaymentStatus(id)
  const { cancel, isBusy, error } = useCancelPayment(id, payments.cancelFailed, askAgain)
  const redirectUrl = payment?.redirectUrl
  const place = 'mt-6 max-w-140'
  if (payment?.status === 'completed') {
    return (
      <div className={place}>
        <Note live>
          <b>{payments.success}</b>
        </Note>
      </div>
    )
  }
  if (payment?.status !== 'pending' || !redirectUrl) return null
  return (
    <div className={place}>
      <Note live tone="warning">
        {payments.unfinished(formatExactWithSign(payment.amount, payment.currency))} {error}
        <div className="row -mb-2 -ms-3 flex-wrap">
          <Button look="ghost" onClick={() => goToProvider(redirectUrl)}>
            {payments.goOn}
          </Button>
          <Button look="ghost" processing={isBusy} onClick={cancel}>
            {payments.cancelPayment}
          </Button>
        </div>
      </Note>
    </div>
  )
}
