import type { Reply } from '@tern/contract/protocol/endpoint'
import type { sendMoney, TransferRequest } from '@tern/contract/transfers'
import type pg from 'pg'
import { amountText, parseAmount } from '../../platform/http/amount.ts'
import { retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { requireTime } from '../../platform/http/deadline.ts'
import { createSingleFlight, isKept, requestHash } from '../../platform/http/idempotency.ts'
import { derivedId, newId } from '../../platform/ids.ts'
import { acceptOutcome } from '../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../platform/refuse.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { createKeyedLock } from '../../platform/http/keyed-lock.ts'
import type { AcceptedQuote, Exchange } from '../exchange/exchange.ts'
import type { StepUp, SensitiveAction } from '../identity/identity.ts'
import { usageOf } from '../limits/limits.ts'
import { type Mover, type MoveRequest, type PaymentSource, type TransactionRow } from '../wallets/move.ts'
import { holdsCurrency, type Party, type PartyOf, type Wallets } from '../wallets/wallets.ts'
import { createStepUpPolicy, type StepUpPolicy } from './step-up-policy.ts'

type Price = AcceptedQuote['price']

export type SendMoney = (
  caller: Caller,
  request: TransferRequest,
  idempotencyKey: string,
  confirmation?: string,
) => Promise<Reply<typeof sendMoney>>

interface Options {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
  /** Passes when the caller has freshly proved that it is them. */
  readonly requireStepUp: StepUp['require']
}

/** A transfer that is decided on: between whom, and at which price. */
export interface Send {
  readonly sender: Party
  readonly recipient: Party
  readonly price: Price
  readonly quoteId: string | undefined
  readonly description: string
  /** A payment from outside has been begun at its quote, and may still be made. */
  readonly isPaidFromOutside?: boolean
}

/** Sending money between people. */
export interface Transfers {
  /**
   * Sends money from the caller's wallet. With a quote, at exactly its price; without, at the price of this moment. The
   * same `idempotencyKey` with the same request moves once and answers the same. Asks for a fresh proof, bound to payee,
   * amounts and key, where `StepUpPolicy` says so. Refuses what the contract's `sendMoney` lists.
   */
  readonly sendMoney: SendMoney
  /** Who sends what to whom at which price, before any money moves. Refuses what is wrong with the request. */
  prepare(caller: Caller, request: TransferRequest): Promise<Send>
  /**
   * Whether a transfer of this value to this person needs a fresh proof. To be asked before anything else in the transaction
   * that begins it: nobody else decides about the two until that ends.
   */
  readonly needsStepUp: (tx: Tx, send: Send) => Promise<boolean>
  /** Passes with a fresh proof of exactly this transfer, paid this way; refuses `step_up_required` otherwise. */
  requireStepUp(caller: Caller, send: Send, confirmed: Confirmed): Promise<void>
  /** What sender and recipient see of a transfer that is done, whatever paid for it. */
  rowsOf(send: Send, paid: PaidBy): [sent: TransactionRow, received: TransactionRow]
}

/** What pays for a transfer. */
export interface PaidBy {
  readonly source: PaymentSource
  readonly paymentId?: string | undefined
}

/** A request that names a proof of what it asks for. */
export interface Confirmed {
  readonly source: PaymentSource
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

export function createTransfers(options: Options): Transfers {
  const { wallets, exchange, requireStepUp } = options
  const stepUpPolicy = createStepUpPolicy(options)

  async function prepare(caller: Caller, request: TransferRequest): Promise<Send> {
    const { sender, recipient } = await partiesOf(caller, request, wallets.partyOf)
    const priced = await priceFor(request, sender, recipient, exchange)
    return { sender, recipient, ...priced, quoteId: request.quote_id, description: request.description ?? '' }
  }

  const decisions = {
    prepare,
    ...stepUpPolicy,
    requireStepUp: (caller: Caller, send: Send, confirmed: Confirmed) =>
      requireStepUp(caller, actOf(send, confirmed), confirmed.confirmation),
  }
  return { ...decisions, sendMoney: createWalletSend(options, decisions), rowsOf }
}

/** A request to send from the wallet, under its key. */
interface Keyed {
  readonly postingId: string
  readonly idempotencyKey: string
  readonly hash: Buffer
  readonly confirmation: string | undefined
}

/** What a send from the wallet moves and shows. */
async function movementOf(
  { exchange, now }: Pick<Options, 'exchange' | 'now'>,
  send: Send,
  { postingId, hash }: Keyed,
): Promise<MoveRequest> {
  const { sender, recipient, price } = send
  const at = now()
  return {
    movement: {
      id: postingId,
      requestHash: hash,
      kind: 'transfer',
      reference: newId(at),
      ...(send.quoteId === undefined ? {} : { once: send.quoteId }),
      keepsRefusal: true,
      at,
      legs: await exchange.legs(price, sender.wallet, recipient.wallet),
    },
    rows: rowsOf(send, { source: 'wallet' }),
    usage: usageOf(sender.userId, 'transfer', price.usdMinor, at),
  }
}

/** Sends that the sender's wallet pays. */
function createWalletSend(
  options: Options,
  { prepare, isTrusted, needsStepUp, requireStepUp }: Pick<Transfers, 'prepare' | 'requireStepUp'> & StepUpPolicy,
): SendMoney {
  const { pool, mover, wallets, now } = options
  const singleFlight = createSingleFlight()
  // The lock between processes is waited for by one request at a time, or a crowd of them would hold every connection.
  const serialize = createKeyedLock()

  /** Moves unless that needs a proof: both are decided in one transaction, whatever other processes do. */
  const moveUnconfirmed = (send: Send, request: MoveRequest) =>
    serialize(`${send.sender.userId} ${send.recipient.userId}`, () =>
      retryOnConflict(pool, async (tx) => {
        if (await needsStepUp(tx, send)) return undefined
        requireTime()
        return mover.moveWithin(tx, request)
      }),
    )

  async function run(caller: Caller, request: TransferRequest, keyed: Keyed): ReturnType<SendMoney> {
    const { postingId, hash, idempotencyKey, confirmation } = keyed
    const replay = async () => {
      const transaction = await wallets.replayOf(caller.userId, postingId, hash)
      return transaction && { transaction_id: transaction.id, status: transaction.status, transaction }
    }
    let send: Send
    try {
      send = await prepare(caller, request)
      if (send.isPaidFromOutside) refuseField('quote_used', 'quote_id')
    } catch (error) {
      if (isKept(error)) {
        await wallets.keepRefusal({ id: postingId, requestHash: hash, kind: 'transfer', at: now() }, error)
      }
      // A retry may come after its quote has expired, the rates have gone or the price has moved: what is done stays done.
      const earlier = error instanceof Refusal ? await replay() : undefined
      if (earlier) return earlier
      throw error
    }
    const movement = await movementOf(options, send, keyed)
    let outcome = (await isTrusted(send)) ? await mover.move(movement) : await moveUnconfirmed(send, movement)
    if (!outcome) {
      // What has moved already is only told again, which needs no proof.
      const earlier = await replay()
      if (earlier) return earlier
      await requireStepUp(caller, send, { source: 'wallet', idempotencyKey, confirmation })
      outcome = await mover.move(movement)
    }
    if (acceptOutcome(outcome) === 'replayed') return (await replay()) ?? refuse('not_found')
    const { reference: id, at } = movement.movement
    const [sent] = rowsOf(send, { source: 'wallet' })
    const transaction = wallets.viewOfRow(sent, id, at, send.recipient)
    return { transaction_id: id, status: 'COMPLETED', transaction }
  }

  return async (caller, request, idempotencyKey, confirmation) => {
    if (request.sender_id !== undefined && BigInt(request.sender_id) !== caller.userId) {
      refuseField('not_your_account', 'sender_id')
    }
    const postingId = derivedId('transfer', caller.userId, idempotencyKey)
    return singleFlight(postingId, () =>
      run(caller, request, { postingId, idempotencyKey, hash: hashOf(request), confirmation }),
    )
  }
}

/** Who sends and who receives: the session is the sender, whatever the request says. */
async function partiesOf(
  caller: Caller,
  request: TransferRequest,
  partyOf: PartyOf,
): Promise<Pick<Send, 'sender' | 'recipient'>> {
  if (!caller.verified) refuse('verification_required')
  const recipientId = BigInt(request.recipient_id)
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, recipient] = await Promise.all([partyOf(caller.userId), partyOf(recipientId)])
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
): Promise<Pick<Send, 'price' | 'isPaidFromOutside'>> {
  const sourceCurrency = request.source_currency
  const targetCurrency = request.target_currency ?? recipient.wallet.baseCurrency
  if (!holdsCurrency(sender.wallet, sourceCurrency)) refuseField('currency_not_held', 'source_currency')
  if (!holdsCurrency(recipient.wallet, targetCurrency)) {
    const { baseCurrency: currency } = recipient.wallet
    refuseField('currency_not_held', 'target_currency', { code: 'recipient_currency', params: { currency } })
  }
  const amount = parseAmount('amount', sourceCurrency, request.amount)
  const useStablecoin = request.use_stablecoin ?? true
  if (request.quote_id === undefined) {
    return { price: exchange.price({ amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin }) }
  }
  const { price, recipientId, isPaidFromOutside } = await exchange.accept(sender.userId, request.quote_id)
  const mismatch = (field: string) => refuseField('quote_mismatch', field)
  if (recipientId !== recipient.userId) mismatch('recipient_id')
  if (price.source.currency !== sourceCurrency) mismatch('source_currency')
  if (price.target.currency !== targetCurrency) mismatch('target_currency')
  if (price.source.minor !== amount.minor) mismatch('amount')
  return { price, isPaidFromOutside }
}

/** What is confirmed before money leaves: who gets it and every amount, and behind that the one request it is meant for. */
function actOf(
  { recipient, price, quoteId, description }: Send,
  { source: paidBy, idempotencyKey }: Confirmed,
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
      receives: amountText(target),
    },
    hidden: { recipient: String(recipient.userId), quote: quoteId ?? '', idempotencyKey, description, paidBy },
  }
}

// Fields that mean nothing by themselves are left out, so that they cannot make the same request a different one.
const hashOf = (request: TransferRequest): Buffer =>
  requestHash({
    recipient: request.recipient_id,
    amount: request.amount,
    source: request.source_currency,
    target: request.target_currency ?? null,
    stablecoin: request.use_stablecoin ?? true,
    description: request.description ?? '',
    quote: request.quote_id ?? null,
  })

function rowsOf(
  { sender, recipient, price, quoteId, description }: Send,
  { source, paymentId }: PaidBy,
): [TransactionRow, TransactionRow] {
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
