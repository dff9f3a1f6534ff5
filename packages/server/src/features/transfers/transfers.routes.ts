import type { Reply } from '@tern/contract/endpoint'
import { sendMoney, type TransferRequest } from '@tern/contract/transfers'
import type { FastifyInstance } from 'fastify'
import { type Caller, serve } from '../../serve.ts'
import type { SendMoney } from './transfers.ts'

/** How a transfer stands that money from a card or a bank account was taken for. */
type TransferOfPayment = (caller: Caller, request: TransferRequest) => Promise<Reply<typeof sendMoney>>

/** `POST /payment/transfer`: from the wallet it moves; with another source it tells what became of the payment. */
export function transfersRoutes(app: FastifyInstance, send: SendMoney, transferOf: TransferOfPayment): void {
  serve(app, sendMoney, ({ caller, body, idempotencyKey, proof }) => {
    const isFromWallet = (body.payment_source ?? 'wallet') === 'wallet'
    return isFromWallet ? send(caller, body, idempotencyKey, proof) : transferOf(caller, body)
  })
}
