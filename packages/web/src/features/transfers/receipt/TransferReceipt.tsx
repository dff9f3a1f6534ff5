import '../../../css/receipt.css'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { Transaction } from '@tern/contract/transactions'
import { isEstimate } from '@tern/contract/transfers/estimate'
import { Suspense, useEffect } from 'react'
import { copying } from '#messages/copying.ts'
import { route as routeTexts } from '#messages/maps/route.ts'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { holds } from '#messages/transfers/holds.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { paths } from '../../../app/paths.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { ReceiptFrame } from '../../../app/orders/receipt/Receipt.tsx'
import { Button, IconButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { conversionFlow, computeTotal } from '../../../ui/money/conversion.ts'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatBig, formatExact } from '../../../ui/money/exact-amount.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { formatDateTime } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { useUser } from '../../../app/session/session.ts'
import { routeBetween } from '../../../ui/maps/route/countries.ts'
import { RouteMap } from '../../../ui/maps/route/RouteMap.tsx'
import { classNames } from '../../../ui/icon/class-names.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { SendAgain } from '../../../app/orders/receipt/SendAgain.tsx'
import { shortenName } from '../send-form.ts'
import { useFailureReason } from './use-failure-reason.ts'

const HoldDetails = lazyComponent(() => import('../../../app/undo/HoldDetails.tsx'), 'HoldDetails')
const FavoriteButton = lazyComponent(() => import('../../../app/recipient/FavoriteButton.tsx'), 'FavoriteButton')

interface TransferReceiptProps {
  transaction: Transaction
  /** Held for a manual decision. */
  isOnHold: boolean
  /** Duration from order to answer in milliseconds; undefined if this page has not seen both. */
  tookMs: number | undefined
  onRestart: () => void
}

/** Receipt of a confirmed transfer: completed, pending, on hold or failed. */
export function TransferReceipt({ transaction, isOnHold, tookMs, onRestart }: TransferReceiptProps) {
  useEffect(() => {
    scrollTo({ top: 0 })
  }, [])
  const { status, counterparty: person } = transaction
  const isDone = status === 'COMPLETED'
  const name = person ? shortenName(person) : ''
  const isLater = isEstimate(transaction)
  const afterBank = isLater ? laterPrice.sentAfterBankLater : transfers.sentAfterBank
  const awaitingText = transaction.payment_source === 'bank' ? afterBank : transfers.sentAfterCard
  const failureText = useFailureReason(transaction)
  const statusText =
    status === 'FAILED' ? (failureText ?? transfers.failedText) : isOnHold ? holds.sent : awaitingText(name)
  return (
    <>
      <FocusedHeading level="h1" className="display-m">
        {isOnHold ? holds.sentTitle : titles[status]}
      </FocusedHeading>
      <ReceiptFrame
        header={
          !isDone && (
            <div className={isOnHold ? 'mb-10 max-w-180' : 'mb-6'}>
              <Note live tone={status === 'FAILED' ? 'warning' : 'info'}>
                {statusText}
              </Note>
              <UnsentActions {...{ transaction, isOnHold }} hasFailed={failureText !== undefined} />
            </div>
          )
        }
        className="[--flight-ground-color:var(--sheet)]"
        isWide
        scaleBar={!isOnHold}
        to={paths.dashboard}
        toText={transfers.dashboard}
        texts={transfers}
        onRestart={onRestart}
      >
        <div className="xl:grid xl:grid-cols-[8fr_5fr] xl:gap-x-12 xl:[&>:last-child]:m-0! xl:[&>:last-child]:p-0! xl:[&>:last-child]:border-0! p-6 md:p-8">
          <div>
            <div className="row">
              <Avatar name={person?.name ?? person?.username} icon="send" />
              <p className="muted min-w-0 wrap-anywhere">{writeCaption(transaction, name)}</p>
              {!isDone && <Chip status={status} />}
            </div>
            <p className="balance balance-small mt-3">
              {formatBig(transaction.target_amount, transaction.target_currency)}
            </p>
            <TransferRoute {...{ transaction, name, isOnHold }} tookMs={isDone ? tookMs : undefined} />
          </div>
          <div className="mt-6 border-t pt-2">
            <TransferFacts transaction={transaction} />
            <div className="row mt-6 flex-wrap">
              <Button onClick={() => print()}>{transfers.print}</Button>
              {isDone && person && (
                <Suspense>
                  <FavoriteButton person={person} wasPaid hasText />
                </Suspense>
              )}
            </div>
          </div>
        </div>
      </ReceiptFrame>
    </>
  )
}

