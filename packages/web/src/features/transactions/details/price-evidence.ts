import { type PriceEvidence, type Transaction, transactionReceipt } from '@tern/contract/transactions'
import { receipt as texts } from '#messages/receipt/words.ts'
import { callApi } from '../../../app/session/session.ts'
import { formatDate } from '../../../ui/format/format.ts'

/** Whether somebody paid a price for it that can be checked: not whoever receives. */
const isPriced = ({ transaction_type: type, source_currency: source, target_currency: target }: Transaction): boolean =>
  type === 'SEND' || ((type === 'EXCHANGE' || type === 'DEPOSIT') && source !== target)

/** Where the price of a transaction comes from; null where nobody promised one. */
export const priceQuery = (transaction: Transaction) => ({
  queryKey: ['transactions', 'price', transaction.id, transaction.status],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<PriceEvidence | null> =>
    (await callApi(transactionReceipt, { params: { id: transaction.id } }, signal)).price,
  enabled: isPriced(transaction),
  staleTime: Infinity,
})

const signed = (percent: string): string => (percent.startsWith('-') ? `− ${percent.slice(1)}%` : `+ ${percent}%`)

/** What is said of it among the details. */
export function priceEntries(transaction: Transaction, price: PriceEvidence | null | undefined) {
  if (!price || transaction.source_currency === transaction.target_currency) return []
  const { reference_as_of: fixedAt, spread_to_reference_percent: spread, rate_source: source, rate_as_of: asOf } = price
  const names: Readonly<Partial<Record<string, string>>> = texts.rateSources
  const sources = source.split('+').map((name) => names[name] ?? name)
  return [
    { term: texts.rateSource, value: `${sources.join(', ')}, ${formatDate(asOf)}` },
    {
      term: texts.spread,
      value:
        fixedAt !== null && spread !== null
          ? texts.againstFix({ date: formatDate(fixedAt), spread: signed(spread) })
          : texts.againstMidMarket({ spread: signed(price.spread_percent) }),
    },
    { term: texts.totalCost, value: `${price.total_cost_percent}%` },
  ]
}
