import type { TransferRequest } from '@tern/contract/transfers'
import type { Money } from '@tern/money/money'
import { toRateText } from '@tern/money/ratio'
import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Price } from '../../exchange/exchange.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { payeeOfUser, type RiskCandidate, sourceOf } from '../../risk/risk.ts'
import type { PaymentSource, TransactionRow } from '../../wallets/move.ts'
import { holdsCurrency, type Party } from '../../wallets/wallets.ts'
import type { TransfersContext } from '../context.ts'
import type { Candidate } from '../decision/decide.ts'
import type { StepUp } from '../decision/step-up.ts'

/** Sender of a request: the caller, or the owner of an order made earlier. */
export type Sender = Pick<Caller, 'userId' | 'verified' | 'network'>

/** A send with its parties and its price. */
export interface Send {
  readonly sender: Party
  readonly recipient: Party
  /** Network of the request; undefined where the sender is absent. */
  readonly network?: string | undefined
  readonly price: Price
  /** Quote that keeps the price; never shown to the sender unless the request `namesQuote`. */
  readonly quoteId: string | undefined
  readonly namesQuote?: boolean
  readonly description: string
  /** For how long the sender may undo it. */
  readonly undoSeconds?: number | undefined
  /** A payment from outside was begun at its quote, and may still be made. */
  readonly isPaidFromOutside?: boolean
  /** Least that the recipient may get, where `price` is an estimate and the send is priced when its money arrives. */
  readonly minimumTarget?: Money | undefined
}

/** Funding of a send. */
export interface PaidBy {
  readonly source: PaymentSource
  readonly paymentId?: string | undefined
}

