import type { TransferRequest } from '@tern/contract/transfers'
import type { Money } from '@tern/money/money'
import { toRateText } from '@tern/money/ratio'
import type pg from 'pg'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Exchange, Price } from '../../exchange/exchange.ts'
import type { Identity, SensitiveAction } from '../../identity/identity.ts'
import { payeeOfUser, type Risk, type RiskCandidate, sourceOf } from '../../risk/risk.ts'
import type { PaymentSource, TransactionRow } from '../../wallets/move.ts'
import { holdsCurrency, type Party, type Wallets } from '../../wallets/wallets.ts'
import type { Candidate, StepUpCheck, WalletStepUp } from '../decision/decide.ts'

/** Who sends: the caller, or whoever ordered a send for later. */
export type Sender = Pick<Caller, 'userId' | 'verified' | 'network'>

/** Who sends what to whom, and at which price. */
export interface Send {
  readonly sender: Party
  readonly recipient: Party
  /** From which its sender calls; undefined when nobody is there. */
  readonly network?: string | undefined
  readonly price: Price
  /** The quote that keeps the price; nobody was shown it where the request `namesQuote` not. */
  readonly quoteId: string | undefined
  readonly namesQuote?: boolean
  readonly description: string
  /** For how long its sender wants to be able to take it back. */
  readonly undoSeconds?: number | undefined
  /** A payment from outside was begun at its quote, and may still be made. */
  readonly isPaidFromOutside?: boolean
  /** Of one that is priced when its money comes: the least that its recipient may get. Its price is an estimate. */
  readonly minimumTarget?: Money | undefined
}

/** What pays for a send. */
export interface PaidBy {
  readonly source: PaymentSource
  readonly paymentId?: string | undefined
}

