import { isPositive, type Money, toDecimal } from '@tern/money/money'
import { withdrawals } from '#messages/withdrawals.ts'
import type { BarLines } from '../../../app/OrderForm.tsx'
import { formatDay } from '../../../ui/format/format-day.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

interface WithdrawalState {
  readonly amount: Money | undefined
  readonly total: Money | undefined
  readonly fee: Money | undefined
  readonly exceedsBalance: boolean
  /** Largest amount that can be withdrawn now. */
  readonly maximum: Money
  readonly hasAccount: boolean
  /** Day of arrival, once the account is known. */
  readonly expectedOn: string | undefined
}

const texts = withdrawals.bar
const formatAmount = (amount: Money) => formatExact(toDecimal(amount), amount.currency)

/** Action bar of a withdrawal: its effect, or the missing input. */
export function withdrawalBar(state: WithdrawalState): BarLines {
  const { amount, total, fee, exceedsBalance, maximum, hasAccount, expectedOn } = state
  const maximumText = texts.canWithdraw(formatAmount(maximum))
  if (exceedsBalance) return { title: texts.tooMuch, detail: maximumText }
  if (!amount) return isPositive(maximum) ? { title: texts.enterAmount, detail: maximumText } : { title: texts.nothing }
  const title = texts.youGet(formatAmount(amount))
  if (!hasAccount) return { title, detail: texts.linkFirst }
  if (total && fee && isPositive(fee)) return { title, detail: texts.totalToPay(formatAmount(total)) }
  return { title, detail: expectedOn === undefined ? texts.arrivesIn : texts.arrivesBy(formatDay(expectedOn)) }
}
