import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect, useRef } from 'react'
import { transfers } from '#messages/transfers.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { isWebAddress } from '../../../app/instruments/provider-page.ts'
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
import { type AskingBranch, type FormSignIn, formAfter } from './arrival.ts'
import { dropPending, type SavedTransfer } from './pending-transfer.ts'
import { shortNameOf } from '../send-form.ts'
import type { TransferStatus } from './transfer-status.ts'
import { subjectOf, useTransferStatus } from './use-transfer-status.ts'

interface ReturningProps {
  user: CurrentUser
  branch: AskingBranch
  /** What the server has just said of it. */
  known: TransferStatus | undefined
  onSent: (transaction: Transaction) => void
  onForm: (arrival: FormSignIn) => void
  onAnother: () => void
}

/** The last step again, while the server is asked how the payment of a transfer stands. */
export function PaymentReturn({ user, branch, known, onSent, onForm, onAnother }: ReturningProps) {
  const queryClient = useQueryClient()
  const asked = useTransferStatus(branch, user.id, known)
  const { transferStatus } = asked
  const { saved } = subjectOf(branch, user.id)
  const receipt = transferStatus && receiptOf(transferStatus, saved)
  const form = transferStatus && formAfter(transferStatus, saved)
  useEffect(() => {
    if (!receipt && !form) return
    dropPending()
    void refreshMoney(queryClient, user.id)
    if (receipt) onSent(receipt)
    else if (form) onForm(form)
    // Each settled standing is acted upon once.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [transferStatus])
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
        {branch.kind !== 'ask' && <Summary saved={saved} />}
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
  const person = saved?.recipientInfo ?? saved?.formData.recipient
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
  if (transferStatus.status === 'paid only') {
    return <Note tone="error">{transfers.paidOnly(sentence(transferStatus.detail), transferStatus.reference)}</Note>
  }
  if (transferStatus.status === 'taken back') return <Note tone="warning">{transfers.takenBack}</Note>
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
  isGivingUp,
  askAgain,
  giveUp,
  onAnother,
}: Asked & { onAnother: () => void }) {
  const dashboardPath = pathIfPresent('dashboard')
  const payUrl =
    transferStatus?.status === 'waiting' && isWebAddress(transferStatus.payUrl) ? transferStatus.payUrl : undefined
  const isOver = transferStatus?.status === 'paid only' || transferStatus?.status === 'taken back'
  const mayAsk = transferStatus?.status === 'unreachable' || transferStatus?.status === 'paid only' || isTired
  return (
    <div className="form-actions flex-wrap">
      {payUrl && (
        <a className="button button-primary button-big" href={payUrl}>
          {transfers.goOnPaying}
        </a>
      )}
      {payUrl && (
        <Button big processing={isGivingUp} onClick={giveUp}>
          {transfers.cancelPayment}
        </Button>
      )}
      {!payUrl && mayAsk && (
        <Button look="primary" big processing={isAsking} onClick={askAgain}>
          {transfers.askAgain}
        </Button>
      )}
      {!payUrl && !isOver && dashboardPath && (
        <LinkButton big to={dashboardPath}>
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
