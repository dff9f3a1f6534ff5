import { paymentReturns } from '#messages/payments/returns.ts'
import { goToProvider } from '../../../app/provider-page.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { usePaymentStatus } from './payment-status.ts'

/** Payment whose provider page was left with the browser's Back button; can be continued or canceled. */
export function UnfinishedPayment({ id }: { id: string }) {
  const { payment, cancel, isCanceling, error } = usePaymentStatus(id)
  const redirectUrl = payment?.redirectUrl
  const isPayable = payment?.status === 'pending' && redirectUrl
  if (!isPayable && payment?.status !== 'completed') return null
  return (
    <div className="mt-6 max-w-140">
      {isPayable ? (
        <Note live tone="warning">
          {paymentReturns.unfinished(formatExact(payment.amount, payment.currency))} {error}
          <div className="row -mb-2 -ms-3 flex-wrap">
            <Button look="ghost" onClick={() => goToProvider(redirectUrl)}>
              {paymentReturns.goOn}
            </Button>
            <Button look="ghost" processing={isCanceling} onClick={cancel}>
              {paymentReturns.cancelPayment}
            </Button>
          </div>
        </Note>
      ) : (
        <Note live>
          <b>{paymentReturns.success}</b>
        </Note>
      )}
    </div>
  )
}
