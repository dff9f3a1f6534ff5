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
  readMovedDirection,
  counterpartyName,
  displayStatus,
  writeTitle,
  unambiguousName,
} from '../../../ui/money/activity.ts'
import { Balance } from '../../../ui/money/Balance.tsx'
import { detailsText, describeTransaction } from './details-text.ts'
import { DetailActions } from './DetailActions.tsx'
import { keyFacts } from './key-facts.ts'
import { OutsideActions, OutsideNote, useCancelPayment } from './OutsideActions.tsx'
import { type ExternalOrder, externalOrderQuery } from './external-order.ts'
import { receiptQuery } from './price-evidence.ts'
import type { Facts } from './steps.ts'
import { Timeline } from './Timeline.tsx'

const detailFacts = 'flex flex-wrap gap-x-2 mt-2 wrap-anywhere [&>*+*::before]:content-["·"_/_""] [&>*+*::before]:me-2'

const HoldDetails = lazyComponent(() => import('../../../app/undo/HoldDetails.tsx'), 'HoldDetails')
const RestrictedNote = lazyComponent(() => import('../../../app/restricted/RestrictedNote.tsx'), 'RestrictedNote')
const TechnicalDetails = lazyComponent(() => import('./TechnicalDetails.tsx'), 'TechnicalDetails')

/** Details of one transaction above the list: amount, outcome, timeline and actions. */
export function TransactionDetails({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const user = useUser()
  const { data: outside } = useQuery(externalOrderQuery(transaction))
  const { data: receipt } = useQuery(receiptQuery(transaction))
  const cancel = useCancelPayment(transaction)
  const facts: Facts | undefined = receipt && {
    ...receipt,
    ...(outside?.kind === 'payment' && { captured: outside.captured }),
  }
  const text = detailsText(transaction, outside)
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
          direction={readMovedDirection(transaction)}
        />
      </p>
      <DateAndPurpose transaction={transaction} />
      <UpcomingSteps transaction={transaction} />
      {mayBeHeld(transaction) && (
        <Suspense>
          <HoldDetails transaction={transaction} />
        </Suspense>
      )}
      {user && hasComeIn(transaction) && (
        <Suspense>
          <RestrictedNote transaction={transaction} user={user} />
        </Suspense>
      )}
      <KeyFacts facts={keyFacts(transaction, outside)} />
      <Timeline transaction={transaction} facts={facts} />
      {outside && <ExternalDetails transaction={transaction} outside={outside} cancel={cancel} />}
      <DetailActions transaction={transaction} outside={outside} text={text} />
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
    <p className={`small muted ${detailFacts}`}>
      {status !== 'COMPLETED' && <Chip status={status} />}
      <time dateTime={timestamp}>{daysAgo(timestamp) < 2 ? formatRelative(timestamp) : formatDateTime(timestamp)}</time>
      {note !== '' && note !== describeTransaction(transaction) && <span dir="auto">{note}</span>}
    </p>
  )
}

function KeyFacts({ facts }: { facts: ReturnType<typeof keyFacts> }) {
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

/** Notice to the recipient of money that has not settled yet. */
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
  outside: ExternalOrder
  cancel: ReturnType<typeof useCancelPayment>
}

/** State of a card or bank payment: pending step, failure reason, and related transaction. */
function ExternalDetails({ transaction, outside, cancel }: ExternalDetailsProps) {
  const related = outside.transaction_id
  return (
    <div className="mb-4 grid gap-3 empty:hidden">
      <OutsideNote transaction={transaction} outside={outside} cancel={cancel} />
      {outside.reason !== null && <Note tone="warning">{texts.because(outside.reason)}</Note>}
      {related !== null && related !== transaction.id && (
        <p className="small">
          {texts.belongsTo}{' '}
          <DetailsLink id={related}>
            {texts.relatedTypes[outside.kind === 'payout' ? 'withdrawal' : outside.purpose]}
          </DetailsLink>
        </p>
      )}
      <div className="row flex-wrap empty:hidden max-md:[&>*]:flex-1">
        <OutsideActions transaction={transaction} outside={outside} cancel={cancel} />
      </div>
    </div>
  )
}

/** Unsettled money of the user: it may be on hold, or its sender may still undo it. */
const mayBeHeld = ({
  transaction_type: type,
  status,
  hold_reason: reason,
  release_reason: ended,
}: Transaction): boolean =>
  type === 'SEND'
    ? status !== 'COMPLETED'
    : reason !== null || ended === 'returned' || (status === 'PENDING' && (type === 'WITHDRAW' || type === 'EXCHANGE'))

const hasComeIn = ({ transaction_type: type, status }: Transaction): boolean =>
  status === 'COMPLETED' && (type === 'RECEIVE' || type === 'DEPOSIT' || type === 'EXCHANGE')

/** Link to another transaction's details above the same list. */
function DetailsLink({ id, children }: { id: string; children: string }) {
  const [address] = useSearchParams()
  const there = new URLSearchParams(address)
  there.set('details', id)
  return (
    <Link to={`?${there.toString()}`} preventScrollReset>
      {children}
    </Link>
  )
}
