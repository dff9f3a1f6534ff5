import type { Quote } from '@tern/contract/exchange'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import type pg from 'pg'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import type { ExchangeContext } from '../context.ts'
import { readSmallestFee } from '../fee-policy.ts'
import { type Price, repriceAtCurrentRates, type PriceRequest, computePrice, repriceRequest } from '../price.ts'
import {
  computeExpiry,
  toLockedPrice,
  type QuotedPrice,
  type QuoteSigner,
  quoteView,
  type RateEvidence,
} from '../quote.ts'
import type { Rates } from '../rates/rates.ts'
import { promisePrice, type QuoteColumns } from './promise-batches.ts'
import { endReservation, graceMs, insertReservation, type Reservation } from './reservations.ts'

interface NewQuote {
  readonly userId: bigint
  readonly request: PriceRequest
  readonly recipientId: bigint | undefined
  /** Id of a quote of the same user to void, unless it is used, reserved or expired. */
  readonly replaces?: string | undefined
  readonly lifetimeMs?: number
  /** For a guest's payment: its value does not count towards the user's limit of locked value. */
  readonly isOfGuest?: boolean
}

/** Price at which money moves. `quoteId` is undefined within one currency. */
export interface MovementPrice {
  readonly price: Price
  readonly quoteId: string | undefined
}

/** Validity of a quote that only the current request uses. */
const immediateLifetimeMs = 60_000

function toColumns(quotedPrice: QuotedPrice, signer: QuoteSigner): QuoteColumns {
  const { userId, recipientId, createdAt } = quotedPrice
  const locked_price = toLockedPrice(quotedPrice)
  return {
    user_id: userId,
    recipient_id: recipientId,
    created_at: createdAt,
    expires_at: computeExpiry(quotedPrice),
    locked_price,
    signature: signer.sign(locked_price).toString('hex'),
  }
}

/** Signs and stores a quote, without a reservation. */
async function storeSignedQuote({ signer }: ExchangeContext, db: Db, quotedPrice: QuotedPrice): Promise<void> {
  const { user_id, recipient_id, created_at, expires_at, locked_price, signature } = toColumns(quotedPrice, signer)
  await db.query({
    name: 'store_quote',
    text: `insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
           values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'))`,
    values: [quotedPrice.id, user_id, recipient_id ?? null, created_at, expires_at, locked_price, signature],
  })
}

/** Voids a quote and ends its reservation, unless the quote is used, reserved by a payment, or expired. */
async function replaceQuote(tx: Tx, replacedQuoteId: string, by: QuotedPrice): Promise<void> {
  // Takes the quote's token, like its acceptance, so only one of them succeeds.
  const { rows } = await tx.query<{ is_replaced: boolean }>('select replace_quote($1, $2, $3, $4) as is_replaced', [
    replacedQuoteId,
    by.id,
    by.userId,
    by.createdAt,
  ])
  if (onlyRow(rows).is_replaced) await endReservation(tx, replacedQuoteId)
}

type UnpricedQuote = Omit<QuotedPrice, 'id' | 'price' | 'evidence' | 'createdAt'>
type PricingContext = Pick<ExchangeContext, 'rates' | 'now'>

/**
 * Prices a request, with evidence, without reserving the price. Refuses `rates_unavailable`, and like `computePrice`.
 */
export function priceQuote(ctx: PricingContext, input: UnpricedQuote): QuotedPrice {
  // Before pricing: this refusal contains the last rate if that is too old.
  const evidence = collectEvidence(ctx.rates, input.request)
  return addIdAndTime(ctx, { ...input, evidence, price: computePrice(input.request, ctx.rates) })
}

/**
 * Reprices a promised price at current rates, with evidence, without reserving it. Refuses `rates_unavailable`, and
 * like `repriceAtCurrentRates`.
 */
export function repricePromise(
  ctx: PricingContext,
  { promised, ...input }: Pick<QuotedPrice, 'userId' | 'recipientId'> & { readonly promised: Price },
): QuotedPrice {
  const price = repriceAtCurrentRates(promised, ctx.rates)
  const request = repriceRequest(promised)
  return addIdAndTime(ctx, { ...input, request, price, evidence: collectEvidence(ctx.rates, request) })
}

function addIdAndTime({ now }: PricingContext, draft: Omit<QuotedPrice, 'id' | 'createdAt'>): QuotedPrice {
  const createdAt = now()
  return { ...draft, id: newId(createdAt), createdAt }
}

/** Returns a user's price. Applies the smallest fee once the free movements of the day are used up. */
async function priceForUser(
  { rates, now }: PricingContext,
  db: Db,
  { userId, request }: Pick<NewQuote, 'userId' | 'request'>,
): Promise<Price> {
  const listedPrice = computePrice(request, rates)
  if (listedPrice.fee.minor > 0n) return listedPrice
  return computePrice(request, rates, await readSmallestFee(db, { userId, at: now() }))
}

