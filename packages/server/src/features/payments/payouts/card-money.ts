import { type Money, money } from '@tern/money/money'
import { amountText } from '../../../platform/http/amount.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { RestrictedMoney } from '../../wallets/wallets.ts'
import { type CostTerms, maxWithCost } from './card-cost.ts'

const dayMs = 86_400_000

/** Time from which all restricted money may be withdrawn; undefined without any, or with an open dispute. */
export function findMaturityDate({ parts }: RestrictedMoney): Date | undefined {
  return parts.at(-1)?.until
}

/**
 * Refuses `money_not_mature` if a withdrawal of this total, cost included, takes restricted money. `balance`: before
 * the withdrawal, in minor units.
 */
export function requireMature(
  { currency, minor }: Money,
  balance: bigint,
  restrictedMoney: RestrictedMoney,
  terms: CostTerms,
): void {
  const matureMinor = balance - restrictedMoney.amount.minor
  if (minor <= matureMinor || restrictedMoney.amount.minor === 0n) return
  const available = amountText(maxWithCost(money(currency, matureMinor > 0n ? matureMinor : 0n), terms))
  const until = findMaturityDate(restrictedMoney)
  if (until === undefined) {
    return refuseField('money_not_mature', 'amount', { code: 'credit_not_mature', params: { available } })
  }
  const day = new Date(until.getTime() + dayMs - 1).toISOString().slice(0, 10)
  refuseField('money_not_mature', 'amount', { code: 'card_money_not_mature', params: { available, day } })
}
