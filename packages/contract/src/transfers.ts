import * as z from 'zod/mini'
import { checkShape } from './compliance/checks.ts'
import { priceRefusals, recipientRefusals } from './exchange.ts'
import { endpoint } from './protocol/endpoint.ts'
import { holdReason, releaseReason, transactionShape } from './transactions.ts'
import { amountInput, currency, moment, text, undoSeconds, userNumber, uuid } from './protocol/wire.ts'

export const transferRequest = z.object({
  /** Must be the caller; the session decides who sends. */
  sender_id: z.optional(userNumber),
  recipient_id: userNumber,
  amount: amountInput,
  source_currency: currency,
  target_currency: z.optional(currency),
  use_stablecoin: z.optional(z.boolean()),
  payment_source: z.optional(z.enum(['wallet', 'card', 'bank', 'wallet_partial'])),
  /** Accepted but ignored: only a captured payment held by the server replaces the wallet. */
  skip_sender_deduction: z.optional(z.boolean()),
  transaction_type: z.optional(text(40)),
  description: z.optional(text(200)),
  quote_id: z.optional(uuid),
  /** The payment started for this transfer, unless the wallet pays. */
  payment_id: z.optional(uuid),
  /** Held for so long, during which the sender may cancel it (`/transfers/:id/cancel`) or settle it; none by default. */
  undo_seconds: z.optional(undoSeconds),
})
export type TransferRequest = z.output<typeof transferRequest>

export const sendMoney = endpoint({
  method: 'POST',
  path: '/payment/transfer',
  summary:
    'Send money to another registered user, at a quoted price or at the price of this moment. After a payment by card or bank: how the transfer stands that this payment is for.',
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
    ...priceRefusals,
    'rate_limited',
  ],
})

export const transferKind = z.enum(['wallet_send', 'funded_send', 'exchange', 'payout', 'deposit'])

/**
 * `created`: an order, which waits for its rate. `awaiting_funding`: the card or bank has not paid yet. `held`: the money is set aside until somebody decides.
 * `processing`: a payout, or a deposit that goes back, is on its way to the bank. `released`: what was held is in the sender's
 * wallet again, or of a deposit at the bank that it came from.
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
  /** The id of the transaction that the transfer is, or becomes. */
  id: uuid,
  kind: transferKind,
  state: transferState,
  /** While it is held, and before that when it is going to be; null otherwise. */
  hold: z.nullable(
    z.object({
      reason: holdReason,
      /**
       * The sender may settle or cancel; an operator settles or rejects, and the sender may still cancel, unless it is held for
       * `compliance`.
       */
      decided_by: z.enum(['sender', 'operator']),
      until: moment,
      /** For how many milliseconds it is held in all, counted from when its money is there. */
      lasts_ms: z.int(),
      /** How many of them are left by the server's clock. */
      remaining_ms: z.int(),
      /** What happens then if nobody has decided; `escalate`: a lead decides, by a further deadline. */
      at_deadline: z.enum(['settle', 'release', 'escalate']),
      /** Held for `compliance`: the pending check; null while it waits for fresh screening lists. */
      check: z.nullable(checkShape),
      /** Of street mode: from when on its sender can settle it, with a fresh confirmation. Null of all others. */
      confirm_from: z.nullable(moment),
    }),
  ),
  release_reason: z.nullable(releaseReason),
  /** Why it failed, in a sentence for the sender; null unless it did. */
  reason: z.nullable(z.string()),
  /** As it is listed, or will be once the money comes. */
  transaction: transactionShape,
  /** Of a funded send or a deposit: the payment that pays for it. Of a payout: the payout. */
  payment_id: z.nullable(uuid),
  /** Of a funded send: its card or bank paid. A transfer that failed all the same left that money in the sender's wallet. */
  captured: z.boolean(),
  /** Of a funded send: its payment was taken back after the transfer had settled. */
  reversed: z.boolean(),
  /** Where the sender can go on paying while the transfer awaits funding. */
  redirectUrl: z.nullable(z.string()),
  /** Of a payout: the business day on which the bank credits it. */
  expected_on: z.nullable(z.iso.date()),
})
export type Transfer = z.output<typeof transferShape>

/** The transfer's own id. */
const transferParams = z.object({ id: uuid })

export const transferStatus = endpoint({
  method: 'GET',
  path: '/transfers/:id',
  summary:
    "How a transfer of the caller's stands: a send from the wallet or by card or bank, an exchange, a payout, a deposit that is held. Takes its id, or that of its payment or payout.",
  access: 'session',
  params: transferParams,
  reply: transferShape,
  refusals: ['not_found'],
})

export const cancelTransfer = endpoint({
  method: 'POST',
  path: '/transfers/:id/cancel',
  summary: 'Cancel a transfer that is held; the money is in the wallet again.',
  access: 'session',
  params: transferParams,
  reply: transferShape,
  refusals: ['not_found', 'not_cancelable', 'rate_limited'],
})

export const settleTransfer = endpoint({
  method: 'POST',
  path: '/transfers/:id/settle',
  summary:
    'Settle a held transfer now, where its sender decides about it. What street mode holds needs a fresh confirmation, and cannot be settled before `confirm_from`.',
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
  /** Which sends can be taken back; `new_payees`: those to people whom the sender has never paid. */
  applies_to: z.enum(['new_payees', 'everybody', 'nobody']),
})
export type UndoWindow = z.output<typeof undoWindowShape>

export const undoWindow = endpoint({
  method: 'GET',
  path: '/user/undo-window',
  summary:
    'For how long the caller can take back what they send, and to whom. A quote tells what that means for its recipient; a send asks for it by `undo_seconds`.',
  access: 'session',
  reply: undoWindowShape,
})

export const setUndoWindow = endpoint({
  method: 'PUT',
  path: '/user/undo-window',
  summary: 'Choose for how long one’s own sends can be taken back, and to whom. Holds for quotes made from now on.',
  access: 'session',
  body: undoWindowShape,
  reply: undoWindowShape,
  refusals: ['rate_limited'],
})
