import type { Quote } from '@tern/contract/exchange'
import type { Account } from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import type { Money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import type { Secret } from '../../platform/seal.ts'
import type { Wallet, Wallets } from '../wallets/wallets.ts'
import { legsOf } from './legs.ts'
import { createAcceptQuote } from './accept-quote.ts'
import { createFeePolicy } from './fee-policy.ts'
import { createQuoteBook } from './liquidity/quote-book.ts'
import { lockedValue, exposuresOf, sweepReservations } from './liquidity/reservations.ts'
import { keepsPromise, type Price, priceAgain, type PriceRequest, priceOf, requestAgain } from './price.ts'
import { createQuoteSigner, type QuotedPrice, quoteView } from './quote.ts'
import type { Rates } from './rates/rates.ts'

export type { PriceText, QuotedPrice, Terms } from './quote.ts'
export { evidenceView, priceFrom, priceText, priceView, quoteKeyPurpose, quoteLifetimeMs } from './quote.ts'
export type { AcceptedQuote } from './accept-quote.ts'
export { createRates } from './rates/rates.ts'
export type { PairRate } from './rates/pair-rate.ts'
export { decideHeldBack, heldBackFixes, type HeldBackFix, latestFixes } from './rates/rate-store.ts'
export {
  endReservation,
  keepReservation,
  type LimitName,
  roomIn,
  roomOut,
  setLimit,
  type Exposure,
} from './liquidity/reservations.ts'
export type { PriceToMove } from './liquidity/quote-book.ts'
export type { Price } from './price.ts'

interface Options {
  readonly pool: pg.Pool
  readonly rates: Rates
  readonly wallets: Wallets
  readonly secret: Secret
  /** With these, quotes that were signed under secrets that have left the ring can still be proven. */
  readonly retainedKeys?: readonly Buffer[] | undefined
  readonly now: () => Date
  /** For how many seconds a send to a payee can be taken back. */
  readonly undoWindows: { secondsFor(senderId: bigint, recipientId: bigint): Promise<number> }
}

/** Prices, quotes and the legs of a conversion. */
export function createExchange({ pool, rates, wallets, secret, retainedKeys, now, undoWindows }: Options) {
  const signer = createQuoteSigner(secret, retainedKeys)
  /** What an amount is worth in US dollar cents, rounded up. Refuses `rates_unavailable`. */
  const usdMinorOf = (amount: Money): bigint =>
    convert(amount, 'USD', crossRate(rates.usdValueOf, amount.currency, 'USD'), 'up').minor

  /** A price at the rates of this moment, without any promise to keep it. */
  const price = (request: PriceRequest): Price => priceOf(request, rates)
  const { smallestFeeFor } = createFeePolicy({ pool, now })

  /** The same for somebody whose free daily movements may be used up: then it costs at least the smallest fee. */
  async function priceFor(userId: bigint, request: PriceRequest): Promise<Price> {
    const listed = price(request)
    return listed.fee.minor > 0n ? listed : priceOf(request, rates, await smallestFeeFor(userId))
  }

  const book = createQuoteBook({ pool, rates, now, signer, price, priceFor })

  /**
   * Makes and stores a signed quote for `userId`, which takes the place of their quote `replaces` unless that is used. In two
   * currencies it reserves what it may add to the position. Refuses `liquidity_unavailable`, `rate_limited` when the
   * person has too much locked, and `limit_exceeded` for an amount beyond what any one price is kept for.
   */
  async function quote(
    userId: bigint,
    request: PriceRequest,
    recipientId: bigint | undefined,
    replaces?: string,
  ): Promise<Quote> {
    const quoted = await book.make({ userId, request, recipientId, replaces })
    const undo = recipientId === undefined ? {} : { undo_seconds: await undoWindows.secondsFor(userId, recipientId) }
    return { ...quoteView(quoted), ...undo }
  }

  const accept = createAcceptQuote({ pool, signer, now, quote })

  return {
    refreshRates: rates.refresh,
    readRates: rates.read,
    refreshDueRates: rates.refreshDue,
    fillRateHistory: rates.fillHistory,
    hasRates: rates.isComplete,
    ratesAgeSeconds: rates.ageSeconds,
    pairRate: rates.pairRate,
    lastRate: rates.lastRate,
    rateHistory: rates.history,
    usdMinorOf,
    usdValueOf: rates.usdValueOf,
    /** Whether an amount in this currency can be valued now. */
    hasRate: rates.isKnown,
    price,
    /** What was promised before, at the rates of this moment, with what proves it. Refuses `rates_unavailable`. */
    pricedAgain: (promised: Price, asked: Pick<QuotedPrice, 'userId' | 'recipientId'>): QuotedPrice =>
      book.priced({ ...asked, request: requestAgain(promised) }, priceAgain(promised, rates)),
    keepsPromise,
    /** The price of this moment with what proves it. Refuses what `price` refuses. */
    pricedFor: book.priced,
    /** Promises and stores such a price; commits before money moves at it. Refuses `liquidity_unavailable`. */
    promise: book.promise,
    /** Reserves for a trade of the operator until `letGo` or expiry. Refuses `liquidity_unavailable`. */
    reserve: book.reserve,
    storeArrivalWithin: book.storeArrivalWithin,
    quote,
    accept,
    /** Whether the product ever signed these terms, also under a secret that was replaced since. */
    wasSigned: signer.wasAuthentic,
    /**
     * The price of this moment for money that moves at once. In two currencies it is a quote of its own that nobody is
     * shown, so that it is reserved and stored like any other. Refuses what `quote` refuses.
     */
    priceToMove: book.priceToMove,
    /** Frees what such a quote reserves, once it is certain that it moves nothing. */
    letGo: book.letGo,
    /** How every currency stands: position, promises and limits. */
    exposures: (db: Db = pool) => exposuresOf(db, rates, now()),
    /** What is locked at open prices, in US dollar cents. */
    lockedValue: () => lockedValue(pool, now()),
    sweepReservations: () => sweepReservations(pool, now()),
    /** What limits in US dollars are worth. */
    valuation: rates,
    /**
     * The legs that carry `price` from one wallet into another (or the same one), fee and residue included. `from` may be
     * a settlement account, for money that comes from outside.
     */
    legs: (priced: Price, from: Wallet | Account, to: Wallet): Promise<Leg[]> =>
      legsOf(priced, from, to, { accountId: (account) => wallets.accountId(pool, account) }),
  }
}

export type Exchange = ReturnType<typeof createExchange>
