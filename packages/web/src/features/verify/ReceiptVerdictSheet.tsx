import type { ReceiptVerdict, ValidReceipt } from '@tern/transparency/verify-receipt'
import type { ExactAmount } from '@tern/transparency/exact-amount'
import { verifying as texts } from '#messages/site/verify.ts'
import { formatCount } from '../../ui/format/format-count.ts'
import { formatDateTime, formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'

type Invalid = Exclude<ReceiptVerdict, ValidReceipt>

/** Verdict on a proof, with the facts that a valid one states, or the reason why it is refused. */
export function ReceiptVerdictSheet({ verdict }: { verdict: ReceiptVerdict }) {
  if (verdict.state === 'valid') return <ValidSheet verdict={verdict} />
  const isUnknown = verdict.reason === 'unknown_log'
  return (
    <Sheet scaleBar className={isUnknown ? 'verify-unchecked' : 'verify-invalid'}>
      <div className="p-6">
        <FocusedHeading level="h2" className="display-m verify-title">
          {isUnknown ? texts.unchecked : texts.invalid} <Icon name={isUnknown ? 'info' : 'cross'} />
        </FocusedHeading>
        <p className="mt-2">{describeReason(verdict)}</p>
      </div>
    </Sheet>
  )
}

const describeReason = (verdict: Invalid): string =>
  verdict.reason === 'witness_signature'
    ? texts.reasons.witness_signature(verdict.witness)
    : texts.reasons[verdict.reason]

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

function ValidSheet({ verdict }: { verdict: ValidReceipt }) {
  const { facts, origin, index, size, witnesses } = verdict
  const { rows } = texts
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <FocusedHeading level="h2" className="display-m verify-title">
          {texts.valid} <Icon name="check" />
        </FocusedHeading>
        <p className="muted mt-2">{texts.validText}</p>
        <h3 className="text-small font-medium mt-6">{texts.facts}</h3>
        <DefinitionList
          small
          entries={[
            { term: rows.from, value: facts.fromName || texts.notNamed },
            { term: rows.to, value: facts.toName || texts.notNamed },
            ...facts.changes.map((change) => ({ term: rows[change.part], value: formatChange(change) })),
            facts.fee && { term: rows.fee, value: formatAmount(facts.fee) },
            facts.delivered && { term: rows.delivered, value: formatAmount(facts.delivered), sum: true },
            { term: rows.time, value: formatDateTime(fromMicroseconds(facts.time)) },
            { term: rows.kind, value: facts.kind },
            { term: rows.transaction, value: <code className="wrap-anywhere">{facts.reference}</code> },
            { term: rows.posting, value: <code className="wrap-anywhere">{facts.postingId}</code> },
          ]}
        />
        <h3 className="text-small font-medium mt-6">{texts.checks}</h3>
        <ul className="verify-checks mt-1">
          <Check>{texts.checked.signature(origin)}</Check>
          <Check>{texts.checked.inclusion(formatCount(index + 1), formatCount(size))}</Check>
          {witnesses.map(({ name, time }) => (
            <Check key={name}>{texts.checked.witness(name, formatDateTime(new Date(time * 1000)))}</Check>
          ))}
          {witnesses.length === 0 && (
            <li className="muted">
              <Icon name="info" /> <span>{texts.checked.noWitness}</span>
            </li>
          )}
        </ul>
      </div>
    </Sheet>
  )
}

const Check = ({ children }: { children: string }) => (
  <li>
    <Icon name="check" /> <span>{children}</span>
  </li>
)
