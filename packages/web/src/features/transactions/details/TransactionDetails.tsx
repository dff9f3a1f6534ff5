import '../../../css/receipt.css'
import { useQuery } from '@tanstack/react-query'
import { referenceOf } from '@tern/contract/protocol/transaction-reference'
import type { Transaction } from '@tern/contract/transactions'
import { isEstimate } from '@tern/contract/transfers/estimate'
import { Suspense, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../../../app/paths.ts'
import { useUser } from '../../../app/session/session.ts'
import { copying } from '#messages/copying.ts'
import { transaction as words } from '#messages/transaction.ts'
import { receiptPage } from '#messages/receipt/page.ts'
import { shareTracking as tracking } from '#messages/transfers/tracking.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { directionOf, isComing, movedOf, personOf, shownStatusOf, titleOf, whoOf } from '../../../ui/money/activity.ts'
import { Balance } from '../../../ui/money/Balance.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { type Definition, DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'
import { formatDateTime, formatMoney, isZero } from '../../../ui/format/format.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { totalOf } from '../../../ui/money/conversion.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { routeBetween } from '../../../ui/maps/route/countries.ts'
import { conversionOf } from './conversion.ts'
import { type Outside, outsideQuery } from './outside.ts'
import { priceEntries, priceQuery } from './price-evidence.ts'
import { OutsideActions, OutsideNote, useCancelPayment } from './OutsideActions.tsx'
import { SendAgain } from '../../../app/orders/receipt/SendAgain.tsx'
import { classNames } from '../../../ui/icon/class-names.ts'
import { Timeline } from './Timeline.tsx'

const HeldPart = lazyComponent(() => import('../../../app/undo/HeldPart.tsx'), 'HeldPart')
const RestrictedNote = lazyComponent(() => import('../../../app/restricted/RestrictedNote.tsx'), 'RestrictedNote')
const ShareTracking = lazyComponent(() => import('./ShareTracking.tsx'), 'ShareTracking')
const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')

function headingOf(transaction: Transaction): string {
  const kind = words.types[transaction.transaction_type] ?? words.otherType
  const person = whoOf(transaction)
  if (person === undefined) return kind
  if (isComing(transaction)) return texts.heading.coming(person)
  return directionOf(transaction) === 'in' ? texts.heading.from(kind, person) : texts.heading.to(kind, person)
}

type Entry = Definition & { term: string; value: string }

/** What the card, the bank account or the bank says about it. */
function outsideEntries(
  { status, transaction_type: type }: Transaction,
  outside: Outside | null | undefined,
): (Entry | false)[] {
  if (!outside) return []
  if (outside.kind === 'payment') {
    const { method, amount, currency, reason } = outside
    return [
      status !== 'FAILED' &&
        method === 'wallet_partial' && { term: texts.fromCard, value: formatMoney(amount, currency) },
      reason !== null && { term: texts.reason, value: reason },
    ]
  }
  const { bank_account: account, expected_on: expectedOn, reason } = outside
  return [
    // The description of a withdrawal names it already.
    type !== 'WITHDRAW' && { term: texts.bankAccount, value: texts.accountEnding(account.bank_name, account.last4) },
    outside.status === 'pending' && { term: texts.expectedOn, value: formatDay(expectedOn) },
    reason !== null && { term: texts.reason, value: reason },
  ]
}

/** Everything there is to say about one transaction, as pairs; the same are shown and copied. */
function entriesOf(transaction: Transaction, outside: Outside | null | undefined): Entry[] {
  const { source_currency: source, target_currency: target, rate, fee, fee_currency: feeCurrency } = transaction
  const total = totalOf(transaction)
  const paid = transaction.payment_source
  const person = transaction.counterparty
  const rows: (Entry | false)[] = [
    person !== null && {
      term: directionOf(transaction) === 'in' ? texts.from : texts.to,
      value: person.name ? `${person.name}, ${person.username}` : person.username,
    },
    rate !== null && source !== target && { term: texts.rate, value: formatRateLine(rate, source, target) },
    { term: texts.amount, value: formatMoney(transaction.source_amount, source) },
    !isZero(fee) && { term: texts.fee, value: formatMoney(fee, feeCurrency) },
    !isZero(fee) && total !== undefined && { term: texts.total, value: formatMoney(total, source), sum: true },
    directionOf(transaction) === 'in' &&
      source !== target &&
      transaction.status !== 'FAILED' && {
        term: texts.received,
        value: formatMoney(transaction.target_amount, target),
        sum: true,
      },
    paid !== null && paid !== 'wallet' && { term: texts.type, value: words.paymentSources[paid] },
    ...outsideEntries(transaction, outside),
    { term: texts.description, value: transaction.description || texts.noDescription },
    { term: texts.reference, value: referenceOf(transaction.id) },
    { term: texts.id, value: transaction.id },
  ]
  return rows.filter((row) => row !== false)
}

/** The transaction as plain text, for a message to somebody. */
function textOf(transaction: Transaction, outside: Outside | null | undefined): string {
  const lines = entriesOf(transaction, outside).map(({ term, value }) => `${term}: ${value}`)
  return [headingOf(transaction), `${texts.date}: ${formatDateTime(transaction.timestamp)}`, ...lines].join('\n')
}

/** Hands a text to another app. Whoever closes the choice of apps has changed their mind. */
async function share(text: string): Promise<void> {
  try {
    await navigator.share({ text })
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) reportError(error)
  }
}

