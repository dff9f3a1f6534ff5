import type { Reply } from '@tern/contract/protocol/endpoint'
import type { exchangeMoney } from '@tern/contract/exchange'
import type pg from 'pg'
import { requestHash } from '../../platform/http/idempotency.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { Caller } from '../../platform/http/serve.ts'
import type { Exchange, Price } from '../exchange/exchange.ts'
import type { TransactionRow } from '../wallets/move.ts'
import { findWallet, holdsCurrency, type Wallet } from '../wallets/wallets.ts'
import type { Purpose, WalletTransfers } from './wallet-transfers.ts'

interface Options {
  readonly pool: pg.Pool
  readonly exchange: Exchange
  readonly walletTransfers: WalletTransfers
}

/** What the owner sees of an exchange. */
const rowOf = (
  userId: bigint,
  wallet: Wallet,
  { price, quoteId, code }: { price: Price; quoteId: string; code: 'exchange' | 'protection_rule' },
): TransactionRow => ({
  userId,
  kind: 'EXCHANGE',
  status: 'COMPLETED',
  senderId: userId,
  recipientId: userId,
  walletId: wallet.id,
  fromWalletId: wallet.id,
  toWalletId: wallet.id,
  description: { code, params: { from: price.source.currency, to: price.target.currency } },
  source: price.source,
  target: price.target,
  ...(price.crossing ? { stablecoinAmount: price.crossing.inflow.minor } : {}),
  rate: price.rate,
  fee: price.fee,
  paymentSource: 'wallet',
  quoteId,
})

/**
 * Exchanges between two balances of the caller's wallet at a quoted price. Refuses `verification_required`,
 * `insufficient_funds`, and whatever `Exchange.accept` refuses; `quote_mismatch` when the quote names a recipient.
 */
export function createExchangeMoney({ pool, exchange, walletTransfers }: Options) {
  async function prepare(
    { userId, verified }: Pick<Caller, 'userId' | 'verified'>,
    quoteId: string,
    purpose?: Purpose,
  ) {
    if (!verified) refuse('verification_required')
    const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
    const { price, recipientId } = await exchange.accept(userId, quoteId)
    const { source, target, usdMinor } = price
    if (recipientId !== undefined || source.currency === target.currency) refuse('quote_mismatch')
    for (const { currency } of [source, target]) {
      if (!holdsCurrency(wallet, currency)) refuseField('currency_not_held', 'quote_id')
    }
    const row = rowOf(userId, wallet, { price, quoteId, code: purpose ? 'protection_rule' : 'exchange' })
    const candidate = { kind: 'exchange', senderId: userId, source, target, usdMinor } as const
    return {
      candidate,
      from: wallet,
      to: wallet,
      price,
      quoteId,
      description: row.description,
      rows: [row] as const,
      ...(purpose && { purpose }),
    }
  }

  /** With a purpose, it is made for a rule of its owner. */
  return async (
    caller: Pick<Caller, 'userId' | 'verified'>,
    quoteId: string,
    idempotencyKey: string,
    purpose?: Purpose,
  ): Promise<Reply<typeof exchangeMoney>> => {
    const hash = requestHash({ quoteId })
    const keyed = { userId: caller.userId, idempotencyKey, hash, kind: 'exchange' } as const
    const transaction = await walletTransfers.run(keyed, () => prepare(caller, quoteId, purpose))
    return { transaction_id: transaction.id, transaction }
  }
}
