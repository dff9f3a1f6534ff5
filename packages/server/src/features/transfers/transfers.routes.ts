import type { Reply } from '@tern/contract/protocol/endpoint'
import { sendMoney, type TransferRequest } from '@tern/contract/transfers'
import type { FastifyInstance } from 'fastify'
import { type Caller, serve } from '../../platform/http/serve.ts'
import type { LookUp } from '../wallets/wallets.ts'
import type { SendMoney } from './transfers.ts'

/** How a transfer stands that money from a card or a bank account was taken for. */
type TransferOfPayment = (caller: Caller, request: TransferRequest) => Promise<Reply<typeof sendMoney>>

/** `POST /payment/transfer`: from the wallet it moves; with another source it tells what became of the payment. */
export function transfersRoutes(
  app: FastifyInstance,
  { send, transferOf, lookUp }: { send: SendMoney; transferOf: TransferOfPayment; lookUp: LookUp },
): void {
  serve(app, sendMoney, ({ caller, body, idempotencyKey, confirmation, request }) => {
    const isFromWallet = (body.payment_source ?? 'wallet') === 'wallet'
    if (!isFromWallet) return transferOf(caller, body)
    return lookUp(request, BigInt(body.recipient_id), () => send(caller, body, idempotencyKey, confirmation))
  })
}
