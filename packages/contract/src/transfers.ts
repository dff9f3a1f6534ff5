import * as z from 'zod/mini'
import { checkShape } from './compliance/checks.ts'
import { priceRefusals, recipientRefusals } from './exchange.ts'
import { endpoint } from './protocol/endpoint.ts'
import { holdReason, releaseReason, transactionShape } from './transactions.ts'
import { amountInput, currency, moment, text, undoSeconds, userNumber, uuid } from './protocol/wire.ts'

export const transferRequest = z.object({
  /** Must be the caller; the session determines the sender. */
  sender_id: z.optional(userNumber),
  recipient_id: userNumber,
  amount: amountInput,
  source_currency: currency,
  target_currency: z.optional(currency),
  use_stablecoin: z.optional(z.boolean()),
  payment_source: z.optional(z.enum(['wallet', 'card', 'bank', 'wallet_partial'])),
  /** Accepted for older clients but ignored: only a captured payment replaces the wallet as the source. */
  skip_sender_deduction: z.optional(z.boolean()),
  transaction_type: z.optional(text(40)),
  description: z.optional(text(200)),
  quote_id: z.optional(uuid),
  /** Payment made for this transfer; absent if the wallet pays. */
  payment_id: z.optional(uuid),
  /**
   * Seconds during which the sender may cancel the transfer (`/transfers/:id/cancel`) or settle it early; none by
   * default.
   */
  undo_seconds: z.optional(undoSeconds),
})
export type TransferRequest = z.output<typeof transferRequest>

export const sendMoney = endpoint({
  method: 'POST',
  path: '/payment/transfer',
  summary:
    'Send money to another registered user, at a quoted or the current price. After a payment by card or bank: returns the status of the transfer that it pays.',
  access: 'session',
  body: transferRequest,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  reply: z.object({
    transaction_id: uuid,
    status: z.enum(['COMPLETED', 'PENDING', 'FAILED']),
    transaction: transactionShape,
  }),
  refusals: [
    'not_your_account',
    'verification_required',
    ...recipientRefusals,
    'payment_source_unavailable',
    'payment_not_found',
    'payment_failed',
    'insufficient_funds',
    'limit_exceeded',
    'warning_open',
    ...priceRefusals,
    'rate_limited',
  ],
})

export const transferKind = z.enum(['wallet_send', 'funded_send', 'exchange', 'payout', 'deposit'])

/**
 * `created`: an order waiting for its rate. `awaiting_funding`: the card or bank has not paid yet. `held`: the money is
 * reserved until a decision. `processing`: a payout, or the return of a deposit, is on its way to the bank. `released`:
 * the held money is back in the sender's wallet or, for a deposit, at the bank.
 */
export const transferState = z.enum([
  'created',
  'awaiting_funding',
  'held',
  'processing',
  'settled',
  'failed',
  'released',
])

export const transferShape = z.object({
  /** Id of the transfer's transaction. */
  id: uuid,
  kind: transferKind,
  state: transferState,
  /** Hold of the transfer, set as soon as it is known that the transfer will be held; null without a hold. */
  hold: z.nullable(
    z.object({
      reason: holdReason,
      /**
       * `sender`: may settle or cancel. `operator`: settles or rejects; the sender may still cancel, unless the reason
       * is `compliance`.
       */
      decided_by: z.enum(['sender', 'operator']),
      until: moment,
      /** Total duration of the hold in milliseconds, from the arrival of the money. */
      lasts_ms: z.int(),
      /** Remaining milliseconds by the server's clock. */
      remaining_ms: z.int(),
      /** Automatic action at the deadline; `escalate`: a lead decides by a further deadline. */
      at_deadline: z.enum(['settle', 'release', 'escalate']),
      /** Only for `compliance`: the open check; null while the transfer waits for fresh screening lists. */
      check: z.nullable(checkShape),
      /** Only for street mode: earliest time at which the sender can settle it, with a new confirmation. */
      confirm_from: z.nullable(moment),
    }),
  ),
  release_reason: z.nullable(releaseReason),
  /** Reason for the failure, as a sentence for the sender; null unless it failed. */
  reason: z.nullable(z.string()),
  /** Row in the transaction list, or the row to be listed once the money arrives. */
  transaction: transactionShape,
  /** Id of the payment of a funded send or a deposit, or of the payout. */
  payment_id: z.nullable(uuid),
  /**
   * Only for a funded send: true once the card or bank has paid. If the transfer fails, the sender keeps that money.
   */
  captured: z.boolean(),
  /** Only for a funded send: true if its payment was reversed after the transfer settled. */
  reversed: z.boolean(),
  /** Page on which the sender can complete the payment; null unless the transfer awaits funding. */
  redirectUrl: z.nullable(z.string()),
  /** Only for a payout: the business day on which the bank credits it. */
  expected_on: z.nullable(z.iso.date()),
})
export type Transfer = z.output<typeof transferShape>

const transferParams = z.object({ id: uuid })

export const transferStatus = endpoint({
  method: 'GET',
  path: '/transfers/:id',
  summary:
    "Status of one of the caller's transfers: a send from the wallet or by card or bank, an exchange, a payout, or a held deposit. Takes its id, or that of its payment or payout.",
  access: 'session',
  params: transferParams,
  reply: transferShape,
  refusals: ['not_found'],
})

export const cancelTransfer = endpoint({
  method: 'POST',
  path: '/transfers/:id/cancel',
  summary: 'Cancel a held transfer; its money returns to the wallet.',
  access: 'session',
  params: transferParams,
  reply: transferShape,
  refusals: ['not_found', 'not_cancelable', 'rate_limited'],
})

export const settleTransfer = endpoint({
  method: 'POST',
  path: '/transfers/:id/settle',
  summary:
    'Settle a held transfer now, if its sender decides about it. A street-mode hold needs a fresh confirmation, and cannot be settled before `confirm_from`.',
  access: 'session',
  params: transferParams,
  stepUp: 'accepted',
  reply: transferShape,
  refusals: [
    'not_found',
    'transfer_not_held',
    'not_confirmable_yet',
    'price_moved',
    'recipient_not_found',
    'rates_unavailable',
    'rate_limited',
  ],
})

const undoWindowShape = z.object({
  seconds: undoSeconds,
  /** Sends that can be cancelled; `new_payees`: only those to people whom the sender has never paid. */
  applies_to: z.enum(['new_payees', 'everybody', 'nobody']),
})
export type UndoWindow = z.output<typeof undoWindowShape>

export const undoWindow = endpoint({
  method: 'GET',
  path: '/user/undo-window',
  summary:
    'How long the caller can undo sends, and for which payees. A quote states the window for its recipient; a send requests it by `undo_seconds`.',
  access: 'session',
  reply: undoWindowShape,
})

export const setUndoWindow = endpoint({
  method: 'PUT',
  path: '/user/undo-window',
  summary:
    'Choose how long the caller’s sends can be undone, and for which payees. Applies to quotes made from now on.',
  access: 'session',
  body: undoWindowShape,
  reply: undoWindowShape,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Transfer: transferShape,
  TransferKind: transferKind,
  TransferState: transferState,
}
