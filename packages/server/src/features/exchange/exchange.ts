import type { Quote } from '@tern/contract/exchange'
import type { Account } from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import type { Money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import type { Queryable } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Secret } from '../../platform/seal.ts'
import type { Wallet, Wallets } from '../wallets/wallets.ts'
import { legsOf } from './legs.ts'
import { type Price, type PriceRequest, priceOf } from './price.ts'
import {
  createQuoteSigner,
  expiryOf,
  priceFrom,
  type QuotedPrice,
  quoteView,
  requestFrom,
  type Terms,
  lockedPriceOf,
} from './quote.ts'
import type { Rates } from './rates/rates.ts'

export type { PriceText } from './quote.ts'
export { priceFrom, priceText, priceView } from './quote.ts'
export { createRates } from './rates/rates.ts'
export { type PairRate } from './rates/pair-rate.ts'
export { type QuotedPrice } from './quote.ts'
export { decideHeldBack, heldBackFixes, type HeldBackFix, latestFixes } from './rates/rate-store.ts'
export type { Price } from './price.ts'

/** A quote of this user that may be acted on now. */
export interface AcceptedQuote {
  readonly quoteId: string
  readonly recipientId: bigint | undefined
  readonly price: Price
  /** A payment from outside has been begun at it and may still be made: nothing else can be paid at its price. */
  readonly isPaidFromOutside: boolean
}

interface Options {
  readonly pool: pg.Pool
  readonly rates: Rates
  readonly wallets: Wallets
  readonly secret: Secret
  readonly now: () => Date
  /** For how many seconds a send to a payee can be taken back. */
  readonly undoWindows: { secondsFor(senderId: bigint, recipientId: bigint): Promise<number> }
}

/** Prices, quotes and the legs of a conversion. */
export function createExchange({ pool, rates, wallets, secret, now, undoWindows }: Options) {
  const signer = createQuoteSigner(secret)
  /** What an amount is worth in US dollar cents, rounded up. Refuses `rates_unavailable`. */
  const usdMinorOf = (amount: Money): bigint =>
    convert(amount, 'USD', crossRate(rates.usdValueOf, amount.currency, 'USD'), 'up').minor

  /** A price at the rates of this moment, without any promise to keep it. */
  const price = (request: PriceRequest): Price => priceOf(request, rates)

  /** The price of this moment with what proves it. Refuses what `price` refuses. */
  function priceWithEvidence(userId: bigint, request: PriceRequest, recipientId?: bigint): QuotedPrice {
    const createdAt = now()
    // First, since it refuses with the last rate where it is too old.
    const evidence = rates.pairRate(request.sourceCurrency, request.targetCurrency)
    return { id: newId(createdAt), userId, recipientId, request, price: price(request), evidence, createdAt }
  }

  /** Signs and stores a price as a quote. */
  async function storeQuote(db: Queryable, quoted: QuotedPrice): Promise<void> {
    const { id, userId, recipientId, createdAt } = quoted
    const locked_price = lockedPriceOf(quoted)
    await db.query(
      `insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, userId, recipientId ?? null, createdAt, expiryOf(quoted), locked_price, signer.sign(locked_price)],
    )
  }

  /** Makes and stores a signed quote for `userId`. */
  async function quote(userId: bigint, request: PriceRequest, recipientId: bigint | undefined): Promise<Quote> {
    const quoted = priceWithEvidence(userId, request, recipientId)
    await storeQuote(pool, quoted)
    const undo = recipientId === undefined ? {} : { undo_seconds: await undoWindows.secondsFor(userId, recipientId) }
    return { ...quoteView(quoted), ...undo }
  }

  /** The stored quote if it is this user's and still good. Refuses `not_found`, or `quote_expired` with a fresh `quote`. */
  async function accept(userId: bigint, quoteId: string): Promise<AcceptedQuote> {
    const { rows } = await pool.query<{ locked_price: Terms; signature: Buffer; is_paid_from_outside: boolean }>(
      `select locked_price, signature,
          exists (select from payment where quote_id = $1 and status <> 'failed') as is_paid_from_outside
         from quote where id = $1 and user_id = $2`,
      [quoteId, userId],
    )
    const stored = rows[0] ?? refuse('not_found', { reason: 'quote_not_found' })
    const { locked_price } = stored
    const recipientId = locked_price.recipient === null ? undefined : BigInt(locked_price.recipient)
    // Before the signature, whose secret may have been replaced since: an expired promise binds nobody.
    if (new Date(locked_price.expiresAt) <= now()) {
      refuse('quote_expired', { extra: { quote: await quote(userId, requestFrom(locked_price), recipientId) } })
    }
    if (!signer.isAuthentic(locked_price, stored.signature)) throw new Error(`quote ${quoteId} was altered`)
    return { quoteId, recipientId, price: priceFrom(locked_price), isPaidFromOutside: stored.is_paid_from_outside }
  }

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
    priceWithEvidence,
    storeQuote,
    quote,
    accept,
    /**
     * The legs that carry `price` from one wallet into another (or the same one), fee and residue included. `from` may be
     * a settlement account, for money that comes from outside.
     */
    legs: (priced: Price, from: Wallet | Account, to: Wallet): Promise<Leg[]> => legsOf(priced, from, to, wallets),
  }
}

export type Exchange = ReturnType<typeof createExchange>
