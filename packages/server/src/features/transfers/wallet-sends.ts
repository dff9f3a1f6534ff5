import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import type { sendMoney as sendMoneyEndpoint, TransferRequest } from '@tern/contract/transfers'
import type pg from 'pg'
import { type Caller, requireCaller } from '../../platform/http/serve.ts'
import { refuseField } from '../../platform/refuse.ts'
import type { TransfersContext } from './context.ts'
import {
  absentStepUp,
  hashSend,
  prepareSend,
  type Send,
  buildSendCandidate,
  type Sender,
  sendRows,
  sendStepUp,
} from './sends/sends.ts'
import {
  type OrderKey,
  type KeyedOrder,
  keyRequest,
  type AttemptResult,
  makeOrder,
  runOrderOnce,
  readResult,
  type WalletOrder,
} from './wallet-transfers.ts'

interface SendOrder {
  readonly request: TransferRequest
  readonly idempotencyKey: string
}

interface UserSend extends SendOrder {
  readonly caller: Caller
  readonly confirmation: string | undefined
}

/**
 * Sends money from the caller's wallet, at the price of the named quote or else the current one. A repeated request
 * with the same key moves nothing and returns the first answer. Refusals: see `sendMoney` in the contract.
 */
export async function sendMoney(
  ctx: TransfersContext,
  pool: pg.Pool,
  input: UserSend,
): Promise<Reply<typeof sendMoneyEndpoint>> {
  const { caller, request } = input
  requireCaller(caller, request.sender_id, 'sender_id')
  const orderKey = keySend(caller, input)
  const transaction = await runOrderOnce(ctx, orderKey, () =>
    readResult(ctx, pool, { orderKey, pendingResult: makeSend(ctx, pool, { ...input, orderKey }) }),
  )
  return { transaction_id: transaction.id, status: transaction.status, transaction }
}

async function makeSend(
  ctx: TransfersContext,
  pool: pg.Pool,
  { orderKey, caller, request, idempotencyKey, confirmation }: UserSend & { readonly orderKey: OrderKey },
): Promise<AttemptResult> {
  const send = await prepareFromWallet(ctx, pool, caller, request)
  const stepUp = sendStepUp(caller, send, { source: 'wallet', idempotencyKey, confirmation })
  return makeOrder(ctx, pool, { orderKey, order: { ...buildOrder(send), stepUp } })
}

/** Send that its sender ordered earlier, such as a date of a schedule. */
export interface ScheduledSend extends SendOrder {
  readonly sender: Sender
  /** The sender confirmed this recipient, and at least this amount, with the order. */
  readonly isConfirmed: boolean
}

/**
 * Sends money for an absent sender. Refuses like `sendMoney`, and `step_up_required` if it needs a confirmation and has
 * none.
 */
export function sendScheduled(ctx: TransfersContext, pool: pg.Pool, input: ScheduledSend): Promise<Transaction> {
  const orderKey = keySend(input.sender, input)
  return runOrderOnce(ctx, orderKey, () =>
    readResult(ctx, pool, { orderKey, pendingResult: makeScheduled(ctx, pool, input) }),
  )
}

async function makeScheduled(ctx: TransfersContext, pool: pg.Pool, input: ScheduledSend): Promise<AttemptResult> {
  return makeOrder(ctx, pool, await prepareScheduled(ctx, pool, input))
}

/** Prepares the order of a scheduled send. Refuses as `sendMoney` does before authorization. */
export async function prepareScheduled(
  ctx: TransfersContext,
  pool: pg.Pool,
  input: ScheduledSend,
): Promise<KeyedOrder> {
  const { sender, request, idempotencyKey, isConfirmed } = input
  const send = await prepareFromWallet(ctx, pool, sender, request)
  const stepUp = isConfirmed ? undefined : absentStepUp(send, idempotencyKey)
  return { orderKey: keySend(sender, input), order: { ...buildOrder(send), stepUp } }
}

export const keySend = ({ userId }: Sender, { request, idempotencyKey }: SendOrder): OrderKey =>
  keyRequest({ kind: 'transfer', userId, idempotencyKey, hash: hashSend(request) })

/** Prepares a send. Refuses `quote_used` if a card or bank payment has begun to use the quote. */
async function prepareFromWallet(
  ctx: TransfersContext,
  pool: pg.Pool,
  sender: Sender,
  request: TransferRequest,
): Promise<Send> {
  const send = await prepareSend(ctx, pool, { sender, request })
  return send.isPaidFromOutside ? refuseField('quote_used', 'quote_id') : send
}

export const buildOrder = (send: Send): WalletOrder => ({
  candidate: buildSendCandidate('wallet_send', send),
  from: send.sender.wallet,
  to: send.recipient.wallet,
  price: send.price,
  quoteId: send.quoteId,
  isOwnQuote: send.namesQuote !== true,
  description: send.description,
  rows: sendRows(send, { source: 'wallet' }),
  counterparty: send.recipient,
})
