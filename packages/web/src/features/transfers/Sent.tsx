import type { Transaction } from '@tern/contract/transactions'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { useEffect, useRef } from 'react'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { pathIfPresent } from '../../paths.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button, IconButton, LinkButton } from '../../ui/Button.tsx'
import { Chip } from '../../ui/Chip.tsx'
import { ConversionFlow } from '../../ui/ConversionFlow.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { exactPlaces, formatExact } from '../../ui/exact-amount.ts'
import { formatDateTime, formatMoney } from '../../ui/format.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { useToast } from '../../ui/Toast.tsx'
import { conversionFlow } from './conversion-legs.ts'
import { shortNameOf } from './send-form.ts'

/** The receipt of a transfer that the server has confirmed; everything on it is the server's own word. */
export function Sent({ transaction, onAnother }: { transaction: Transaction; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }, [])
  const dashboardPath = pathIfPresent('dashboard')
  const person = transaction.counterparty
  const isDone = transaction.status === 'COMPLETED'
  const name = person ? shortNameOf(person) : ''
  const { target_amount: amount, target_currency: currency } = transaction
  return (
    <>
      <h1 className="display-m outline-none" tabIndex={-1} ref={heading}>
        {isDone ? transfers.successTitle : transfers.pendingTitle}
      </h1>
      <div className="mt-8 max-w-140">
        <Sheet scaleBar className="[--flight-ground-color:var(--sheet)]">
          <div className="p-6 md:p-8">
            <div className="row">
              <Avatar name={person?.name ?? person?.username} icon="send" />
              <p className="muted">{isDone ? transfers.got(name) : transfers.willGet(name)}</p>
              {!isDone && <Chip status={transaction.status} />}
            </div>
            <p className="balance balance-small mt-3">
              {formatMoney(amount, currency, { places: Math.min(exactPlaces(amount, currency), 8) })}
            </p>
            <div className="mt-6">
              <ConversionFlow {...conversionFlow(transaction)} draws />
            </div>
            <div className="mt-6 border-t pt-2">
              <Particulars transaction={transaction} />
            </div>
          </div>
        </Sheet>
        <div className="form-actions mt-6 flex-wrap">
          {dashboardPath && (
            <LinkButton look="primary" big to={dashboardPath}>
              {transfers.dashboard}
            </LinkButton>
          )}
          <Button big onClick={onAnother}>
            {transfers.another}
          </Button>
        </div>
      </div>
    </>
  )
}

/** What left the wallet in all: the fee is in the source currency, on top of the amount. */
const totalOf = ({ source_currency: currency, source_amount, fee }: Transaction): string =>
  toDecimal(add(parseDecimal(currency, source_amount), parseDecimal(currency, fee)))

function Particulars({ transaction }: { transaction: Transaction }) {
  const { counterparty: person } = transaction
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
        transaction.description !== '' && { term: transfers.description, value: transaction.description },
        { term: transfers.sentAt, value: formatDateTime(transaction.timestamp) },
        { term: transfers.transactionId, value: <TransactionId id={transaction.transaction_id} /> },
      ]}
    />
  )
}

function TransactionId({ id }: { id: string }) {
  const toast = useToast()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id)
      toast(transfers.copied)
    } catch {
      toast(transfers.copyFailed, 'warning')
    }
  }
  return (
    <span className="-my-3 inline-flex items-center">
      <span className="wrap-anywhere">{id}</span>
      <IconButton icon="copy" label={transfers.copyId} onClick={() => void copy()} />
    </span>
  )
}