/** What somebody who is to receive money needs to know as long as it is not theirs. */
function Coming({ transaction }: { transaction: Transaction }) {
  const { transaction_type: type, status, target_amount: amount, target_currency: currency } = transaction
  const name = whoOf(transaction)
  if (type !== 'RECEIVE' || status === 'COMPLETED' || name === undefined) return null
  const coming = isEstimate(transaction) ? texts.comingAbout : texts.coming
  return (
    <div className="mt-4">
      <Note>{status === 'PENDING' ? coming(name, formatMoney(amount, currency)) : texts.notComing(name)}</Note>
    </div>
  )
}

/** Where the money goes, dotted until it has left; nothing within one country, or where a country is not verified. */
function Route({ transaction }: { transaction: Transaction }) {
  const own = useUser()?.residence?.country
  const theirs = transaction.counterparty?.country
  const isIn = transaction.transaction_type === 'RECEIVE'
  const route = isIn ? routeBetween(theirs, own) : routeBetween(own, theirs)
  if (!route || transaction.status === 'FAILED') return null
  return (
    <div className={classNames('mt-5', transaction.status === 'PENDING' && 'undo-map')}>
      <Suspense fallback={<div className="route-place" />}>
        <RouteMap {...route} />
      </Suspense>
    </div>
  )
}

