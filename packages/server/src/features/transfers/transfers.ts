import type { Reply } from '@tern/contract/endpoint'
import type { sendMoney, TransferRequest } from '@tern/contract/transfers'
import { amountText, parseAmount } from '../../amount.ts'
import { createSingleFlight, requestHash } from '../../idempotency.ts'
import { derivedId, newId } from '../../ids.ts'
import { acceptOutcome } from '../../outcome.ts'
import { Refusal, refuse, refuseField } from '../../refuse.ts'
import type { Caller } from '../../serve.ts'
import type { AcceptedQuote, Exchange } from '../exchange/exchange.ts'
import type { Proofs, ProvenAct } from '../identity/identity.ts'
import type { Mover, PaymentSource, TransactionRow } from '../wallets/move.ts'
import { holdsCurrency, type Party, type PartyOf, type Wallets } from '../wallets/wallets.ts'
import { type Between, createTrust, type Trust } from './trust.ts'

type Price = AcceptedQuote['price']

export type SendMoney = (
  caller: Caller,
  request: TransferRequest,
  idempotencyKey: string,
  proof?: string,
) => Promise<Reply<typeof sendMoney>>

interface Options {
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly now: () => Date
  /** Passes when the caller has freshly proved that it is them. */
  readonly demandProof: Proofs['demand']
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
   * amounts and key, where `Trust` says so. Refuses what the contract's `sendMoney` lists.
   */
  readonly sendMoney: SendMoney
  /** Who sends what to whom at which price, before any money moves. Refuses what is wrong with the request. */
  prepare(caller: Caller, request: TransferRequest): Promise<Send>
  /** Whether a transfer of this value to this person needs a fresh proof. Asked `inTurn`, so that none is overlooked. */
  needsProof(send: Send): Promise<boolean>
  /** One after another for each sender and recipient: what is decided here counts what was decided before. */
  readonly inTurn: <T>(between: Between, work: () => Promise<T>) => Promise<T>
  /** Passes with a fresh proof of exactly this transfer, paid this way; refuses `proof_required` otherwise. */
  demandProof(caller: Caller, send: Send, confirmed: Confirmed): Promise<void>
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
  readonly proof: string | undefined
}

export function createTransfers(options: Options): Transfers {
  const { wallets, exchange, demandProof } = options
  const trust = createTrust(options)

  async function prepare(caller: Caller, request: TransferRequest): Promise<Send> {
    const { sender, recipient } = await partiesOf(caller, request, wallets.partyOf)
    const priced = await priceFor(request, sender, recipient, exchange)
    return { sender, recipient, ...priced, quoteId: request.quote_id, description: request.description ?? '' }
  }

  const decisions = {
    prepare,
    ...trust,
    demandProof: (caller: Caller, send: Send, confirmed: Confirmed) =>
      demandProof(caller, actOf(send, confirmed), confirmed.proof),
  }
  return { ...decisions, sendMoney: createWalletSend(options, decisions), rowsOf }
}

/** Sends that the sender's wallet pays. */
function createWalletSend(
  { mover, wallets, exchange, now }: Options,
  { prepare, isTrusted, needsProof, inTurn, demandProof }: Pick<Transfers, 'prepare' | 'demandProof'> & Trust,
): SendMoney {
  const singleFlight = createSingleFlight()

  async function moveNow(send: Send, postingId: string, hash: Buffer) {
    const { sender, recipient, price } = send
    const [sent, received] = rowsOf(send, { source: 'wallet' })
    const at = now()
    const id = newId(at)
    const moved = acceptOutcome(
      await mover.move({
        movement: {
          id: postingId,
          requestHash: hash,
          kind: 'transfer',
          reference: id,
          ...(send.quoteId === undefined ? {} : { once: send.quoteId }),
          at,
          legs: await exchange.legs(price, sender.wallet, recipient.wallet),
        },
        rows: [sent, received],
        usage: { userId: sender.userId, day: at.toISOString().slice(0, 10), usdMinor: price.usdMinor },
      }),
    )
    const transaction = wallets.viewOfRow(sent, id, at, recipient)
    return { moved, answer: { transaction_id: id, status: 'COMPLETED' as const, transaction } }
  }

  async function run(
    caller: Caller,
    request: TransferRequest,
    { postingId, idempotencyKey, proof }: { postingId: string; idempotencyKey: string; proof: string | undefined },
  ): ReturnType<SendMoney> {
    const hash = hashOf(request)
    const replay = async () => {
      const transaction = await wallets.replayOf(caller.userId, postingId, hash)
      return transaction && { transaction_id: transaction.id, status: transaction.status, transaction }
    }
    let send: Send
    try {
      send = await prepare(caller, request)
      if (send.isPaidFromOutside) refuseField('quote_used', 'quote_id')
    } catch (error) {
      // A retry may come after its quote has expired, the rates have gone or the price has moved: what is done stays done.
      const earlier = error instanceof Refusal ? await replay() : undefined
      if (earlier) return earlier
      throw error
    }
    const move = async () => {
      const { moved, answer } = await moveNow(send, postingId, hash)
      return moved === 'replayed' ? ((await replay()) ?? refuse('not_found')) : answer
    }
    if (await isTrusted(send)) return move()
    return inTurn({ senderId: caller.userId, recipientId: send.recipient.userId }, async () => {
      if (await needsProof(send)) {
        // What has moved already is only told again, which needs no proof.
        const earlier = await replay()
        if (earlier) return earlier
        await demandProof(caller, send, { source: 'wallet', idempotencyKey, proof })
      }
      return move()
    })
  }

  return async (caller, request, idempotencyKey, proof) => {
    if (request.sender_id !== undefined && BigInt(request.sender_id) !== caller.userId) {
      refuseField('not_your_account', 'sender_id')
    }
    const postingId = derivedId('transfer', caller.userId, idempotencyKey)
    return singleFlight(postingId, () => run(caller, request, { postingId, idempotencyKey, proof }))
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
    refuseField('currency_not_held', 'target_currency', `This person receives ${recipient.wallet.baseCurrency}.`)
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
): ProvenAct {
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
