import { walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import { buildQuery } from '../../app/session/query.ts'

const refreshMs = 60_000

/** Value of all holdings, refetched every minute and, because live.ts lists its topic, after each movement. */
export const holdingsQuery = (wallet: Wallet | undefined) => ({
  ...buildQuery(['holdings', wallet?.user_id], walletHoldings, { params: { id: wallet?.id ?? '' } }),
  refetchInterval: refreshMs,
})
