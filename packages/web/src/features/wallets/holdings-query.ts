import { queryOptions } from '@tanstack/react-query'
import { walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import { callApi } from '../../app/session/session.ts'

const refreshMs = 60_000

/** Value of all holdings, refetched every minute and after each movement (its key starts like those of live.ts). */
export const holdingsQuery = (wallet: Wallet | undefined) =>
  queryOptions({
    queryKey: ['holdings', wallet?.user_id ?? 0, wallet?.id],
    queryFn: ({ signal }) => callApi(walletHoldings, { params: { id: wallet?.id ?? '' } }, signal),
    refetchInterval: refreshMs,
  })
