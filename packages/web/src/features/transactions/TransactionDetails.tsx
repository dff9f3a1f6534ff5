import type { Transaction } from '@tern/contract/transactions'
import { transaction as words } from '#messages/transaction.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { directionOf, personOf, titleOf } from '../../ui/activity.ts'
import { Balance } from '../../ui/Balance.tsx'
import { Button } from '../../ui/Button.tsx'
import { Chip } from '../../ui/Chip.tsx'
import { ConversionFlow } from '../../ui/ConversionFlow.tsx'
import { type Definition, DefinitionList } from '../../ui/DefinitionList.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatDateTime, formatWithCode, isZero } from '../../ui/format.ts'
import { formatRateLine } from '../../ui/rates.ts'
import { useToast } from '../../ui/Toast.tsx'
import { conversionOf, totalOf } from './conversion.ts'

function headingOf(transaction: Transaction): string {
  const kind = words.types[transaction.transaction_type] ?? words.otherType
  const person = personOf(transaction)
  if (person === undefined) return kind
  return directionOf(transaction) === 'in' ? texts.heading.from(kind, person) : texts.heading.to(kind, person)
}

/** Everything there is to say about one transaction, as pairs; the same are shown and copied. */
function entriesOf(transaction: Transaction): (Definition & { term: string; value: string })[] {
  const { source_currency: source, target_currency: target, rate, fee, fee_currency: feeCurrency } = transaction
  const total = totalOf(transaction)
  const paid = transaction.payment_source
  const rows: ((Definition & { term: string; value: string }) | false)[] = [
    rate !== null && source !== target && { term: texts.rate, value: formatRateLine(rate, source, target) },
    { term: texts.amount, value: formatWithCode(transaction.source_amount, source) },
    !isZero(fee) && { term: texts.fee, value: formatWithCode(fee, feeCurrency) },
    !isZero(fee) && total !== undefined && { term: texts.total, value: formatWithCode(total, source), sum: true },
    directionOf(transaction) === 'in' &&
      source !== target && {
        term: texts.received,
        value: formatWithCode(transaction.target_amount, target),
        sum: true,
      },
    paid !== null && paid !== 'wallet' && { term: texts.paidWith, value: words.paymentSources[paid] },
    { term: texts.description, value: transaction.description || texts.noDescription },
    { term: texts.id, value: transaction.id },
  ]
  return rows.filter((row) => row !== false)
}

/** The transaction as plain text, for a message to somebody. */
function textOf(transaction: Transaction): string {
  const lines = entriesOf(transaction).map(({ term, value }) => `${term}: ${value}`)
  return [headingOf(transaction), `${texts.date}: ${formatDateTime(transaction.timestamp)}`, ...lines].join('\n')
}

/** The details of one transaction above the list. */
export function TransactionDetails({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const toast = useToast()
  const conversion = conversionOf(transaction)
  async function copy(text: string, done: string) {
    try {
      await navigator.clipboard.writeText(text)
      toast(done)
    } catch {
      toast(texts.copyFailed, 'warning')
    }
  }
  return (
    <Dialog open scaleBar title={headingOf(transaction)} onClose={onClose}>
      <p className="mt-1 mb-3">
        <Balance
          size="medium"
          amount={transaction.amount}
          currency={transaction.currency}
          direction={directionOf(transaction)}
        />
      </p>
      <p className="row small muted flex-wrap">
        <Chip status={transaction.status} />
        <span aria-hidden="true">·</span>
        <time dateTime={transaction.timestamp}>{formatDateTime(transaction.timestamp)}</time>
        {personOf(transaction) === undefined && titleOf(transaction) !== transaction.description && (
          <>
            <span aria-hidden="true">·</span>
            {titleOf(transaction)}
          </>
        )}
      </p>
      {conversion && (
        <div className="my-6 max-md:my-4">
          <ConversionFlow {...conversion} />
        </div>
      )}
      <div className="hairline-top mt-5 mb-6 pt-3">
        <DefinitionList small entries={entriesOf(transaction)} />
      </div>
      <div className="row flex-wrap max-md:[&>*]:flex-1">
        <Button icon="copy" onClick={() => void copy(transaction.id, texts.idCopied)}>
          {texts.copyId}
        </Button>
        <Button icon="copy" onClick={() => void copy(textOf(transaction), texts.detailsCopied)}>
          {texts.copyDetails}
        </Button>
      </div>
    </Dialog>
  )
}
