import type { Reply } from '@tern/contract/protocol/endpoint'
import type { sendMoney, TransferRequest } from '@tern/contract/transfers'
import { refuseField } from '../../platform/refuse.ts'
import { type Caller, requireCaller } from '../../platform/http/serve.ts'
import { hashOfSend, type Sends } from './sends/sends.ts'
import type { WalletTransfers } from './wallet-transfers.ts'

/**
 * Sends money from the caller's wallet: with a quote at exactly its price, without one at the price of this moment. The
 * same key with the same request moves once and answers the same. Refuses what the contract's `sendMoney` lists.
 */
export type SendMoney = (
  caller: Caller,
  request: TransferRequest,
  idempotencyKey: string,
  confirmation?: string,
) => Promise<Reply<typeof sendMoney>>

export function createSendMoney({
  sends,
  walletTransfers,
}: {
  readonly sends: Sends
  readonly walletTransfers: WalletTransfers
}): SendMoney {
  return async (caller, request, idempotencyKey, confirmation) => {
    requireCaller(caller, request.sender_id, 'sender_id')
    const keyed = { userId: caller.userId, idempotencyKey, hash: hashOfSend(request), kind: 'transfer' } as const
    const transaction = await walletTransfers.run(keyed, async () => {
      const send = await sends.prepare(caller, request)
      if (send.isPaidFromOutside) refuseField('quote_used', 'quote_id')
      const { sender, recipient, price, quoteId, description } = send
      return {
        candidate: sends.candidateOf('wallet_send', send),
        from: sender.wallet,
        to: recipient.wallet,
        price,
        quoteId,
        description,
        rows: sends.rowsOf(send, { source: 'wallet' }),
        counterparty: recipient,
        stepUp: sends.stepUpFor(caller, send, { source: 'wallet', idempotencyKey, confirmation }),
      }
    })
    return { transaction_id: transaction.id, status: transaction.status, transaction }
  }
}
