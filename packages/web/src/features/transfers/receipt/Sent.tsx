import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect } from 'react'
import { copying } from '#messages/copying.ts'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { transactionsQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { ReceiptFrame } from '../../../app/orders/Receipt.tsx'
import { IconButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { conversionFlow, totalOf } from '../../../ui/money/conversion.ts'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatBig, formatExact } from '../../../ui/money/exact-amount.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { formatDateTime } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
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
  useEffect(() => {
    scrollTo({ top: 0 })
  }, [])
  const { status, counterparty: person } = transaction
  const isDone = status === 'COMPLETED'
  const name = person ? shortNameOf(person) : ''
  const notPaid = transaction.payment_source === 'bank' ? transfers.sentAfterBank : transfers.sentAfterCard
  const notYet = status === 'FAILED' ? transfers.failedText : notPaid(name)
  return (
    <>
      <FocusedHeading level="h1" className="display-m">
        {titles[status]}
      </FocusedHeading>
      <ReceiptFrame
        above={
          !isDone && (
            <div className="mb-6">
              <Note live tone={status === 'FAILED' ? 'warning' : 'info'}>
                {notYet}
              </Note>
            </div>
          )
        }
        className="[--flight-ground-color:var(--sheet)]"
        to={paths.dashboard}
        toText={transfers.dashboard}
        texts={transfers}
        onAnother={onAnother}
      >
        <div className="p-6 md:p-8">
          <div className="row">
            <Avatar name={person?.name ?? person?.username} icon="send" />
            <p className="muted">{captions[status](name)}</p>
            {!isDone && <Chip status={status} />}
          </div>
          <p className="balance balance-small mt-3">
            {formatBig(transaction.target_amount, transaction.target_currency)}
          </p>
          <div className="mt-6">
            <ConversionFlow {...conversionFlow(transaction, transfers)} draws={isDone} />
          </div>
          <div className="mt-6 border-t pt-2">
            <Particulars transaction={transaction} />
          </div>
        </div>
      </ReceiptFrame>
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

function Particulars({ transaction }: { transaction: Transaction }) {
  const { counterparty: person, payment_source: source, source_currency: currency } = transaction
  const total = totalOf(transaction)
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
        total !== undefined && { term: prices.total, value: formatExact(total, currency), sum: true },
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
