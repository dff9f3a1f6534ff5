import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { ExactAmount } from '@tern/transparency/exact-amount'
import type { ViewFacts } from '@tern/transparency/view-facts'
import { verifying as texts } from '#messages/site/verify.ts'
import { clockFormat, formatMoney } from '../../ui/format/format.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'

/** Exact decimal of an amount in minor units. */
function formatDecimal({ scale, minor }: ExactAmount): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  const sign = minor < 0n ? '-' : ''
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const formatChange = (amount: ExactAmount): string =>
  formatMoney(formatDecimal(amount), amount.currency, { places: amount.scale, sign: 'always' })
const formatAmount = (amount: ExactAmount): string =>
  formatMoney(formatDecimal(amount), amount.currency, { places: amount.scale })

const fromMicroseconds = (time: bigint): Date => new Date(Number(time / 1000n)) // not money: a time

/** Time to the second with its zone, as on the receipt. */
const formatExactTime = (time: bigint): string =>
  new Intl.DateTimeFormat(textLocale(), {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    ...clockFormat(),
    second: '2-digit',
    timeZoneName: 'short',
  }).format(fromMicroseconds(time))

/** Kind of a movement in words; kinds that this page does not know as the ledger names them. */
const nameKind = (kind: string): string => new Map(Object.entries(texts.kinds)).get(kind) ?? kind

/** Facts of a proof in the order of the receipt, to be compared with it. */
export function ReceiptFacts({ facts }: { facts: ViewFacts }) {
  const { rows } = texts
  const { fromName, toName, changes, fee, delivered, time, kind, reference, postingId } = facts
  return (
    <>
      <h3 className="text-small font-medium mt-6">{texts.facts}</h3>
      <p className="small muted mt-1">{texts.compare}</p>
      <div className="verify-facts">
        <DefinitionList
          small
          entries={[
            { term: rows.kind, value: nameKind(kind) },
            { term: rows.reference, value: <span translate="no">{deriveReference(reference)}</span> },
            { term: rows.time, value: formatExactTime(time) },
            { term: rows.from, value: fromName ? <bdi>{fromName}</bdi> : texts.notNamed },
            { term: rows.to, value: toName ? <bdi>{toName}</bdi> : texts.notNamed },
          ]}
        />
        <DefinitionList
          small
          entries={[
            ...changes.map((change) => ({ term: rows[change.part], value: formatChange(change) })),
            fee && { term: rows.fee, value: formatAmount(fee) },
            delivered && { term: rows.delivered, value: formatAmount(delivered), sum: true },
          ]}
        />
        {changes.length === 0 && <p className="small muted">{texts.noChanges}</p>}
        <DefinitionList
          small
          entries={[
            { term: rows.transaction, value: <code className="wrap-anywhere">{reference}</code> },
            { term: rows.posting, value: <code className="wrap-anywhere">{postingId}</code> },
          ]}
        />
      </div>
    </>
  )
}