/** Creates and stores a quote; in two currencies, also reserves its amounts. */
async function storeQuote(
  ctx: ExchangeContext,
  pool: pg.Pool,
  { replaces, isOfGuest, ...input }: NewQuote,
): Promise<QuotedPrice> {
  const { userId, request } = input
  const { sourceCurrency, targetCurrency } = request
  // Before pricing: this refusal contains the last rate if that is too old.
  ctx.rates.pairRate(sourceCurrency, targetCurrency)
  const price = isOfGuest ? computePrice(request, ctx.rates) : await priceForUser(ctx, pool, input)
  const quotedPrice = addIdAndTime(ctx, { ...input, price, evidence: collectEvidence(ctx.rates, request) })
  if (sourceCurrency === targetCurrency && replaces === undefined) {
    await storeSignedQuote(ctx, pool, quotedPrice)
    return quotedPrice
  }
  const reservation = { ...toReservation(quotedPrice), userId: isOfGuest ? undefined : userId }
  await promisePrice(ctx, pool, { reservation, quote: toColumns(quotedPrice, ctx.signer), replaces })
  return quotedPrice
}

/**
 * Creates and stores a signed quote for a user, and voids their quote `replaces` unless that is used. Refuses
 * `rates_unavailable`, and like `computePrice` and `promisePrice`.
 */
export async function makeQuote(
  ctx: ExchangeContext,
  pool: pg.Pool,
  input: Omit<NewQuote, 'lifetimeMs' | 'isOfGuest'>,
): Promise<Quote> {
  const { userId: senderId, recipientId } = input
  const quote = quoteView(await storeQuote(ctx, pool, input))
  if (recipientId === undefined) return quote
  return { ...quote, undo_seconds: await ctx.undoWindows.secondsFor(pool, { senderId, recipientId }) }
}

/**
 * Returns the current price for money that moves at once. In two currencies, it is stored and reserved as a quote that
 * the user does not see. Refuses like `makeQuote`.
 */
export async function priceToMove(
  ctx: ExchangeContext,
  pool: pg.Pool,
  input: Omit<NewQuote, 'replaces' | 'lifetimeMs'>,
): Promise<MovementPrice> {
  const { sourceCurrency, targetCurrency } = input.request
  if (sourceCurrency === targetCurrency) {
    return { price: await priceForUser(ctx, pool, input), quoteId: undefined }
  }
  const quotedPrice = await storeQuote(ctx, pool, { ...input, lifetimeMs: immediateLifetimeMs })
  return { price: quotedPrice.price, quoteId: quotedPrice.id }
}

/**
 * Stores and reserves a price just before money moves at it. Commits by itself, so that it holds no lock when the money
 * moves. Refuses like `promisePrice`.
 */
export async function promiseQuote(ctx: ExchangeContext, pool: pg.Pool, quotedPrice: QuotedPrice): Promise<void> {
  const reservation = { ...toReservation(quotedPrice), userId: undefined }
  await promisePrice(ctx, pool, { reservation, quote: toColumns(quotedPrice, ctx.signer) })
}

/**
 * Stores the price of arrived money in the transaction that credits it, and voids the quote `replaces` unless that is
 * used. Ignores the liquidity limits, since the money has already arrived.
 */
export async function storeArrivalQuote(
  ctx: ExchangeContext,
  tx: Tx,
  { quoted, replaces }: { readonly quoted: QuotedPrice; readonly replaces: string | undefined },
): Promise<void> {
  if (replaces !== undefined) await replaceQuote(tx, replaces, quoted)
  await insertReservation(tx, { ...toReservation(quoted), userId: undefined })
  await storeSignedQuote(ctx, tx, quoted)
}

const toReservation = (quotedPrice: QuotedPrice): Omit<Reservation, 'userId'> => {
  const { source, target, usdMinor } = quotedPrice.price
  return {
    id: quotedPrice.id,
    source,
    target,
    usdMinor,
    until: new Date(computeExpiry(quotedPrice).getTime() + graceMs),
  }
}

/** Returns the evidence for the price of a request. Refuses `rates_unavailable`. */
function collectEvidence(rates: Rates, { sourceCurrency, targetCurrency, useStablecoin }: PriceRequest): RateEvidence {
  const isConverted = sourceCurrency !== targetCurrency
  const bridge: CurrencyCode[] = useStablecoin ? [bridgeCurrency] : []
  const currencies = isConverted ? [...new Set([sourceCurrency, targetCurrency, ...bridge])] : []
  return {
    ...rates.pairRate(sourceCurrency, targetCurrency),
    valueFixIds: rates.fixIdsOf(currencies),
  }
}
