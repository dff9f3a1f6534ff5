import { type Money, money } from '@tern/money/money'
import { isIncoming, type OwnKind, type OwnLine, type ReportLine } from './port.ts'

interface BalanceChange extends Pick<OwnLine, 'id' | 'balance' | 'occurredAt'> {
  /** Line of the account holder's money that the change is about. */
  readonly line: ReportLine
  /** Change of our balance without fees; undefined for none. */
  readonly change: Money | undefined
}

/**
 * Returns our own movements by which a change of the balance differs from its line: the provider converted from or into
 * another currency that we keep there, or moved another amount.
 */
export function listDifferences({ id, balance, occurredAt, line, change }: BalanceChange): OwnLine[] {
  const { currency, minor } = line.amount
  const moved = isIncoming[line.kind] ? minor : -minor
  const differences: [suffix: string, kind: OwnKind, amount: Money | undefined][] =
    change?.currency === currency
      ? [['rest', 'adjustment', money(currency, change.minor - moved)]]
      : [
          ['converted', 'conversion', money(currency, -moved)],
          ['received', 'conversion', change],
        ]
  return differences.flatMap(([suffix, kind, amount]) =>
    amount && amount.minor !== 0n ? [{ id: `${id}:${suffix}`, kind, balance, amount, occurredAt }] : [],
  )
}
