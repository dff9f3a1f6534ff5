import type { Money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import type { Db, Tx, WorkInput } from '../../platform/database/db.ts'
import type { Secret } from '../../platform/seal.ts'
import { acceptQuote } from './accept-quote.ts'
import type { ExchangeContext } from './context.ts'
import { buildLegs } from './legs.ts'
import { createQueues, reserveInTransaction } from './liquidity/promise-batches.ts'
import {
  makeQuote,
  repricePromise,
  priceQuote,
  priceToMove,
  promiseQuote,
  storeArrivalQuote,
} from './liquidity/quote-book.ts'
import { readExposures, readLockedValue, type Reservation, sweepReservations } from './liquidity/reservations.ts'
import { type Price, computePrice, type PriceRequest } from './price.ts'
import { createQuoteSigner, type QuotedPrice } from './quote.ts'
import { readRateHistory } from './rates/rate-history.ts'
import type { Rates } from './rates/rates.ts'
import { fillHistory, readRates, refreshDueRates, refreshRates } from './rates/rate-polls.ts'

export type { PriceText, QuotedPrice, QuoteTerms } from './quote.ts'
export { evidenceView, readPrice, priceText, priceView, quoteKeyPurpose, quoteLifetimeMs } from './quote.ts'
export type { AcceptedQuote } from './accept-quote.ts'
export { createRates } from './rates/rates.ts'
export { type PastValue, readPastValues } from './rates/past-values.ts'
export type { PairRate } from './rates/pair-rate.ts'
export { decideHeldBackFix, listHeldBackFixes, type HeldBackFix, latestFixes } from './rates/rate-store.ts'
export {
  endReservation,
  type LimitName,
  computeIncomingRoom,
  computeOutgoingRoom,
  setLimit,
  type Exposure,
} from './liquidity/reservations.ts'
export type { MovementPrice } from './liquidity/quote-book.ts'
export { isWithinPriceTolerance, type Price } from './price.ts'

interface ExchangeOptions extends Omit<ExchangeContext, 'signer' | 'promises'> {
  readonly pool: pg.Pool
  readonly secret: Secret
  /** Keys of rotated secrets, which prove old quotes but sign no new ones. */
  readonly retainedKeys?: readonly Buffer[] | undefined
}

/** Prices, quotes, rates, and the ledger legs of conversions. */
export function createExchange({ pool, secret, retainedKeys, ...parts }: ExchangeOptions) {
  const ctx = { ...parts, signer: createQuoteSigner(secret, retainedKeys), promises: createQueues() }
  const { rates, now } = parts
  return {
    refreshRates: () => refreshRates(rates, pool),
    readRates: () => readRates(rates, pool),
    refreshDueRates: () => refreshDueRates(rates, pool),
    fillRateHistory: () => fillHistory(rates, pool),
    rateHistory: (db: Db, input: WorkInput<typeof readRateHistory>) => readRateHistory(rates, db, input),
    hasRates: rates.isComplete,
    ratesAgeSeconds: rates.ageSeconds,
    pairRate: rates.pairRate,
    lastRate: rates.lastRate,
    usdValueOf: rates.usdValueOf,
    /** Returns whether an amount in this currency can be valued now. */
    hasRate: rates.isKnown,
    /** Rates that convert limits from US dollars. */
    valuation: rates,
    /** Returns an amount in US dollar cents, rounded up. Refuses `rates_unavailable`. */
    usdMinorOf: (amount: Money): bigint => convertToUsdMinor(rates, amount),
    /** Returns an amount in US dollar cents, rounded up; undefined without a usable rate. */
    usdMinorIfKnown: (amount: Money): bigint | undefined =>
      rates.isKnown(amount.currency) ? convertToUsdMinor(rates, amount) : undefined,
    /** Prices a request at current rates, without reserving the price. */
    price: (request: PriceRequest): Price => computePrice(request, rates),
    pricedFor: (input: Parameters<typeof priceQuote>[1]) => priceQuote(ctx, input),
    repricePromise: (input: Parameters<typeof repricePromise>[1]) => repricePromise(ctx, input),
    quote: (input: WorkInput<typeof makeQuote>) => makeQuote(ctx, pool, input),
    accept: (input: WorkInput<typeof acceptQuote>) => acceptQuote(ctx, pool, input),
    priceToMove: (input: WorkInput<typeof priceToMove>) => priceToMove(ctx, pool, input),
    promise: (quotedPrice: QuotedPrice) => promiseQuote(ctx, pool, quotedPrice),
    storeArrival: (tx: Tx, input: WorkInput<typeof storeArrivalQuote>) => storeArrivalQuote(ctx, tx, input),
    /** Reserves the operator's own trade until `endReservation`. Refuses like `promisePrice`. */
    reserveInTransaction: (tx: Tx, reservation: Reservation) => reserveInTransaction(ctx, tx, reservation),
    exposures: (db: Db) => readExposures(ctx, db),
    lockedValue: (db: Db) => readLockedValue(db, { at: now() }),
    sweepReservations: () => sweepReservations(pool, { at: now() }),
    /** Returns whether the product signed these terms, with its current secrets or with a rotated one. */
    wasSigned: ctx.signer.wasAuthentic,
    legs: (db: Db, input: WorkInput<typeof buildLegs>) => buildLegs(ctx, db, input),
  }
}

export type Exchange = ReturnType<typeof createExchange>

const convertToUsdMinor = ({ usdValueOf }: Pick<Rates, 'usdValueOf'>, amount: Money): bigint =>
  convert(amount, 'USD', crossRate(usdValueOf, amount.currency, 'USD'), 'up').minor
