import type { StatementLine } from '@tern/contract/statements'
import type { CurrencyCode } from '@tern/money/currency'
import { shell } from '#messages/shell.ts'
import { isNegative } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { isMinor } from './line-text.ts'
import { formatSigned } from './StatementSheet.tsx'

/** Change of the balance with every digit. Money that only moves to or from the part on hold has no colour. */
export function LineAmount({ line, currency }: { line: StatementLine; currency: CurrencyCode }) {
  const isOut = isNegative(line.amount)
  const hasColor = !isMinor(line) || line.kind === 'fee'
  return (
    <span className={classNames('amount', hasColor && (isOut ? 'amount-out' : 'amount-in'))}>
      {hasColor && <span className="visually-hidden">{isOut ? shell.moneyOut : shell.moneyIn} </span>}
      <span translate="no">{formatSigned(line.amount, currency)}</span>
    </span>
  )
}
