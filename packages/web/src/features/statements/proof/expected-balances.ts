import type { BalanceProofReply } from '@tern/contract/liabilities'
import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { toSums } from '@tern/transparency/liabilities/sums'
import { type BalanceVerdict, verifyBalanceText } from '@tern/transparency/liabilities/verify-balance'
import type { Policy } from '@tern/transparency/policy'

/** Verifies a proof with the person's own account number and the balances of their ledger, not with what it says. */
export function verifyOwnBalance(
  { balances, file }: Pick<BalanceProofReply, 'balances' | 'file'>,
  { userId, policy }: { readonly userId: number; readonly policy: Policy },
): BalanceVerdict {
  const amounts = balances.map(({ currency, amount }) => ({
    currency,
    scale: scaleOf(currency),
    minor: parseDecimal(currency, amount).minor,
  }))
  return verifyBalanceText(file ?? '', policy, { holder: String(userId), balances: toSums(amounts) })
}

/** Exact decimal of an amount in minor units of a known currency. */
export const formatMinor = (currency: CurrencyCode, minor: bigint): string => toDecimal(money(currency, minor))
