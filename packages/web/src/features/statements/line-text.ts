import type { StatementLine } from '@tern/contract/statements'
import type { CurrencyCode } from '@tern/money/currency'
import { statements as texts } from '#messages/statements/statements.ts'
import { paths } from '../../app/paths.ts'
import { isNegative } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatRateLine } from '../../ui/money/rates.ts'

/** Kind of a line, with the other person: "Sent to Lucas Moreau", "Fee". */
export function describeLine({ kind, counterparty }: StatementLine): string {
  const name = counterparty?.name ?? counterparty?.username
  if (name === undefined) return texts.lineKinds[kind]
  if (kind === 'sent') return texts.toPerson(name)
  if (kind === 'received') return texts.fromPerson(name)
  return kind === 'fee' || kind === 'fee_returned'
    ? texts.lineKinds[kind]
    : texts.withPerson(texts.lineKinds[kind], name)
}

/** Amount on the other side of a conversion with its rate; undefined within one currency. */
export function describeConversion(line: StatementLine, currency: CurrencyCode): string | undefined {
  const { original_amount: amount, original_currency: original, rate } = line
  if (amount === null || original === null) return undefined
  const text = formatExact(amount.replace(/^[-−]/, ''), original)
  if (rate === null) return text
  // The rate is given for one unit of the source currency.
  const isOut = isNegative(line.amount)
  return texts.converted(
    text,
    isOut ? formatRateLine(rate, currency, original) : formatRateLine(rate, original, currency),
  )
}

/** Details of the transaction, above the list of transactions. */
export const addressOf = ({ transaction_id: id }: StatementLine): string | undefined =>
  id === null ? undefined : `${paths.transactions}?details=${id}`

/** Fees and holds are set back: they accompany another line. */
export const isMinor = ({ kind }: StatementLine): boolean =>
  kind === 'fee' || kind === 'fee_returned' || kind === 'put_on_hold' || kind === 'released_from_hold'
