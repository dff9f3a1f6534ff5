import { type PriceEvidence, type Transaction, transactionReceipt } from '@tern/contract/transactions'
import { receipt as texts } from '#messages/receipt/words.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { formatDate } from '../../../ui/format/format.ts'

/** Receipt data of a transaction: sources, delivery, and price evidence. */
export const receiptQuery = (transaction: Transaction) => ({
  ...buildQuery(['receipt', transaction.status], transactionReceipt, { params: { id: transaction.id } }),
  staleTime: Infinity,
})

const formatSigned = (percent: string): string => (percent.startsWith('-') ? `− ${percent.slice(1)}%` : `+ ${percent}%`)

/** Rate source, distance from the reference rate, and total cost; empty within one currency. */
export function priceEntries(transaction: Transaction, price: PriceEvidence | null | undefined) {
  if (!price || transaction.source_currency === transaction.target_currency) return []
  const {
    reference_as_of: referenceAt,
    spread_to_reference_percent: spread,
    rate_source: source,
    rate_as_of: asOf,
  } = price
  const names: Readonly<Partial<Record<string, string>>> = texts.rateSources
  const sources = source.split('+').map((name) => names[name] ?? name)
  return [
    { term: texts.rateSource, value: `${sources.join(', ')}, ${formatDate(asOf)}` },
    {
      term: texts.spread,
      value:
        referenceAt !== null && spread !== null
          ? texts.againstFix({ date: formatDate(referenceAt), spread: formatSigned(spread) })
          : texts.againstMidMarket({ spread: formatSigned(price.spread_percent) }),
    },
    { term: texts.totalCost, value: `${price.total_cost_percent}%` },
  ]
}
