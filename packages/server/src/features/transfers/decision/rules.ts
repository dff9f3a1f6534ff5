import { whyStopped } from '../../risk/risk.ts'
import type { TransferRule } from './decide.ts'

/** Nothing leaves an account that is stopped; the recipient sees nothing of it. */
const stoppedAccount: TransferRule = async ({ senderId }, { pool }) => {
  const stopped = await whyStopped(pool, senderId)
  return stopped && { outcome: 'refuse', ...stopped }
}

/** Every rule that `decide` asks, in this order. The first that answers decides. */
export const transferRules: readonly TransferRule[] = [stoppedAccount]
