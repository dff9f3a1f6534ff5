import type { Reply } from '@tern/contract/protocol/endpoint'
import type { exchangeMoney } from '@tern/contract/exchange'
import { isFiatCode } from '@tern/money/currency'
import { createSingleFlight, isKept, requestHash } from '../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../platform/refuse.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { usageOf } from '../limits/limits.ts'
import type { Mover, TransactionRow } from '../wallets/move.ts'
import { holdsCurrency, type Wallet, type Wallets } from '../wallets/wallets.ts'
import type { Exchange } from './exchange.ts'
import type { Price } from './price.ts'

export type ExchangeMoney = (
  caller: Caller,
  quoteId: string,
  idempotencyKey: string,
) => Promise<Reply<typeof exchangeMoney>>

interface Options {
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
}

interface Prepared {
  readonly wallet: Wallet
  readonly price: Price
}

/** What the owner sees of an exchange. */
const rowOf = ({ userId }: Caller, { wallet, price }: Prepared, quoteId: string): TransactionRow => ({
  userId,
  kind: 'EXCHANGE',
  status: 'COMPLETED',
  senderId: userId,
  recipientId: userId,
  walletId: wallet.id,
  fromWalletId: wallet.id,
  toWalletId: wallet.id,
  description: { code: 'exchange', params: { from: price.source.currency, to: price.target.currency } },
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
export function createExchangeMoney({ mover, wallets, exchange, now }: Options): ExchangeMoney {
  const singleFlight = createSingleFlight()

  async function prepare(caller: Caller, quoteId: string): Promise<Prepared> {
    if (!caller.verified) refuse('verification_required')
    const wallet = (await wallets.walletOf(caller.userId)) ?? refuse('not_found')
    const { price, recipientId } = await exchange.accept(caller.userId, quoteId)
    if (recipientId !== undefined || price.source.currency === price.target.currency) refuse('quote_mismatch')
    for (const { currency } of [price.source, price.target]) {
      if (!holdsCurrency(wallet, currency)) refuseField('currency_not_held', 'quote_id')
    }
    return { wallet, price }
  }

  async function run(caller: Caller, quoteId: string, postingId: string) {
    const hash = requestHash({ quoteId })
    const replay = async () => {
      const transaction = await wallets.replayOf(caller.userId, postingId, hash)
      return transaction && { transaction_id: transaction.id, transaction }
    }
    let prepared: Prepared
    try {
      prepared = await prepare(caller, quoteId)
    } catch (error) {
      if (isKept(error)) {
        await wallets.keepRefusal({ id: postingId, requestHash: hash, kind: 'exchange', at: now() }, error)
      }
      // A retry may come when its quote has long expired: what is done stays done.
      const earlier = error instanceof Refusal ? await replay() : undefined
      if (earlier) return earlier
      throw error
    }
    const { wallet, price } = prepared
    const at = now()
    const id = newId(at)
    const row = rowOf(caller, prepared, quoteId)
    const outcome = await mover.move({
      movement: {
        id: postingId,
        requestHash: hash,
        kind: 'exchange',
        reference: id,
        once: quoteId,
        keepsRefusal: true,
        at,
        legs: await exchange.legs(price, wallet, wallet),
      },
      rows: [row],
      // Back from cryptocurrency nothing leaves.
      ...(isFiatCode(price.target.currency) ? {} : { usage: usageOf(caller.userId, 'exchange', price.usdMinor, at) }),
    })
    if (acceptOutcome(outcome) === 'replayed') return (await replay()) ?? refuse('not_found')
    return { transaction_id: id, transaction: wallets.viewOfRow(row, id, at) }
  }

  return (caller, quoteId, idempotencyKey) => {
    const postingId = derivedId('exchange', caller.userId, idempotencyKey)
    return singleFlight(postingId, () => run(caller, quoteId, postingId))
  }
}
