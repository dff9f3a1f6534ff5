import type pg from 'pg'
import {
  ownTransactions,
  type transactionQuery,
  transactionReceipt,
  transactionReceiptFile,
  transactionsOfUser,
} from '@tern/contract/transactions'
import {
  balanceHistory,
  ownWallets,
  transactionsOfWallet,
  updateWallet,
  walletByUser,
  walletOfUser,
  walletTotals,
} from '@tern/contract/wallets'
import type { FastifyInstance } from 'fastify'
import type * as z from 'zod/mini'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { Db } from '../../platform/database/db.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { refuse } from '../../platform/refuse.ts'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { requireOwn, serve, serveReading } from '../../platform/http/serve.ts'
import { readHistory } from './history/history.ts'
import { readTotals } from './history/totals.ts'
import { listTransactions, type TransactionFilter } from './list/transaction-list.ts'
import { receiptFile } from './receipt/receipt-file.ts'
import { readPaperSize, readWholeReceipt, type ReceiptContext } from './receipt/whole-receipt.ts'
import { haveTransacted, abbreviateName, requireVerifiedToLookUp } from '../identity/identity.ts'
import { findWallet, readOwnWallet, renameWallet, type Wallet, type Wallets } from './wallets.ts'

const filesPerMinute = 30
const dayMs = 24 * 60 * 60_000
const parseDayCount = (days: string): number => Number(days) // not money: a count of days

/** `Content-Disposition` header for a download with this file name. Older browsers read its ASCII form only. */
const attachment = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w. -]/g, '')}"; filename*=UTF-8''${encodeURIComponent(name)}`

const monthStart = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))

interface LogProofs {
  /** Returns the URL that proves a user's transaction; undefined while the transparency log does not contain it. */
  findReceiptProof(db: Db, own: { readonly userId: bigint; readonly id: string }): Promise<string | undefined>
}

interface RouteParts extends ReceiptContext {
  readonly pool: pg.Pool
  readonly wallets: Pick<Wallets, 'findParty'>
  readonly publicUrl: string
  readonly logProofs: LogProofs
}

type ListQuery = z.output<typeof transactionQuery>

const toFilter = (query: ListQuery, now: Date): TransactionFilter => ({
  limit: query.limit ?? 50,
  offset: query.offset ?? 0,
  search: query.search,
  reader: { locale: query.locale, timeZone: query.time_zone, now },
  type: query.type,
  status: query.status,
  since: query.days === undefined ? undefined : new Date(now.getTime() - parseDayCount(query.days) * dayMs),
  currency: query.currency,
  sort: query.sort ?? 'date',
  order: query.order ?? 'desc',
  cursor: query.cursor,
  at: query.at,
})

/** Routes `/wallet/…` and `/transaction/…`. Another user's wallet shows only a name and its base currency. */
export function walletsRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { wallets, pool, now, publicUrl } = parts
  const view = async (wallet: Wallet) => readOwnWallet(pool, { wallet, at: now() })
  const findOwnWallet = async (db: Db, callerId: bigint) => (await findWallet(db, callerId)) ?? refuse('not_found')

  serve(app, walletOfUser, async ({ params, caller }) => {
    return view(await findOwnWallet(pool, requireOwn(caller, params.userId)))
  })

  serve(app, walletByUser, async ({ params, caller, request }) => {
    const userId = BigInt(params.userId)
    if (caller.userId === userId) return view(await findOwnWallet(pool, caller.userId))
    requireVerifiedToLookUp(caller)
    await app.limitLookups(request)
    const party = await wallets.findParty(pool, userId)
    if (!party || party.isLeaving) return refuse('not_found')
    const isKnown = party.name !== null && (await haveTransacted(pool, { userId: caller.userId, otherId: userId }))
    return {
      name: (isKnown ? party.name : party.name && abbreviateName(party.name)) ?? party.username,
      base_currency: party.wallet.baseCurrency,
    }
  })

  /** The caller's wallet if the path names it; refuses `not_found` alike for other and unknown wallets. */
  async function requireOwnWallet(db: Db, callerId: bigint, walletId: string): Promise<Wallet> {
    const wallet = await findOwnWallet(db, callerId)
    return wallet.id === walletId.toLowerCase() ? wallet : refuse('not_found')
  }

  serve(app, ownWallets, async ({ caller }) => [await view(await findOwnWallet(pool, caller.userId))])

  serve(app, updateWallet, async ({ params, body, caller }) => {
    const wallet = await requireOwnWallet(pool, caller.userId, params.id)
    return view(await renameWallet(pool, { wallet, name: body.name }))
  })

  serveReading(app, balanceHistory, async ({ params, query, caller, db }) => {
    const wallet = await requireOwnWallet(db, caller.userId, params.id)
    return readHistory(db, { wallet, days: parseDayCount(query.days ?? '30'), to: now() })
  })

  serveReading(app, walletTotals, async ({ params, query, caller, db }) => {
    const wallet = await requireOwnWallet(db, caller.userId, params.id)
    return readTotals(db, { wallet, from: query.since ?? monthStart(now()), to: now() })
  })

  const listUserTransactions = (db: pg.Pool, userId: bigint, query: ListQuery) =>
    listTransactions({ primary: pool }, db, { userId, filter: toFilter(query, now()) })
  serveReading(app, transactionsOfUser, async ({ params, query, caller, db }) =>
    listUserTransactions(db, requireOwn(caller, params.userId), query),
  )
  serveReading(app, ownTransactions, ({ query, caller, db }) => listUserTransactions(db, caller.userId, query))

  serveReading(app, transactionReceipt, async ({ params, caller, db }) => {
    return (await readWholeReceipt(parts, db, { userId: caller.userId, id: params.id })) ?? refuse('not_found')
  })

  const limitFiles = limitPerUser(app, 'receipt-file', filesPerMinute)
  serveReading(
    app,
    transactionReceiptFile,
    async ({ params, caller, reply, db }) => {
      const receipt =
        (await readWholeReceipt(parts, db, { userId: caller.userId, id: params.id })) ?? refuse('not_found')
      const messages = currentRequestMessages()
      const name = messages.receipt.fileName({ reference: deriveReference(receipt.transaction.id) })
      void reply.header('content-disposition', attachment(name))
      const size = await readPaperSize(db, caller.userId)
      const logProof = await parts.logProofs.findReceiptProof(db, { userId: caller.userId, id: params.id })
      return receiptFile(caller.userId, { receipt, language: messages.language.code, publicUrl, size, logProof })
    },
    limitFiles,
  )

  // A user has one wallet, so its list is the user's.
  serveReading(app, transactionsOfWallet, async ({ params, query, caller, db }) => {
    const { userId } = await requireOwnWallet(db, caller.userId, params.id)
    return listUserTransactions(db, userId, query)
  })
}
