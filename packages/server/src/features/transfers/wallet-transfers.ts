import type { Transaction } from '@tern/contract/transactions'
import { createSingleFlight, isKept, keepRefusal } from '../../platform/http/idempotency.ts'
import { derivedId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import {
  type Keyed,
  type Made,
  makeByFacts,
  makeByRoom,
  type Numbered,
  type WalletOrder,
  type WalletTransferOptions,
} from './wallet-movements.ts'
import { findReplay, readRowView } from '../wallets/wallets.ts'

export type { Purpose } from './wallet-movements.ts'

/** Sends and exchanges that a wallet pays: each key moves or holds money once. */
export function createWalletTransfers(options: WalletTransferOptions) {
  const { pool, exchange, now, decide } = options
  const singleFlight = createSingleFlight()

  async function run(keyed: Numbered, prepare: () => Promise<WalletOrder>): Promise<Transaction> {
    const { userId, id, hash, kind } = keyed
    const replay = () => findReplay(pool, { userId, postingId: id, hash })
    let order: WalletOrder
    let made: Made
    let ownQuote: string | undefined
    // Only where it is certain that nothing moves at it.
    const letGo = async () => {
      if (ownQuote !== undefined) await exchange.letGo(ownQuote)
    }
    try {
      const prepared = await prepare()
      order = prepared
      if (prepared.isOwnQuote) ownQuote = prepared.quoteId
      const { sessionId } = prepared.stepUp?.candidate ?? {}
      made =
        (await makeByRoom(options, prepared, keyed)) ??
        (await decide.authorize({ ...prepared.candidate, movementId: id, sessionId }, undefined, (decided, facts) =>
          makeByFacts(options, prepared, keyed, { decided, facts }),
        ))
    } catch (error) {
      if (error instanceof Refusal) await letGo()
      if (isKept(error)) await keepRefusal(pool, { id, requestHash: hash, kind, at: now() }, error)
      // The quote of a repeated request may have expired, or its price moved: what is done stays done.
      const earlier = error instanceof Refusal ? await replay() : undefined
      if (earlier) return earlier
      throw error
    }
    if (made.outcome.status !== 'posted') await letGo()
    if (acceptOutcome(made.outcome) === 'replayed') return (await replay()) ?? refuse('not_found')
    const { movement, rows } = made.request
    const { reference: transactionId, at } = movement
    const row = rows[0] ?? order.rows[0]
    const view = await readRowView(pool, { row, id: transactionId, at, counterparty: order.counterparty })
    return { ...view, hold_reason: made.holdReason }
  }

  return {
    /** The payer's transaction. Refuses what `prepare`, `decide` and the ledger refuse, as decided first. */
    run(keyed: Keyed, prepare: () => Promise<WalletOrder>): Promise<Transaction> {
      const id = derivedId(keyed.kind, keyed.userId, keyed.idempotencyKey)
      return singleFlight(id, () => run({ ...keyed, id }, prepare))
    },
  }
}

export type WalletTransfers = ReturnType<typeof createWalletTransfers>
