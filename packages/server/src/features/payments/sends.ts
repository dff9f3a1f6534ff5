import type { createPayment, createPaymentRequest, directPayment, directPaymentRequest } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/endpoint'
import type { sendMoney, TransferRequest } from '@tern/contract/transfers'
import type * as z from 'zod/mini'
import { refuse, refuseField } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { Funding } from './funding.ts'
import type { Ground } from './ground.ts'

export interface Sends {
  /** Begins a send that a card, a bank account, or the wallet and a card pay. Refuses what the contract lists. */
  directPayment(
    caller: Caller,
    request: z.output<typeof directPaymentRequest>,
    idempotencyKey: string,
    proof: string | undefined,
  ): Promise<Reply<typeof directPayment>>
  /** Begins a deposit or a send, by its purpose. Refuses what the contract lists. */
  createPayment(
    caller: Caller,
    request: z.output<typeof createPaymentRequest>,
    idempotencyKey: string,
    proof: string | undefined,
  ): Promise<Reply<typeof createPayment>>
  /**
   * How the transfer stands that an outside payment of this caller, to this recipient, of this amount was begun for: the
   * one named by `payment_id`, else the newest that fits. Moves nothing by itself. Refuses `payment_not_found`,
   * `payment_failed`, and what is wrong with the request.
   */
  transferOf(caller: Caller, request: TransferRequest): Promise<Reply<typeof sendMoney>>
}

export function createSends(_ground: Ground, _funding: Funding): Sends {
  const later = () => Promise.reject(new Error('being built'))
  return {
    directPayment: later,
    createPayment: later,
    transferOf: async (caller, request) => {
      if (request.sender_id !== undefined && BigInt(request.sender_id) !== caller.userId) {
        refuseField('not_your_account', 'sender_id')
      }
      return refuse('payment_not_found')
    },
  }
}
