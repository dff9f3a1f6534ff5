import { useQueryClient } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect, useRef } from 'react'
import { transfers } from '#messages/transfers.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { isWebAddress } from '../../../app/provider-page.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { exactPlaces } from '../../../ui/money/exact-amount.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { priceEntries } from '../../../app/orders/PriceSheet.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Steps } from '../../../ui/layout/Steps.tsx'
import { type FormArrival, formAfter } from './arrival.ts'
import { dropPending, recipientOf, type SavedTransfer } from '../pending-transfer.ts'
import { shortNameOf } from '../send-form.ts'
import { type Subject, type TransferStatus, useTransferStatus } from './transfer-status.ts'

interface PaymentReturnProps {
  subject: Subject
  onSent: (transaction: Transaction) => void
  onForm: (arrival: FormArrival) => void
  onAnother: () => void
}

/** The last step again, while the server is asked how the payment of a transfer stands. */
export function PaymentReturn({ subject, onSent, onForm, onAnother }: PaymentReturnProps) {
  const queryClient = useQueryClient()
  const asked = useTransferStatus(subject)
  const { transferStatus } = asked
  const { saved, userId } = subject
  const receipt = transferStatus && receiptOf(transferStatus, saved)
  const form = transferStatus && formAfter(transferStatus, saved)
  useEffect(() => {
    if (!receipt && !form) return
    dropPending()
    void refreshMoney(queryClient, userId)
    if (receipt) onSent(receipt)
    else if (form) onForm(form)
    // Once for each decision.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [receipt?.id, form !== undefined])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <>
      <h1 className="display-m outline-none" tabIndex={-1} ref={heading}>
        {transfers.reviewTitle}
      </h1>
      <div className="mt-6">
        <Steps steps={transfers.steps} current={2} />
      </div>
      <div className="mt-8 grid max-w-140 gap-6">
        <Summary saved={saved} />
        {transferStatus ? <StatusNote {...asked} transferStatus={transferStatus} /> : <TextSkeleton lines={2} />}
        <StatusActions {...asked} onAnother={onAnother} />
      </div>
    </>
  )
}

/** A transfer that is done, or one that waits for a bank and will for days, has a receipt. */
function receiptOf(transferStatus: TransferStatus, saved: SavedTransfer | undefined): Transaction | undefined {
  if (transferStatus.status === 'done') return transferStatus.transaction
  return transferStatus.status === 'waiting' && saved?.paymentSource === 'bank' ? transferStatus.transaction : undefined
}

/** What the person left to pay for, as it was on this device. */
function Summary({ saved }: { saved: SavedTransfer | undefined }) {
  const quote = saved?.priced?.quote
  const person = saved && recipientOf(saved)
  if (!quote || !person) return null
  const { target_amount: amount, target_currency: currency } = quote
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <div className="row">
          <Avatar name={person.name ?? person.username} icon="send" />
          <p className="muted">{transfers.toPerson(shortNameOf(person))}</p>
        </div>
        <p className="balance balance-small mt-3">
          {formatMoney(amount, currency, { places: Math.min(exactPlaces(amount, currency), 8) })}
        </p>
        <div className="mt-4">
          <DefinitionList
            small
            entries={[
              ...priceEntries(quote).slice(0, -1),
              { term: transfers.paidWith, value: transfers.sources[saved.paymentSource] },
            ]}
          />
        </div>
      </div>
    </Sheet>
  )
}

type Asked = ReturnType<typeof useTransferStatus>

function StatusNote({ transferStatus, isTired }: Asked & { transferStatus: TransferStatus }) {
  if (transferStatus.status === 'paid_only') {
    return <Note tone="error">{transfers.paidOnly(sentence(transferStatus.detail), transferStatus.reference)}</Note>
  }
  if (transferStatus.status === 'taken_back') return <Note tone="warning">{transfers.takenBack}</Note>
  if (transferStatus.status === 'unreachable') {
    return (
      <Note tone="warning" live>
        {transfers.statusFailed}
      </Note>
    )
  }
  if (transferStatus.status !== 'waiting') return <TextSkeleton lines={2} />
  const isUnpaid = isWebAddress(transferStatus.payUrl)
  return (
    <Note live tone={isTired ? 'warning' : 'info'}>
      <b className="block">{isUnpaid ? transfers.unpaidTitle : transfers.waitingTitle}</b>
      {isUnpaid ? transfers.unpaidYet : isTired ? transfers.stillWaiting : transfers.waiting}
    </Note>
  )
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

function StatusActions({
  transferStatus,
  isTired,
  isAsking,
  isCanceling,
  askAgain,
  cancel,
  onAnother,
}: Asked & { onAnother: () => void }) {
  const payUrl =
    transferStatus?.status === 'waiting' && isWebAddress(transferStatus.payUrl) ? transferStatus.payUrl : undefined
  const isOver = transferStatus?.status === 'paid_only' || transferStatus?.status === 'taken_back'
  const mayAsk = transferStatus?.status === 'unreachable' || transferStatus?.status === 'paid_only' || isTired
  return (
    <div className="form-actions flex-wrap">
      {payUrl && (
        <a className="button button-primary button-big" href={payUrl}>
          {transfers.goOnPaying}
        </a>
      )}
      {payUrl && (
        <Button big processing={isCanceling} onClick={cancel}>
          {transfers.cancelPayment}
        </Button>
      )}
      {!payUrl && mayAsk && (
        <Button look="primary" big processing={isAsking} onClick={askAgain}>
          {transfers.askAgain}
        </Button>
      )}
      {!payUrl && !isOver && (
        <LinkButton big to={paths.dashboard}>
          {transfers.dashboard}
        </LinkButton>
      )}
      {isOver && (
        <Button big onClick={onAnother}>
          {transfers.another}
        </Button>
      )}
    </div>
  )
}
