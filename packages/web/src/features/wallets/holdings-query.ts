import { queryOptions } from '@tanstack/react-query'
import { walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import { callApi } from '../../app/session/session.ts'

const refreshMs = 60_000

/** What everything is worth, asked for again after each movement (its key begins like those of live.ts) and every minute. */
export const holdingsQuery = (wallet: Wallet | undefined) =>
  queryOptions({
    queryKey: ['holdings', wallet?.user_id ?? 0, wallet?.id],
    queryFn: ({ signal }) => callApi(walletHoldings, { params: { id: wallet?.id ?? '' } }, signal),
    refetchInterval: refreshMs,
  })
