import '../../../css/receipt.css'
import { useQueryClient } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect } from 'react'
import { transfers } from '#messages/transfers.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { isWebAddress } from '../../../app/provider-page.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { SupportText } from '../../../app/support/SupportText.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatBig } from '../../../ui/money/exact-amount.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { SendAgain } from '../../../app/orders/receipt/SendAgain.tsx'
import { priceEntries } from '../../../app/orders/PriceSheet.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { type FormArrival, resumeForm } from './arrival.ts'
import { removePending, savedRecipient, type SavedTransfer, toEditDraft } from '../pending-transfer.ts'
import { shortenName } from '../send-form.ts'
import { StepHeading } from '../StepFrame.tsx'
import { type Subject, type TransferStatus, useTransferStatus } from './transfer-status.ts'

interface PaymentReturnProps {
  subject: Subject
  onSent: (transaction: Transaction, tookMs: undefined, saved: SavedTransfer | undefined) => void
  onForm: (arrival: FormArrival) => void
  onRestart: () => void
}

/** Status of the transfer's payment, shown as the last step until it leads to the receipt or back to the form. */
export function PaymentReturn({ subject, onSent, onForm, onRestart }: PaymentReturnProps) {
  const queryClient = useQueryClient()
  const query = useTransferStatus(subject)
  const { transferStatus } = query
  const { saved, userId } = subject
  const receipt = transferStatus && findReceipt(transferStatus, saved)
  const form = transferStatus && resumeForm(transferStatus, saved, subject.claim)
  useEffect(() => {
    if (!receipt && !form) return
    removePending()
    if (receipt) return onSent(receipt, undefined, saved && toEditDraft(saved))
    void refreshMoney(queryClient, userId)
    if (form) onForm(form)
    // Once per outcome.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [receipt?.id, form !== undefined])
  const isPaymentKept = transferStatus?.status === 'kept'
  useEffect(() => {
    if (!isPaymentKept) return
    removePending()
    void refreshMoney(queryClient, userId)
    // Once per answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isPaymentKept])
  return (
    <>
      <StepHeading step={2} takesFocus />
      <div className="mt-8 grid max-w-140 gap-6">
        <Summary saved={saved} />
        <StatusNote {...query} />
        <StatusActions {...query} onRestart={onRestart} />
      </div>
    </>
  )
}

/** Transfer with a receipt: a completed one, or one that waits days for a bank payment. */
function findReceipt(transferStatus: TransferStatus, saved: SavedTransfer | undefined): Transaction | undefined {
  if (transferStatus.status === 'done') return transferStatus.transaction
  const isAwaitingBank = transferStatus.status === 'waiting' && transferStatus.transaction.payment_source === 'bank'
  return isAwaitingBank && saved ? transferStatus.transaction : undefined
}

/** Transfer being paid, as stored on this device. */
function Summary({ saved }: { saved: SavedTransfer | undefined }) {
  const quote = saved?.priced?.quote
  const person = saved && savedRecipient(saved)
  if (!quote || !person) return null
  return (
    <Sheet scaleBar>
      <Figure
        caption={
          <div className="row">
            <Avatar name={person.name ?? person.username} icon="send" />
            <p className="muted">{transfers.toPerson(shortenName(person))}</p>
          </div>
        }
        amount={formatBig(quote.target_amount, quote.target_currency)}
        className="mt-3"
        entries={[
          ...priceEntries(quote).slice(0, -1),
          { term: transfers.paidWith, value: transfers.sources[saved.paymentSource] },
        ]}
      />
    </Sheet>
  )
}

type TransferStatusQuery = ReturnType<typeof useTransferStatus>

const findPayUrl = ({ transferStatus: currentStatus }: TransferStatusQuery) =>
  currentStatus?.status === 'waiting' && isWebAddress(currentStatus.payUrl) ? currentStatus.payUrl : undefined

const endSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

function StatusNote(query: TransferStatusQuery) {
  const { transferStatus: currentStatus, hasStopped } = query
  const isUnpaid = findPayUrl(query) !== undefined
  if (currentStatus?.status === 'paid_only')
    return (
      <Note tone="error">
        <SupportText
          text={supportSentence(transfers.paidOnly(endSentence(currentStatus.detail), currentStatus.reference))}
        />
      </Note>
    )
  if (currentStatus?.status === 'kept') return <Note tone="warning">{currentStatus.detail}</Note>
  if (currentStatus?.status === 'taken_back') return <Note tone="warning">{transfers.takenBack}</Note>
  const isUnreachable = currentStatus?.status === 'unreachable'
  if (!isUnreachable && currentStatus?.status !== 'waiting') return <TextSkeleton lines={2} />
  return (
    <Note live tone={isUnreachable || hasStopped ? 'warning' : 'info'}>
      {isUnreachable ? (
        transfers.statusFailed
      ) : (
        <>
          <b className="block">{isUnpaid ? transfers.unpaidTitle : transfers.waitingTitle}</b>
          {isUnpaid ? transfers.unpaidYet : hasStopped ? transfers.stillWaiting : transfers.waiting}
        </>
      )}
    </Note>
  )
}

function StatusActions({ onRestart, ...query }: TransferStatusQuery & { onRestart: () => void }) {
  const status = query.transferStatus?.status
  const payUrl = findPayUrl(query)
  const isFinal = status === 'paid_only' || status === 'taken_back' || status === 'kept'
  const canRefetch = status === 'unreachable' || status === 'paid_only' || query.hasStopped
  return (
    <div className="form-actions flex-wrap">
      {payUrl && (
        <>
          <a className="button button-primary button-big" href={payUrl}>
            {transfers.goOnPaying}
          </a>
          <Button big processing={query.isCanceling} onClick={query.cancel}>
            {transfers.cancelPayment}
          </Button>
        </>
      )}
      {query.transferStatus?.status === 'kept' && (
        <SendAgain transaction={query.transferStatus.transaction}>{laterPrice.sendAtNewPrice}</SendAgain>
      )}
      {!payUrl && canRefetch && (
        <Button look="primary" big processing={query.isAsking} onClick={query.refetchNow}>
          {transfers.askAgain}
        </Button>
      )}
      {!payUrl && !isFinal && (
        <LinkButton big to={paths.dashboard}>
          {transfers.dashboard}
        </LinkButton>
      )}
      {(isFinal || (!payUrl && status === 'waiting')) && (
        <Button big onClick={onRestart}>
          {transfers.another}
        </Button>
      )}
    </div>
  )
}