/** Reason for the wait, or a way to send the money again. */
function UnsentActions({
  transaction,
  isOnHold,
  hasFailed,
}: Pick<TransferReceiptProps, 'transaction' | 'isOnHold'> & { hasFailed: boolean }) {
  if (isOnHold) {
    return (
      <Suspense>
        <HoldDetails transaction={transaction} />
      </Suspense>
    )
  }
  if (!hasFailed) return null
  return (
    <div className="mt-4">
      <SendAgain transaction={transaction}>{laterPrice.sendAtNewPrice}</SendAgain>
    </div>
  )
}

/**
 * Route between both countries with its duration, dotted during a hold, above the flow of the amounts. Within one
 * country, without a verified country, or after a failure, only the amounts.
 */
function TransferRoute({
  transaction,
  name,
  isOnHold,
  tookMs,
}: Omit<TransferReceiptProps, 'onRestart'> & { name: string }) {
  const { counterparty, status } = transaction
  const route = routeBetween(useUser()?.residence?.country, counterparty?.country)
  const flow = (
    <div className="mt-6">
      <ConversionFlow
        {...conversionFlow(transaction, {
          first: transfers.fromYou,
          middle: transfers.inTransit,
          end: transfers.forPerson(name),
        })}
        isAnimated={status === 'COMPLETED'}
      />
    </div>
  )
  if (!route || status === 'FAILED') return flow
  const seconds = tookMs === undefined ? undefined : Math.floor(tookMs / 1000) // not money: a time
  return (
    <>
      {seconds !== undefined && <p className="muted">{routeTexts.arrivedIn(seconds)}</p>}
      <div
        className={classNames(
          'mt-5',
          isOnHold &&
            '[&_.map-route-line]:[stroke-dasharray:0_6] [&_.map-route-line]:[stroke-linecap:round] [&_.map-dot-end]:hidden',
        )}
      >
        <RouteMap {...route} isAnimated={tookMs !== undefined} />
      </div>
      {flow}
    </>
  )
}

const titles = {
  COMPLETED: transfers.successTitle,
  PENDING: transfers.pendingTitle,
  FAILED: transfers.failedTitle,
}
const writeCaption = (transaction: Transaction, name: string): string =>
  isEstimate(transaction) ? laterPrice.willGetAbout(name) : captions[transaction.status](name)
const captions = { COMPLETED: transfers.has, PENDING: transfers.willGet, FAILED: transfers.notDelivered }

function TransferFacts({ transaction }: { transaction: Transaction }) {
  const { counterparty: person, payment_source: source, source_currency: currency } = transaction
  const total = computeTotal(transaction)
  return (
    <DefinitionList
      small
      entries={[
        person !== null && {
          term: transfers.to,
          value: person.name ? `${person.name}, ${person.username}` : person.username,
        },
        { term: prices.amount, value: formatExact(transaction.source_amount, currency) },
        { term: transfers.fee, value: formatExact(transaction.fee, transaction.fee_currency) },
        total !== undefined && { term: transfers.total, value: formatExact(total, currency), sum: true },
        source !== null && source !== 'wallet' && { term: transfers.paidWith, value: transfers.sources[source] },
        transaction.description !== '' && { term: transfers.description, value: transaction.description },
        {
          term: transaction.status === 'COMPLETED' ? transfers.sentAt : transfers.orderedAt,
          value: formatDateTime(transaction.timestamp),
        },
        { term: transfers.reference, value: deriveReference(transaction.transaction_id) },
        { term: transfers.transactionId, value: <TransactionId id={transaction.transaction_id} /> },
      ]}
    />
  )
}

function TransactionId({ id }: { id: string }) {
  const copy = useCopy()
  return (
    <span className="-my-3 inline-flex items-center">
      <span className="wrap-anywhere">{id}</span>
      <IconButton icon="copy" label={transfers.copyId} onClick={() => copy(id, copying.done)} />
    </span>
  )
}
