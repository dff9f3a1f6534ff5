import '../../../css/details.css'
import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { isEstimate } from '@tern/contract/transfers/estimate'
import { Suspense } from 'react'
import { Link, useSearchParams } from 'react-router'
import { transactions as texts } from '#messages/transactions.ts'
import { useUser } from '../../../app/session/session.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { daysAgo, formatDateTime, formatMoney, formatRelative } from '../../../ui/format/format.ts'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'
import { Disclosure } from '../../../ui/disclosure/Disclosure.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import {
  readMoneyDirection,
  counterpartyName,
  displayStatus,
  writeTitle,
  unambiguousName,
} from '../../../ui/money/activity.ts'
import { Balance } from '../../../ui/money/Balance.tsx'
import { detailsText, describeTransaction } from './details-text.ts'
import { DetailActions } from './DetailActions.tsx'
import { listKeyFacts } from './key-facts.ts'
import { ExternalOrderActions, ExternalOrderNote, useCancelPayment } from './ExternalOrderActions.tsx'
import { type ExternalOrder, externalOrderQuery } from './external-order.ts'
import { receiptQuery } from './price-evidence.ts'
import type { Facts } from './steps.ts'
import { Timeline } from './Timeline.tsx'

const factsClass = 'flex flex-wrap gap-x-2 mt-2 wrap-anywhere [&>*+*::before]:content-["·"_/_""] [&>*+*::before]:me-2'

const HoldDetails = lazyComponent(() => import('../../../app/undo/HoldDetails.tsx'), 'HoldDetails')
const RestrictedNote = lazyComponent(() => import('../../../app/restricted/RestrictedNote.tsx'), 'RestrictedNote')
const TechnicalDetails = lazyComponent(() => import('./TechnicalDetails.tsx'), 'TechnicalDetails')

/** Details of one transaction above the list: amount, outcome, timeline and actions. */
export function TransactionDetails({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const user = useUser()
  const { data: externalOrder } = useQuery(externalOrderQuery(transaction))
  const { data: receipt } = useQuery(receiptQuery(transaction))
  const cancel = useCancelPayment(transaction)
  const facts: Facts | undefined = receipt && {
    ...receipt,
    ...(externalOrder?.kind === 'payment' && { captured: externalOrder.captured }),
  }
  const text = detailsText(transaction, externalOrder)
  return (
    <Dialog
      open
      scaleBar
      title={<span className="text-base font-medium text-ink">{describeTransaction(transaction)}</span>}
      onClose={onClose}
    >
      <p className="[&_.balance-medium]:leading-[1] max-md:[&_.balance-medium]:text-[3rem]">
        <Balance
          size="medium"
          amount={transaction.amount}
          currency={transaction.currency}
          direction={readMoneyDirection(transaction)}
        />
      </p>
      <DateAndPurpose transaction={transaction} />
      <UpcomingSteps transaction={transaction} />
      {canBeHeld(transaction) && (
        <Suspense>
          <HoldDetails transaction={transaction} />
        </Suspense>
      )}
      {user && isIncoming(transaction) && (
        <Suspense>
          <RestrictedNote transaction={transaction} user={user} />
        </Suspense>
      )}
      <KeyFacts facts={listKeyFacts(transaction, externalOrder)} />
      <Timeline transaction={transaction} facts={facts} />
      {externalOrder && <ExternalDetails transaction={transaction} externalOrder={externalOrder} cancel={cancel} />}
      <DetailActions transaction={transaction} externalOrder={externalOrder} text={text} />
      <Disclosure title={texts.technical}>
        <Suspense>
          <TechnicalDetails transaction={transaction} price={receipt?.price} text={text} />
        </Suspense>
      </Disclosure>
    </Dialog>
  )
}

/** State (unless completed), time, and description. */
function DateAndPurpose({ transaction }: { transaction: Transaction }) {
  const { timestamp, description } = transaction
  const status = displayStatus(transaction)
  const note = description || (counterpartyName(transaction) === undefined ? writeTitle(transaction) : '')
  return (
    <p className={`small muted ${factsClass}`}>
      {status !== 'COMPLETED' && <Chip status={status} />}
      <time dateTime={timestamp}>{daysAgo(timestamp) < 2 ? formatRelative(timestamp) : formatDateTime(timestamp)}</time>
      {note !== '' && note !== describeTransaction(transaction) && <span dir="auto">{note}</span>}
    </p>
  )
}

function KeyFacts({ facts }: { facts: ReturnType<typeof listKeyFacts> }) {
  if (facts.length === 0) return null
  return (
    <dl className="key-facts grid grid-flow-col auto-cols-fr mt-5 border-y">
      {facts.map(({ term, value }) => (
        <div key={term}>
          <dt className="text-fine/5 text-ink-2">{term}</dt>
          <dd className="text-base font-medium tabular-nums wrap-anywhere max-md:text-control">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Notice to the recipient of money that has not settled. */
function UpcomingSteps({ transaction }: { transaction: Transaction }) {
  const { transaction_type: type, status, target_amount: amount, target_currency: currency } = transaction
  const name = unambiguousName(transaction)
  if (type !== 'RECEIVE' || status === 'COMPLETED' || name === undefined) return null
  const arrivalText = isEstimate(transaction) ? texts.comingAbout : texts.coming
  return (
    <div className="mt-4">
      <Note>{status === 'PENDING' ? arrivalText(name, formatMoney(amount, currency)) : texts.notComing(name)}</Note>
    </div>
  )
}

interface ExternalDetailsProps {
  transaction: Transaction
  externalOrder: ExternalOrder
  cancel: ReturnType<typeof useCancelPayment>
}

/** State of a card or bank payment: pending step, failure reason, and related transaction. */
function ExternalDetails({ transaction, externalOrder, cancel }: ExternalDetailsProps) {
  const relatedId = externalOrder.transaction_id
  return (
    <div className="mb-4 grid gap-3 empty:hidden">
      <ExternalOrderNote transaction={transaction} externalOrder={externalOrder} cancel={cancel} />
      {externalOrder.reason !== null && <Note tone="warning">{texts.because(externalOrder.reason)}</Note>}
      {relatedId !== null && relatedId !== transaction.id && (
        <p className="small">
          {texts.belongsTo}{' '}
          <DetailsLink id={relatedId}>
            {texts.relatedTypes[externalOrder.kind === 'payout' ? 'withdrawal' : externalOrder.purpose]}
          </DetailsLink>
        </p>
      )}
      <div className="row flex-wrap empty:hidden max-md:[&>*]:flex-1">
        <ExternalOrderActions transaction={transaction} externalOrder={externalOrder} cancel={cancel} />
      </div>
    </div>
  )
}

/** Transactions that may be on hold or in the undo period, and those returned after a hold. */
const canBeHeld = ({
  transaction_type: type,
  status,
  hold_reason: reason,
  release_reason: releaseReason,
}: Transaction): boolean =>
  type === 'SEND'
    ? status !== 'COMPLETED'
    : reason !== null ||
      releaseReason === 'returned' ||
      (status === 'PENDING' && (type === 'WITHDRAW' || type === 'EXCHANGE'))

const isIncoming = ({ transaction_type: type, status }: Transaction): boolean =>
  status === 'COMPLETED' && (type === 'RECEIVE' || type === 'DEPOSIT' || type === 'EXCHANGE')

/** Link to another transaction's details above the same list. */
function DetailsLink({ id, children }: { id: string; children: string }) {
  const [address] = useSearchParams()
  const query = new URLSearchParams(address)
  query.set('details', id)
  return (
    <Link to={`?${query.toString()}`} preventScrollReset>
      {children}
    </Link>
  )
}