/** A request that names a confirmation of what it asks for. */
export interface Confirmed {
  readonly source: PaymentSource
  /** The saved card or bank account that pays, if any. */
  readonly instrumentId?: string | undefined
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

type SentTo = Pick<Send, 'sender' | 'recipient'> & { readonly price: Pick<Price, 'source' | 'usdMinor'> }
type KeyedBy = Pick<Confirmed, 'source' | 'instrumentId' | 'idempotencyKey'>

/** The movement that the risk rules count for a send under this key. */
export const riskMovementOf = (source: PaymentSource, userId: bigint, idempotencyKey: string): string =>
  derivedId(source === 'wallet' ? 'transfer' : 'payment', userId, idempotencyKey)

interface Options {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly risk: Risk
  /** Passes when the caller has freshly confirmed that it is them. */
  readonly requireStepUp: Identity['requireStepUp']
}

/** Sends between people, whatever pays for them. */
export function createSends({ pool, wallets, exchange, risk, requireStepUp }: Options) {
  /** A send as the risk rules see it, under the key of its request. */
  const riskOf = (
    { sender, recipient, price }: SentTo,
    { source, instrumentId, idempotencyKey }: KeyedBy,
    sessionId?: string,
  ): RiskCandidate => ({
    movementId: riskMovementOf(source, sender.userId, idempotencyKey),
    userId: sender.userId,
    kind: 'transfer',
    payee: {
      id: payeeOfUser(recipient.userId),
      wasPaid: (before) => wallets.hasPaid(pool, { senderId: sender.userId, recipientId: recipient.userId, before }),
    },
    sessionId,
    amount: price.source,
    source: sourceOf(source, instrumentId),
    usdMinor: price.usdMinor,
  })

  /** Passes with a confirmation of exactly this send; asked for without one, it says why. Refuses `step_up_required`. */
  async function prove(caller: Caller, send: Send, confirmed: Confirmed): Promise<Date> {
    const { confirmation } = confirmed
    const reason = confirmation === undefined ? await risk.reasonToProve(riskOf(send, confirmed)) : undefined
    return requireStepUp({ caller, act: { ...actOf(send, confirmed), reason }, confirmation })
  }

  return {
    /** Who sends what to whom at which price. Refuses what is wrong with the request. */
    async prepare(caller: Sender, request: TransferRequest): Promise<Send> {
      const { sender, recipient } = await partiesOf(pool, wallets, caller, request)
      const priced = await priceFor(request, sender, recipient, exchange)
      const { description = '', undo_seconds: undoSeconds } = request
      return { sender, recipient, network: caller.network, ...priced, description, undoSeconds }
    },
    candidateOf: (
      kind: 'wallet_send' | 'funded_send',
      { sender, recipient, network, price: { source, target, usdMinor }, undoSeconds }: Send,
    ): Candidate => ({
      kind,
      senderId: sender.userId,
      recipientId: recipient.userId,
      source,
      target,
      usdMinor,
      undoSeconds,
      network,
    }),
    /** When a send, paid this way from outside, needs a fresh confirmation: one of exactly this payee, amount and request. */
    stepUpFor: (caller: Caller, send: Send, confirmed: Confirmed): StepUpCheck => ({
      assess: () => risk.assess(riskOf(send, confirmed, caller.sessionId)),
      async require() {
        const provenAt = await prove(caller, send, confirmed)
        return risk.recordProof(riskOf(send, confirmed), provenAt)
      },
    }),
    /** The same for a send from the wallet. */
    walletStepUpFor: (caller: Caller, send: Send, confirmed: Omit<Confirmed, 'source'>): WalletStepUp => {
      const fromWallet = { ...confirmed, source: 'wallet' } as const
      return {
        candidate: riskOf(send, fromWallet, caller.sessionId),
        prove: () => prove(caller, send, fromWallet),
      }
    },
    /** The same for a send that nobody is there to confirm: refuses `step_up_required`. */
    stepUpWithoutSender: (send: Send, idempotencyKey: string): WalletStepUp => ({
      candidate: riskOf(send, { source: 'wallet', idempotencyKey }),
      prove: () => refuse('step_up_required'),
    }),
    rowsOf,
  }
}

export type Sends = ReturnType<typeof createSends>

/** Who sends and who receives: the session is the sender, whatever the request says. */
async function partiesOf(
  pool: pg.Pool,
  wallets: Wallets,
  caller: Sender,
  request: TransferRequest,
): Promise<Pick<Send, 'sender' | 'recipient'>> {
  if (!caller.verified) refuse('verification_required')
  const recipientId = BigInt(request.recipient_id)
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([
    wallets.findParty(pool, caller.userId),
    wallets.findParty(pool, recipientId),
  ])
  if (!sender) return refuse('unauthenticated')
  if (!recipient?.verified) return refuseField('recipient_not_found', 'recipient_id')
  return { sender, recipient }
}

/** The quoted price when a quote is named and fits the request, else the price of this moment. */
async function priceFor(
  request: TransferRequest,
  sender: Party,
  recipient: Party,
  exchange: Exchange,
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
  const { price, recipientId, isPaidFromOutside } = await exchange.accept(sender.userId, request.quote_id)
  const mismatch = (field: string) => refuseField('quote_mismatch', field)
  if (recipientId !== recipient.userId) mismatch('recipient_id')
  if (price.source.currency !== sourceCurrency) mismatch('source_currency')
  if (price.target.currency !== targetCurrency) mismatch('target_currency')
  if (price.source.minor !== amount.minor) mismatch('amount')
  return { price, quoteId: request.quote_id, namesQuote: true, isPaidFromOutside }
}

/** What is confirmed before money leaves: who gets it and every amount, and behind that the one request it is meant for. */
function actOf(
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

// Fields that mean nothing by themselves are left out, so that they cannot make the same request a different one.
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

/** The part of a request's hash that says for how long it can be taken back. */
export const undoPart = (seconds = 0): { undo?: number } => (seconds > 0 ? { undo: seconds } : {})

/** What sender and recipient see of a send that has settled. */
function rowsOf(
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
  // What pays, and the payment's id, are the sender's own matter.
  const paidBy = { paymentSource: source, ...(paymentId === undefined ? {} : { paymentId }) }
  return [
    { ...shared, ...paidBy, userId: sender.userId, kind: 'SEND', walletId: sender.wallet.id },
    { ...shared, userId: recipient.userId, kind: 'RECEIVE', walletId: recipient.wallet.id },
  ]
}