/** The details of one transaction above the list. */
export function TransactionDetails({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const user = useUser()
  const conversion = conversionOf(transaction)
  const { data: outside } = useQuery(outsideQuery(transaction))
  const cancel = useCancelPayment(transaction)
  const { data: price } = useQuery(priceQuery(transaction))
  const entries: Definition[] = entriesOf(transaction, outside)
  const related = outside ? relatedEntry(transaction, outside) : undefined
  return (
    <Dialog open scaleBar title={headingOf(transaction)} onClose={onClose}>
      <p className="mt-1 mb-3">
        <Balance
          size="medium"
          amount={transaction.amount}
          currency={transaction.currency}
          direction={movedOf(transaction)}
        />
      </p>
      <p className="row small muted flex-wrap">
        <Chip status={shownStatusOf(transaction)} />
        <span aria-hidden="true">·</span>
        <time dateTime={transaction.timestamp}>{formatDateTime(transaction.timestamp)}</time>
        {personOf(transaction) === undefined && titleOf(transaction) !== transaction.description && (
          <>
            <span aria-hidden="true">·</span>
            {titleOf(transaction)}
          </>
        )}
      </p>
      <Coming transaction={transaction} />
      {mayBeHeld(transaction) && (
        <Suspense>
          <HeldPart transaction={transaction} />
        </Suspense>
      )}
      {user && hasComeIn(transaction) && (
        <Suspense>
          <RestrictedNote transaction={transaction} user={user} />
        </Suspense>
      )}
      <Route transaction={transaction} />
      {conversion && (
        <div className="my-6 max-md:my-4">
          <ConversionFlow {...conversion} />
        </div>
      )}
      <div className="mt-5 mb-6 border-t pt-3">
        <DefinitionList small entries={[...entries, ...priceEntries(transaction, price), related]} />
      </div>
      <Timeline transaction={transaction} format={formatDateTime} />
      {outside && (
        <div className="mb-6 empty:hidden">
          <OutsideNote {...{ transaction, outside, cancel }} />
        </div>
      )}
      <Actions {...{ transaction, outside, cancel }} proofUrl={price?.proof_url} />
    </Dialog>
  )
}

/** Money of one's own that has not gone, or not come: it may wait for people, or its sender can still take it back. */
const mayBeHeld = ({
  transaction_type: type,
  status,
  hold_reason: reason,
  release_reason: ended,
}: Transaction): boolean =>
  type === 'SEND'
    ? status !== 'COMPLETED'
    : reason !== null || ended === 'returned' || (status === 'PENDING' && (type === 'WITHDRAW' || type === 'EXCHANGE'))

/** It has added to a balance. */
const hasComeIn = ({ transaction_type: type, status }: Transaction): boolean =>
  status === 'COMPLETED' && (type === 'RECEIVE' || type === 'DEPOSIT' || type === 'EXCHANGE')

/** Its money came, and stayed in the wallet. */
const isUnmade = ({ transaction_type: type, status }: Transaction, outside: Outside | null | undefined): boolean =>
  type === 'SEND' && status === 'FAILED' && outside?.kind === 'payment' && outside.captured

interface ActionsProps {
  transaction: Transaction
  outside: Outside | null | undefined
  cancel: ReturnType<typeof useCancelPayment>
  proofUrl: string | undefined
}

/** What can be done with a transaction, and with what is said of it. */
function Actions({ transaction, outside, cancel, proofUrl }: ActionsProps) {
  const copy = useCopy()
  const [isSharing, setIsSharing] = useState(false)
  return (
    <>
      {mayHaveLink(transaction) && (isSharing || transaction.status === 'FAILED') && (
        <Suspense>
          <ShareTracking transaction={transaction} />
        </Suspense>
      )}
      <div className="row flex-wrap max-md:[&>*]:flex-1">
        {outside && <OutsideActions {...{ transaction, outside, cancel }} />}
        <SendAgain transaction={transaction}>
          {isUnmade(transaction, outside) ? texts.sendAtNewPrice : texts.sendAgain}
        </SendAgain>
        {transaction.transaction_type === 'EXCHANGE' && transaction.status === 'PENDING' && (
          <LinkButton to={paths.orders}>{texts.seeOrders}</LinkButton>
        )}
        <LinkButton to={`${paths.receipt}?id=${transaction.id}`}>{receiptPage.open}</LinkButton>
        {proofUrl !== undefined && transaction.status === 'COMPLETED' && (
          <LinkButton to={new URL(proofUrl).pathname}>{receiptPage.checkPrice}</LinkButton>
        )}
        {transaction.transaction_type !== 'RECEIVE' && (
          <LinkButton to={`${paths.disputes}?transaction=${transaction.id}`}>{texts.somethingWrong}</LinkButton>
        )}
        <Button icon="copy" onClick={() => copy(transaction.id, texts.idCopied)}>
          {texts.copyId}
        </Button>
        <Button icon="copy" onClick={() => copy(textOf(transaction, outside), copying.done)}>
          {texts.copyDetails}
        </Button>
        {typeof navigator.share === 'function' && (
          <Button onClick={() => void share(textOf(transaction, outside))}>{texts.share}</Button>
        )}
        {mayHaveLink(transaction) && transaction.status !== 'FAILED' && !isSharing && (
          <Button onClick={() => setIsSharing(true)}>{tracking.open}</Button>
        )}
      </div>
    </>
  )
}

/** Whether others can be shown how it stands: money of one's own that goes to somebody, or to a bank. */
const mayHaveLink = ({ transaction_type: type }: Transaction): boolean => type === 'SEND' || type === 'WITHDRAW'

/** The transaction that this one undoes, or comes in the place of, with the way to it. */
function relatedEntry(transaction: Transaction, outside: Outside): Definition | undefined {
  const { transaction_id: id } = outside
  if (id === null || id === transaction.id) return undefined
  const name = texts.relatedTypes[outside.kind === 'payout' ? 'withdrawal' : outside.purpose]
  return { term: texts.belongsTo, value: <DetailsLink id={id}>{name}</DetailsLink> }
}

/** To the details of another transaction, over the same list. */
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
