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
import { formatUserPayee, type RiskCandidate, sourceName } from '../../risk/risk.ts'
import type { PaymentSource, NewTransaction } from '../../wallets/move.ts'
import { holdsCurrency, type Party } from '../../wallets/wallets.ts'
import type { TransfersContext } from '../context.ts'
import type { Candidate } from '../decision/decide.ts'
import type { StepUp } from '../decision/step-up.ts'

/** Sender of a request: the caller, or the owner of a scheduled order. */
export type Sender = Pick<Caller, 'userId' | 'verified' | 'network'>

export interface Send {
  readonly sender: Party
  readonly recipient: Party
  /** Network of the request; undefined if the sender is absent. */
  readonly network?: string | undefined
  readonly price: Price
  /** Quote that fixes the price. It is internal unless the request named it (`namesQuote`). */
  readonly quoteId: string | undefined
  readonly namesQuote?: boolean
  readonly description: string
  /** Seconds during which the sender may undo it. */
  readonly undoSeconds?: number | undefined
  /** True if a card or bank payment that has not failed uses the quote. */
  readonly isPaidFromOutside?: boolean
  /** Least amount for the recipient, if `price` is an estimate and the send is priced when its money arrives. */
  readonly minimumTarget?: Money | undefined
}

export interface SendFunding {
  readonly source: PaymentSource
  readonly paymentId?: string | undefined
}

/** Request with its funding, idempotency key and confirmation. */
export interface ConfirmedRequest {
  readonly source: PaymentSource
  /** Id of the saved card or bank account that pays, if any. */
  readonly instrumentId?: string | undefined
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

/** Id under which the risk rules count a send with this key. */
export const deriveRiskMovementId = (source: PaymentSource, userId: bigint, idempotencyKey: string): string =>
  derivedId(source === 'wallet' ? 'transfer' : 'payment', userId, idempotencyKey)

/** Loads the parties and the price of a send with any funding. Refuses invalid requests. */
export async function prepareSend(
  ctx: Pick<TransfersContext, 'wallets' | 'exchange'>,
  pool: pg.Pool,
  { sender: caller, request }: { readonly sender: Sender; readonly request: TransferRequest },
): Promise<Send> {
  const { sender, recipient } = await loadParties(ctx, pool, caller, request)
  const priced = await priceSend(ctx, request, { sender, recipient })
  const { description = '', undo_seconds: undoSeconds } = request
  return { sender, recipient, network: caller.network, ...priced, description, undoSeconds }
}

/** Candidate of a send for the transfer rules. */
export const buildSendCandidate = (kind: 'wallet_send' | 'funded_send', send: Send): Candidate => ({
  kind,
  senderId: send.sender.userId,
  recipientId: send.recipient.userId,
  source: send.price.source,
  target: send.price.target,
  usdMinor: send.price.usdMinor,
  undoSeconds: send.undoSeconds,
  network: send.network,
})

/** Step-up for a send by a present sender, for exactly this payee, amount and request. */
export const sendStepUp = (caller: Caller, send: Send, request: ConfirmedRequest): StepUp => ({
  candidate: riskCandidate(send, request, caller.sessionId),
  proof: { caller, action: buildAction(send, request), confirmation: request.confirmation, givesReason: true },
})

/** Step-up for a wallet send by an absent sender, which is refused if it needs a confirmation. */
export const absentStepUp = (send: Send, idempotencyKey: string): StepUp => ({
  candidate: riskCandidate(send, { source: 'wallet', idempotencyKey }),
  proof: undefined,
})

/** Candidate of a send for the risk rules. */
function riskCandidate(
  { sender, recipient, price }: Send,
  { source, instrumentId, idempotencyKey }: Omit<ConfirmedRequest, 'confirmation'>,
  sessionId?: string,
): RiskCandidate {
  return {
    movementId: deriveRiskMovementId(source, sender.userId, idempotencyKey),
    userId: sender.userId,
    kind: 'transfer',
    payee: { id: formatUserPayee(recipient.userId), userId: recipient.userId },
    sessionId,
    amount: price.source,
    source: sourceName(source, instrumentId),
    usdMinor: price.usdMinor,
  }
}

/** Loads sender and recipient. Only `caller` determines the sender, never the request. */
async function loadParties(
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

/** Returns the price of the quote that the request names, or the current price. Refuses a quote that does not match. */
async function priceSend(
  { exchange }: Pick<TransfersContext, 'exchange'>,
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
    const priceQuery = { amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin } as const
    return exchange.priceToMove({ userId: sender.userId, request: priceQuery, recipientId: recipient.userId })
  }
  const { price, recipientId, isPaidFromOutside } = await exchange.accept({
    userId: sender.userId,
    quoteId: request.quote_id,
  })
  const refuseMismatch = (field: string) => refuseField('quote_mismatch', field)
  if (recipientId !== recipient.userId) refuseMismatch('recipient_id')
  if (price.source.currency !== sourceCurrency) refuseMismatch('source_currency')
  if (price.target.currency !== targetCurrency) refuseMismatch('target_currency')
  if (price.source.minor !== amount.minor) refuseMismatch('amount')
  return { price, quoteId: request.quote_id, namesQuote: true, isPaidFromOutside }
}

/** Action that the sender confirms: recipient and all amounts, bound to this request. */
function buildAction(
  { recipient, price, quoteId, namesQuote, description, minimumTarget }: Send,
  { source: funding, instrumentId, idempotencyKey }: ConfirmedRequest,
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
      paidBy: sourceName(funding, instrumentId),
    },
  }
}

/** Hash of the fields that define a send. An omitted field hashes like its default. */
export const hashSend = (request: TransferRequest): Buffer =>
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

/** Undo time as a field to hash; omitted if it is 0. */
export const undoPart = (seconds = 0): { undo?: number } => (seconds > 0 ? { undo: seconds } : {})

/** Transaction rows of a settled send: the sender's and the recipient's. */
export function sendRows(
  { sender, recipient, price, quoteId, description }: Send,
  { source, paymentId }: SendFunding,
): [sent: NewTransaction, received: NewTransaction] {
  const sharedFields = {
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
  // Only the sender sees the funding source.
  const funding = { paymentSource: source, ...(paymentId === undefined ? {} : { paymentId }) }
  return [
    { ...sharedFields, ...funding, userId: sender.userId, kind: 'SEND', walletId: sender.wallet.id },
    { ...sharedFields, userId: recipient.userId, kind: 'RECEIVE', walletId: recipient.wallet.id },
  ]
}
