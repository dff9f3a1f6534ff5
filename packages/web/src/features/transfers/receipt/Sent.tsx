import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { useEffect, useRef } from 'react'
import { copying } from '#messages/copying.ts'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { transactionsQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button, IconButton, LinkButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { exactPlaces, formatExact } from '../../../ui/money/exact-amount.ts'
import { formatDateTime, formatMoney } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { conversionFlow } from '../review/conversion-legs.ts'
import { shortNameOf } from '../send-form.ts'

interface SentProps {
  user: CurrentUser
  transaction: Transaction
  onAnother: () => void
}

/** The transaction as it is by now: one that waits for its payment is followed until that is decided. */
function useLatest(user: CurrentUser, transaction: Transaction): Transaction {
  const { id, status } = transaction
  const asked = useQuery({
    ...transactionsQuery(user.id, { search: id, limit: '1' }),
    enabled: status === 'PENDING',
    refetchInterval: pendingPauseMs,
  })
  return asked.data?.transactions.find((found) => found.id === id) ?? transaction
}

/** The receipt of a transfer that the server has confirmed; everything on it is the server's own word. */
export function Sent({ user, transaction: asSent, onAnother }: SentProps) {
  const transaction = useLatest(user, asSent)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }, [])
  const person = transaction.counterparty
  const { status } = transaction
  const isDone = status === 'COMPLETED'
  const name = person ? shortNameOf(person) : ''
  const { target_amount: amount, target_currency: currency } = transaction
  return (
    <>
      <h1 className="display-m outline-none" tabIndex={-1} ref={heading}>
        {titles[status]}
      </h1>
      <div className="mt-8 max-w-140">
        <NotYet transaction={transaction} name={name} />
        <Sheet scaleBar className="[--flight-ground-color:var(--sheet)]">
          <div className="p-6 md:p-8">
            <div className="row">
              <Avatar name={person?.name ?? person?.username} icon="send" />
              <p className="muted">{captions[status](name)}</p>
              {!isDone && <Chip status={status} />}
            </div>
            <p className="balance balance-small mt-3">
              {formatMoney(amount, currency, { places: Math.min(exactPlaces(amount, currency), 8) })}
            </p>
            <div className="mt-6">
              <ConversionFlow {...conversionFlow(transaction)} draws={isDone} />
            </div>
            <div className="mt-6 border-t pt-2">
              <Particulars transaction={transaction} />
            </div>
          </div>
        </Sheet>
        <div className="form-actions mt-6 flex-wrap">
          <LinkButton look="primary" big to={paths.dashboard}>
            {transfers.dashboard}
          </LinkButton>
          <Button big onClick={onAnother}>
            {transfers.another}
          </Button>
        </div>
      </div>
    </>
  )
}

const pendingPauseMs = 30_000
const titles = {
  COMPLETED: transfers.successTitle,
  PENDING: transfers.pendingTitle,
  FAILED: transfers.failedTitle,
}
const captions = { COMPLETED: transfers.got, PENDING: transfers.willGet, FAILED: transfers.gotNothing }

/** Why a transfer that is paid from outside is not done yet, or will not be. */
function NotYet({ transaction, name }: { transaction: Transaction; name: string }) {
  const { status, payment_source: source } = transaction
  if (status === 'COMPLETED') return null
  const text = source === 'bank' ? transfers.sentAfterBank(name) : transfers.sentAfterCard(name)
  return (
    <div className="mb-6">
      <Note live tone={status === 'FAILED' ? 'warning' : 'info'}>
        {status === 'FAILED' ? transfers.failedText : text}
      </Note>
    </div>
  )
}

/** What left the wallet in all: the fee is in the source currency, on top of the amount. */
const totalOf = ({ source_currency: currency, source_amount, fee }: Transaction): string =>
  toDecimal(add(parseDecimal(currency, source_amount), parseDecimal(currency, fee)))

function Particulars({ transaction }: { transaction: Transaction }) {
  const { counterparty: person, payment_source: source } = transaction
  return (
    <DefinitionList
      small
      entries={[
        person !== null && {
          term: transfers.to,
          value: person.name ? `${person.name}, ${person.username}` : person.username,
        },
        { term: prices.amount, value: formatExact(transaction.source_amount, transaction.source_currency) },
        { term: transfers.fee, value: formatExact(transaction.fee, transaction.fee_currency) },
        { term: prices.total, value: formatExact(totalOf(transaction), transaction.source_currency), sum: true },
        source !== null && source !== 'wallet' && { term: transfers.paidWith, value: transfers.sources[source] },
        transaction.description !== '' && { term: transfers.description, value: transaction.description },
        {
          term: transaction.status === 'COMPLETED' ? transfers.sentAt : transfers.orderedAt,
          value: formatDateTime(transaction.timestamp),
        },
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
