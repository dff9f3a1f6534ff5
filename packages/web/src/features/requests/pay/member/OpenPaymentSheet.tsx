import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { linkAsPayer, PaymentLink } from '@tern/contract/requests/payment-links'
import { useEffect } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { goToProvider } from '../../../../app/provider-page.ts'
import { callApi } from '../../../../app/session/session.ts'
import { useAction } from '../../../../app/use-action.ts'
import { useStatus } from '../../../../app/use-status.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { ActionBar } from '../../../../ui/layout/ActionBar.tsx'
import { FocusedHeading } from '../../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../../ui/layout/Sheet.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { shortRequesterName } from '../RequestSummary.tsx'

interface OpenPaymentSheetProps {
  open: NonNullable<Reply<typeof linkAsPayer>['open_payment']>
  link: PaymentLink
  /** The payer used the cancel button of the provider's page; the payment is canceled if still possible. */
  isCanceled: boolean
  /** Called when the payment has ended, successfully or not. */
  onEnd: () => void
}

/** Unfinished card or bank payment of a member: continue, or pay another way. */
export function OpenPaymentSheet({ open, link, isCanceled, onEnd }: OpenPaymentSheetProps) {
  const input = { params: { id: open.payment_id } }
  const { found, answer, refetchNow, hasStopped } = useStatus<Reply<typeof paymentStatus>>({
    key: ['payment', open.payment_id],
    isOpen: ({ status }) => status === 'pending',
    async fetchStatus(signal, isFirst) {
      if (isCanceled && isFirst) await callApi(cancelPayment, input, signal).catch(() => undefined)
      return callApi(paymentStatus, input, signal)
    },
  })
  const isFinished = found !== undefined && found.status !== 'pending'
  useEffect(() => {
    if (isFinished) onEnd()
    // Runs once, on the end of the payment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isFinished])
  const cancelAction = useAction({
    failed: (error) => `${pay.guest.cancelFailed} ${error instanceof Refused ? error.message : ''}`,
    onSettled: refetchNow,
  })
  const name = shortRequesterName(link)
  const url = found ? found.redirectUrl : open.redirect_url
  const amount = found && formatExact(found.amount, found.currency)
  const isByBank = open.method === 'bank'
  const text = isByBank ? pay.bankOnItsWay(name) : url ? pay.waitsForCard : pay.guest.processingText(name)
  const title = url ? pay.guest.openTitle : pay.guest.processingTitle
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="pay-sheet-in grid gap-4">
        <FocusedHeading className="display-s">{title}</FocusedHeading>
        {amount && <p className="balance balance-small">{amount}</p>}
        <p className="muted" role="status">
          {text}
        </p>
        {(hasStopped || answer === 'unreachable') && (
          <Button className="justify-self-start" onClick={refetchNow}>
            {pay.checkAgain}
          </Button>
        )}
        {cancelAction.error && <Note tone="error">{cancelAction.error}</Note>}
        {url && (
          <ActionBar title={title} detail={pay.waitsForCard}>
            <Button look="primary" big wide icon="card" onClick={() => goToProvider(url)}>
              {pay.guest.enterCard}
            </Button>
          </ActionBar>
        )}
        {(url || isByBank) && (
          <Button
            look="ghost"
            className="justify-self-start"
            processing={cancelAction.isBusy}
            onClick={() => cancelAction.run(() => callApi(cancelPayment, input))}
          >
            {pay.payAnotherWay}
          </Button>
        )}
      </div>
    </Sheet>
  )
}
