import { payments } from '#messages/payments.ts'
import { goToProvider } from '../../../app/instruments/provider-page.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useCancelPayment } from './use-cancel-payment.ts'
import { usePaymentStatus } from './use-payment-status.ts'

/** A payment whose page was left by the browser's own button: it can be gone on with, or given up. */
export function UnfinishedPayment({ id }: { id: string }) {
  const { status, askAgain } = usePaymentStatus(id)
  const { cancel, isCanceling, error } = useCancelPayment(id, askAgain)
  const { state, payment } = status
  const redirectUrl = payment?.redirectUrl
  const place = 'mt-6 max-w-140'
  if (state === 'completed') {
    return (
      <div className={place}>
        <Note live>
          <b>{payments.success}</b>
        </Note>
      </div>
    )
  }
  const isOpen = (state === 'pending' || state === 'still pending') && payment && redirectUrl
  if (!isOpen) return null
  return (
    <div className={place}>
      <Note live tone="warning">
        {payments.unfinished(formatExactWithSign(payment.amount, payment.currency))} {error}
        <div className="row -mb-2 -ms-3 flex-wrap">
          <Button look="ghost" onClick={() => goToProvider(redirectUrl)}>
            {payments.goOn}
          </Button>
          <Button look="ghost" processing={isCanceling} onClick={cancel}>
            {payments.cancelPayment}
          </Button>
        </div>
      </Note>
    </div>
  )
}
