import { exchangeMoney } from '@tern/contract/exchange'
import type { Reply } from '@tern/contract/protocol/endpoint'
import {
  cancelTransfer,
  sendMoney,
  settleTransfer,
  transferStatus,
  type TransferRequest,
} from '@tern/contract/transfers'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { type Caller, serve } from '../../platform/http/serve.ts'
import type { LimitedLookup } from '../wallets/wallets.ts'
import type { HeldTransfers, Transfers } from './transfers.ts'

interface RouteParts {
  readonly transfers: Pick<Transfers, 'sendMoney' | 'exchangeMoney'>
  readonly heldTransfers: HeldTransfers
  /** Status of a transfer funded by a card or bank account. */
  readonly transferOf: (order: FundedTransfer) => Promise<Reply<typeof sendMoney>>
  readonly lookUp: LimitedLookup
}

interface FundedTransfer {
  readonly caller: Caller
  readonly request: TransferRequest
}

const decisionsPerMinute = 30

/** Endpoints that send and exchange money, read a transfer's status, and cancel or settle a held transfer. */
export function transfersRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { transfers, heldTransfers, transferOf, lookUp } = parts
  const limitDecisions = limitPerUser(app, 'transfer-decision', decisionsPerMinute)

  serve(app, sendMoney, ({ caller, body, idempotencyKey, confirmation, request }) => {
    const isFromWallet = (body.payment_source ?? 'wallet') === 'wallet'
    if (!isFromWallet) return transferOf({ caller, request: body })
    const send = () => transfers.sendMoney({ caller, request: body, idempotencyKey, confirmation })
    return lookUp(request, BigInt(body.recipient_id), send)
  })

  serve(app, exchangeMoney, ({ caller, body, idempotencyKey }) =>
    transfers.exchangeMoney({ caller, quoteId: body.quote_id, idempotencyKey }),
  )

  serve(app, transferStatus, ({ caller, params: { id } }) => heldTransfers.status({ userId: caller.userId, id }))

  serve(app, cancelTransfer, async ({ caller: { userId }, params: { id }, request }) => {
    await limitDecisions(request)
    await heldTransfers.cancel({ userId, id })
    return heldTransfers.status({ userId, id })
  })

  serve(app, settleTransfer, async ({ caller, params: { id }, confirmation, request }) => {
    await limitDecisions(request)
    await heldTransfers.settleNow({ caller, id, confirmation })
    return heldTransfers.status({ userId: caller.userId, id })
  })
}
