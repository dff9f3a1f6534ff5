import { transactionsOfUser } from '@tern/contract/transactions'
import { balanceHistory, walletByUser, walletOfUser, walletTotals } from '@tern/contract/wallets'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { refuse } from '../../platform/refuse.ts'
import { requireOwn, serve } from '../../platform/http/serve.ts'
import { readHistory } from './history/history.ts'
import { readTotals } from './history/totals.ts'
import { listTransactions } from './list/transaction-list.ts'
import type { Wallets } from './wallets.ts'

const dayMs = 24 * 60 * 60_000
const daysBack = (days: string): number => Number(days) // not money: a count of days

const monthStart = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))

/** Routes `/wallet/…` and `/transaction/…`, which show only the caller's own rows. */
export function walletsRoutes(
  app: FastifyInstance,
  { wallets, pool, now }: { wallets: Wallets; pool: pg.Pool; now: () => Date },
): void {
  const ownWallet = async (callerId: bigint) => (await wallets.walletOf(callerId)) ?? refuse('not_found')

  serve(app, walletOfUser, async ({ params, caller }) => {
    return wallets.viewOf(await ownWallet(requireOwn(caller, params.userId)))
  })

  serve(app, walletByUser, async ({ params, caller, request }) => {
    const userId = BigInt(params.userId)
    if (caller.userId === userId) return wallets.viewOf(await ownWallet(caller.userId))
    await app.limitLookups(request)
    const other = (await wallets.partyOf(userId)) ?? refuse('not_found')
    return { name: other.name ?? other.username, user_id: params.userId, base_currency: other.wallet.baseCurrency }
  })

  serve(app, balanceHistory, async ({ params, query, caller }) => {
    const wallet = await ownWallet(caller.userId)
    if (wallet.id !== params.id) refuse('not_found')
    return readHistory(pool, wallet, daysBack(query.days ?? '30'), now())
  })

  serve(app, walletTotals, async ({ params, query, caller }) => {
    const wallet = await ownWallet(caller.userId)
    if (wallet.id !== params.id) refuse('not_found')
    return readTotals(pool, wallet, query.since ?? monthStart(now()), now())
  })

  serve(app, transactionsOfUser, async ({ params, query, caller }) => {
    return listTransactions(pool, requireOwn(caller, params.userId), {
      limit: query.limit ?? 50,
      offset: query.offset ?? 0,
      search: query.search,
      type: query.type,
      status: query.status,
      since: query.days === undefined ? undefined : new Date(now().getTime() - daysBack(query.days) * dayMs),
      currency: query.currency,
      sort: query.sort ?? 'date',
      order: query.order ?? 'desc',
      cursor: query.cursor,
      at: query.at,
    })
  })
}
