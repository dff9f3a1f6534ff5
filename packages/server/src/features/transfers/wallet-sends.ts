import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import type { sendMoney, TransferRequest } from '@tern/contract/transfers'
import { refuseField } from '../../platform/refuse.ts'
import { type Caller, requireCaller } from '../../platform/http/serve.ts'
import { hashOfSend, type Send, type Sender, type Sends } from './sends/sends.ts'
import type { WalletStepUp } from './decision/decide.ts'
import type { Purpose, WalletTransfers } from './wallet-transfers.ts'

interface Parts {
  readonly sends: Sends
  readonly walletTransfers: WalletTransfers
}

interface Order {
  readonly request: TransferRequest
  readonly idempotencyKey: string
  readonly stepUpFor: (send: Send) => WalletStepUp | undefined
  readonly purpose?: Purpose
}

/** The one way in which a wallet pays for a send. */
const createOrder =
  ({ sends, walletTransfers }: Parts) =>
  (sender: Sender, { request, idempotencyKey, stepUpFor, purpose }: Order): Promise<Transaction> => {
    const keyed = { userId: sender.userId, idempotencyKey, hash: hashOfSend(request), kind: 'transfer' } as const
    return walletTransfers.run(keyed, async () => {
      const send = await sends.prepare(sender, request)
      if (send.isPaidFromOutside) refuseField('quote_used', 'quote_id')
      const { recipient, price, quoteId, description } = send
      return {
        candidate: sends.candidateOf('wallet_send', send),
        from: send.sender.wallet,
        to: recipient.wallet,
        price,
        quoteId,
        isOwnQuote: send.namesQuote !== true,
        description,
        rows: sends.rowsOf(send, { source: 'wallet' }),
        counterparty: recipient,
        stepUp: stepUpFor(send),
        ...(purpose ? { purpose } : {}),
      }
    })
  }

/**
 * Sends money from the caller's wallet: with a quote at exactly its price, without one at the present price. The same key
 * with the same request moves once and answers the same. Refuses what the contract's `sendMoney` lists.
 */
export function createSendMoney(parts: Parts) {
  const order = createOrder(parts)
  return async (
    caller: Caller,
    request: TransferRequest,
    idempotencyKey: string,
    confirmation?: string,
  ): Promise<Reply<typeof sendMoney>> => {
    requireCaller(caller, request.sender_id, 'sender_id')
    const confirmed = { idempotencyKey, confirmation }
    const stepUpFor = (send: Send) => parts.sends.walletStepUpFor(caller, send, confirmed)
    const transaction = await order(caller, { request, idempotencyKey, stepUpFor })
    return { transaction_id: transaction.id, status: transaction.status, transaction }
  }
}

/** A send that was ordered before. */
export interface ScheduledSend extends Omit<Order, 'stepUpFor'> {
  /** Its sender confirmed this recipient and as much when ordering it. */
  readonly isConfirmed: boolean
}

/**
 * The same send for somebody who is not there. Refuses what `sendMoney` refuses, and `step_up_required` when it would need
 * a confirmation and was not confirmed before.
 */
export function createSendScheduled(parts: Parts) {
  const order = createOrder(parts)
  return (sender: Sender, { isConfirmed, ...send }: ScheduledSend): Promise<Transaction> =>
    order(sender, {
      ...send,
      stepUpFor: (prepared) =>
        isConfirmed ? undefined : parts.sends.stepUpWithoutSender(prepared, send.idempotencyKey),
    })
}