/** A keyed request, with the confirmation that it names. */
export interface Confirmed {
  readonly source: PaymentSource
  /** The saved card or bank account that pays, if any. */
  readonly instrumentId?: string | undefined
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

/** The movement that the risk rules count for a send under this key. */
export const riskMovementOf = (source: PaymentSource, userId: bigint, idempotencyKey: string): string =>
  derivedId(source === 'wallet' ? 'transfer' : 'payment', userId, idempotencyKey)

/** Prepares a send between people, whatever pays for it. Refuses what is wrong with the request. */
export async function prepareSend(
  ctx: Pick<TransfersContext, 'wallets' | 'exchange'>,
  pool: pg.Pool,
  { sender: caller, request }: { readonly sender: Sender; readonly request: TransferRequest },
): Promise<Send> {
  const { sender, recipient } = await partiesOf(ctx, pool, caller, request)
  const priced = await priceFor(ctx, pool, request, { sender, recipient })
  const { description = '', undo_seconds: undoSeconds } = request
  return { sender, recipient, network: caller.network, ...priced, description, undoSeconds }
}

/** A send as the rules of transfers see it. */
export const sendCandidate = (kind: 'wallet_send' | 'funded_send', send: Send): Candidate => ({
  kind,
  senderId: send.sender.userId,
  recipientId: send.recipient.userId,
  source: send.price.source,
  target: send.price.target,
  usdMinor: send.price.usdMinor,
  undoSeconds: send.undoSeconds,
  network: send.network,
})

/** Confirmation that a send may need: one of exactly this payee, amount and request, by a sender who is there. */
export const sendStepUp = (caller: Caller, send: Send, confirmed: Confirmed): StepUp => ({
  candidate: riskCandidate(send, confirmed, caller.sessionId),
  proof: { caller, action: actionOf(send, confirmed), confirmation: confirmed.confirmation, givesReason: true },
})

/** The same for a wallet send whose sender is absent, and which is refused if it needs a confirmation. */
export const absentStepUp = (send: Send, idempotencyKey: string): StepUp => ({
  candidate: riskCandidate(send, { source: 'wallet', idempotencyKey }),
  proof: undefined,
})

/** A send as the risk rules see it, under the key of its request. */
function riskCandidate(
  { sender, recipient, price }: Send,
  { source, instrumentId, idempotencyKey }: Omit<Confirmed, 'confirmation'>,
  sessionId?: string,
): RiskCandidate {
  return {
    movementId: riskMovementOf(source, sender.userId, idempotencyKey),
    userId: sender.userId,
    kind: 'transfer',
    payee: { id: payeeOfUser(recipient.userId), userId: recipient.userId },
    sessionId,
    amount: price.source,
    source: sourceOf(source, instrumentId),
    usdMinor: price.usdMinor,
  }
}

/** Sender and recipient: the session is the sender, whatever the request says. */
async function partiesOf(
  { wallets }: Pick<TransfersContext, 'wallets'>,
  db: Db,
  caller: Sender,
  request: TransferRequest,
): Promise<Pick<Send, 'sender' | 'recipient'>> {
  if (!caller.verified) refuse('verification_required')
  const recipientId = BigInt(request.recipient_id)
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([
    wallets.findParty(db, caller.userId),
    wallets.findParty(db, recipientId),
  ])
  if (!sender) return refuse('unauthenticated')
  if (!recipient?.verified) return refuseField('recipient_not_found', 'recipient_id')
  return { sender, recipient }
}

/** The quoted price when a quote is named and fits the request, else the price of this moment. */
async function priceFor(
  { exchange }: Pick<TransfersContext, 'exchange'>,
  _pool: pg.Pool,
  request: TransferRequest,
  { sender, recipient }: Pick<Send, 'sender' | 'recipient'>,
): Promise<Pick<Send, 'price' | 'quoteId' | 'namesQuote' | 'isPaidFromOutside'>> {
  const sourceCurrency = request.source_currency
  const targetCurrency = request.target_currency ?? recipient.wallet.baseCurrency
  if (!holdsCurrency(sender.wallet, sourceCurrency)) refuseField('currency_not_held', 'source_currency')
  if (!holdsCurrency(recipient.wallet, targetCurrency)) {
    refuseField('currency_not_held', 'target_currency', {
      code: 'recipient_currency',
      params: { currency: recipient.wallet.baseCurrency },
    })
  }
  const amount = parseAmount('amount', sourceCurrency, request.amount)
  const useStablecoin = request.use_stablecoin ?? true
  if (request.quote_id === undefined) {
    const wanted = { amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin } as const
    return exchange.priceToMove({ userId: sender.userId, request: wanted, recipientId: recipient.userId })
  }
  const { price, recipientId, isPaidFromOutside } = await exchange.accept({
    userId: sender.userId,
    quoteId: request.quote_id,
  })
  const mismatch = (field: string) => refuseField('quote_mismatch', field)
  if (recipientId !== recipient.userId) mismatch('recipient_id')
  if (price.source.currency !== sourceCurrency) mismatch('source_currency')
  if (price.target.currency !== targetCurrency) mismatch('target_currency')
  if (price.source.minor !== amount.minor) mismatch('amount')
  return { price, quoteId: request.quote_id, namesQuote: true, isPaidFromOutside }
}

/** What the sender confirms: the recipient and every amount; bound to the one request it is meant for. */
function actionOf(
  { recipient, price, quoteId, namesQuote, description, minimumTarget }: Send,
  { source: paidBy, instrumentId, idempotencyKey }: Confirmed,
): SensitiveAction {
  const { username, name } = recipient
  const { source, fee, total, target } = price
  return {
    action: 'send_money',
    subject: {
      to: name === null ? `@${username}` : `${name} (@${username})`,
      amount: amountText(source),
      fee: amountText(fee),
      total: amountText(total),
      ...(minimumTarget
        ? { receives_about: amountText(target), receives_at_least: amountText(minimumTarget) }
        : { receives: amountText(target) }),
      ...(source.currency === target.currency
        ? {}
        : { rate: `1 ${source.currency} = ${toRateText(price.rate)} ${target.currency}` }),
    },
    hidden: {
      recipient: String(recipient.userId),
      quote: (namesQuote && quoteId) || '',
      idempotencyKey,
      description,
      paidBy: sourceOf(paidBy, instrumentId),
    },
  }
}

/** Hash of a request. Leaves out fields that mean nothing by themselves: they cannot make the same request a different one. */
export const hashOfSend = (request: TransferRequest): Buffer =>
  requestHash({
    recipient: request.recipient_id,
    amount: request.amount,
    source: request.source_currency,
    target: request.target_currency ?? null,
    stablecoin: request.use_stablecoin ?? true,
    description: request.description ?? '',
    quote: request.quote_id ?? null,
    ...undoPart(request.undo_seconds),
  })

/** Part of a request's hash that says for how long it can be undone. */
export const undoPart = (seconds = 0): { undo?: number } => (seconds > 0 ? { undo: seconds } : {})

/** Rows of a settled send that the sender and the recipient see. */
export function sendRows(
  { sender, recipient, price, quoteId, description }: Send,
  { source, paymentId }: PaidBy,
): [sent: TransactionRow, received: TransactionRow] {
  const shared = {
    status: 'COMPLETED',
    senderId: sender.userId,
    recipientId: recipient.userId,
    fromWalletId: sender.wallet.id,
    toWalletId: recipient.wallet.id,
    description,
    source: price.source,
    target: price.target,
    ...(price.crossing ? { stablecoinAmount: price.crossing.inflow.minor } : {}),
    ...(price.source.currency === price.target.currency ? {} : { rate: price.rate }),
    fee: price.fee,
    ...(quoteId === undefined ? {} : { quoteId }),
  } as const
  // Only the sender sees what pays.
  const paidBy = { paymentSource: source, ...(paymentId === undefined ? {} : { paymentId }) }
  return [
    { ...shared, ...paidBy, userId: sender.userId, kind: 'SEND', walletId: sender.wallet.id },
    { ...shared, userId: recipient.userId, kind: 'RECEIVE', walletId: recipient.wallet.id },
  ]
}
