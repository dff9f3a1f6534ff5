import type { Reply } from '@tern/contract/protocol/endpoint'
import type { exchangeMoney as exchangeMoneyEndpoint } from '@tern/contract/exchange'
import type pg from 'pg'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { Price } from '../exchange/exchange.ts'
import type { NewTransaction } from '../wallets/move.ts'
import { findWallet, holdsCurrency, type Wallet } from '../wallets/wallets.ts'
import type { TransfersContext } from './context.ts'
import {
  type OrderKey,
  type KeyedOrder,
  keyRequest,
  type AttemptResult,
  makeOrder,
  runOrderOnce,
  readResult,
} from './wallet-transfers.ts'

interface ExchangeOrder {
  readonly caller: Pick<Caller, 'userId' | 'verified'>
  readonly quoteId: string
  readonly idempotencyKey: string
  /** True if a protection rule of the owner places the order. */
  readonly isByRule?: boolean
}

/**
 * Exchanges between two balances of the caller's wallet at a quoted price. Refuses `verification_required`,
 * `currency_not_held`, `insufficient_funds`, `quote_mismatch` if the quote names a recipient or has only one currency,
 * and like `Exchange.accept`.
 */
export async function exchangeMoney(
  ctx: TransfersContext,
  pool: pg.Pool,
  order: ExchangeOrder,
): Promise<Reply<typeof exchangeMoneyEndpoint>> {
  const orderKey = keyExchange(order)
  const transaction = await runOrderOnce(ctx, orderKey, () =>
    readResult(ctx, pool, { orderKey, pendingResult: makeExchange(ctx, pool, order) }),
  )
  return { transaction_id: transaction.id, transaction }
}

async function makeExchange(ctx: TransfersContext, pool: pg.Pool, order: ExchangeOrder): Promise<AttemptResult> {
  return makeOrder(ctx, pool, await prepareExchange(ctx, pool, order))
}

export const keyExchange = ({ caller: { userId }, quoteId, idempotencyKey }: ExchangeOrder): OrderKey =>
  keyRequest({ kind: 'exchange', userId, idempotencyKey, hash: requestHash({ quoteId }) })

/** Prepares the order of an exchange. Refuses as `exchangeMoney` does before authorization. */
export async function prepareExchange(
  { exchange }: TransfersContext,
  pool: pg.Pool,
  exchangeOrder: ExchangeOrder,
): Promise<KeyedOrder> {
  const { caller, quoteId, isByRule = false } = exchangeOrder
  const { userId, verified } = caller
  if (!verified) refuse('verification_required')
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { price, recipientId } = await exchange.accept({ userId, quoteId })
  const { source, target, usdMinor } = price
  if (recipientId !== undefined || source.currency === target.currency) refuse('quote_mismatch')
  for (const { currency } of [source, target]) {
    if (!holdsCurrency(wallet, currency)) refuseField('currency_not_held', 'quote_id')
  }
  const row = buildRow(wallet, { price, quoteId, code: isByRule ? 'protection_rule' : 'exchange' })
  return {
    orderKey: keyExchange(exchangeOrder),
    order: {
      candidate: { kind: 'exchange', senderId: userId, source, target, usdMinor },
      from: wallet,
      to: wallet,
      price,
      quoteId,
      description: row.description,
      rows: [row],
    },
  }
}

const buildRow = (
  { id: walletId, userId }: Wallet,
  { price, quoteId, code }: { price: Price; quoteId: string; code: 'exchange' | 'protection_rule' },
): NewTransaction => ({
  userId,
  kind: 'EXCHANGE',
  status: 'COMPLETED',
  senderId: userId,
  recipientId: userId,
  walletId,
  fromWalletId: walletId,
  toWalletId: walletId,
  description: { code, params: { from: price.source.currency, to: price.target.currency } },
  source: price.source,
  target: price.target,
  ...(price.crossing ? { stablecoinAmount: price.crossing.inflow.minor } : {}),
  rate: price.rate,
  fee: price.fee,
  paymentSource: 'wallet',
  quoteId,
})
