import { bridgeCurrency } from '@tern/money/currency'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { parseDecimal } from '@tern/money/money'
import type { Transaction } from '../transactions.ts'

type PricedTransaction = Pick<
  Transaction,
  'source_amount' | 'source_currency' | 'target_currency' | 'stablecoin_amount' | 'fee' | 'fee_currency'
>

/** Returns the list rates that apply between these currencies, the most likely first. */
function listRates({
  source_currency: source,
  target_currency: target,
  stablecoin_amount: bridgeAmount,
}: PricedTransaction): bigint[] {
  const { same_currency: sameCurrencyFee, stablecoin_bridge: bridgeFee, direct_conversion: directFee } = feeBasisPoints
  if (source === target) return [sameCurrencyFee]
  const usesBridge = bridgeAmount !== null || source === bridgeCurrency || target === bridgeCurrency
  return usesBridge ? [bridgeFee, directFee] : [directFee, bridgeFee]
}

/**
 * Returns the list rate that yields exactly this fee, in basis points. Undefined without a fee, and for a fee of no
 * list rate, such as the minimum fee.
 */
export function findFeeRate(transaction: PricedTransaction): bigint | undefined {
  const { source_amount: amount, source_currency: currency, fee, fee_currency: feeCurrency } = transaction
  if (feeCurrency !== currency) return undefined
  const chargedMinor = parseDecimal(currency, fee).minor
  if (chargedMinor === 0n) return undefined
  const total = parseDecimal(currency, amount)
  return listRates(transaction).find((rate) => computeFee(total, rate).minor === chargedMinor)
}
