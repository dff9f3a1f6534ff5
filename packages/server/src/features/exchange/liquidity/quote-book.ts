import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import type pg from 'pg'
import { only, type Db, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import type { Price, PriceRequest } from '../price.ts'
import { type createQuoteSigner, expiryOf, lockedPriceOf, type QuotedPrice, type RateEvidence } from '../quote.ts'
import type { Rates } from '../rates/rates.ts'
import { createPromises, type QuoteColumns } from './promise-batches.ts'
import { endReservation, graceMs, insertReservation, type Reservation } from './reservations.ts'

interface Options {
  readonly pool: pg.Pool
  readonly rates: Rates
  readonly now: () => Date
  readonly signer: ReturnType<typeof createQuoteSigner>
  readonly price: (request: PriceRequest) => Price
  readonly priceFor: (userId: bigint, request: PriceRequest) => Promise<Price>
}

interface NewQuote {
  readonly userId: bigint
  readonly request: PriceRequest
  readonly recipientId: bigint | undefined
  /** A quote of the same person that is void from then on, unless it is used. */
  readonly replaces?: string | undefined
  readonly lifetimeMs?: number
  /** What is locked is not this person's own doing. */
  readonly isOfGuest?: boolean
}

/** A price that money is moved at, and the quote that keeps it; none within one currency. */
export interface PriceToMove {
  readonly price: Price
  readonly quoteId: string | undefined
}

/** For money that moves in the request that asks for the price. */
const momentMs = 60_000

function columnsOf(quoted: QuotedPrice, signer: Options['signer']): QuoteColumns {
  const { userId, recipientId, createdAt } = quoted
  const locked_price = lockedPriceOf(quoted)
  return {
    user_id: userId,
    recipient_id: recipientId,
    created_at: createdAt,
    expires_at: expiryOf(quoted),
    locked_price,
    signature: signer.sign(locked_price).toString('hex'),
  }
}

/** Stores a quote that reserves nothing, or whose reservation is made beside it. */
async function storeSigned(db: Db, quoted: QuotedPrice, signer: Options['signer']): Promise<void> {
  const { user_id, recipient_id, created_at, expires_at, locked_price, signature } = columnsOf(quoted, signer)
  await db.query({
    name: 'store_quote',
    text: `insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
           values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'))`,
    values: [quoted.id, user_id, recipient_id ?? null, created_at, expires_at, locked_price, signature],
  })
}

/** Voids a quote for good, unless it is used, or kept by a payment or a held transfer. */
async function replaceQuote(tx: Tx, replaced: string, by: QuotedPrice): Promise<void> {
  // Accepting the quote takes the same token.
  const { rows } = await tx.query<{ is_replaced: boolean }>('select replace_quote($1, $2, $3, $4) as is_replaced', [
    replaced,
    by.id,
    by.userId,
    by.createdAt,
  ])
  if (only(rows).is_replaced) await endReservation(tx, replaced)
}

/** Makes quotes, and reserves what those in two currencies may add to the operator's position. */
export function createQuoteBook({ pool, rates, now, signer, price, priceFor }: Options) {
  const promise = createPromises({ pool, valuation: rates, now })

  /** A price with what proves it, promised to nobody yet; `given` or that of this moment. Refuses what `priceOf` refuses. */
  function priced(asked: Omit<QuotedPrice, 'id' | 'price' | 'evidence' | 'createdAt'>, given?: Price): QuotedPrice {
    const createdAt = now()
    // First, since it refuses with the last rate where it is too old.
    const evidence = evidenceOf(rates, asked.request)
    return { ...asked, id: newId(createdAt), price: given ?? price(asked.request), evidence, createdAt }
  }

  async function make({ replaces, isOfGuest, ...asked }: NewQuote): Promise<QuotedPrice> {
    const { userId, request } = asked
    // First, since it refuses with the last rate where it is too old.
    rates.pairRate(request.sourceCurrency, request.targetCurrency)
    const quoted = priced(asked, isOfGuest ? undefined : await priceFor(userId, request))
    if (request.sourceCurrency === request.targetCurrency && replaces === undefined) {
      await storeSigned(pool, quoted, signer)
      return quoted
    }
    const reservation = { ...wantedBy(quoted), userId: isOfGuest ? undefined : userId }
    await promise({ reservation, quote: columnsOf(quoted, signer), replaces })
    return quoted
  }

  return {
    make,
    priced,
    /** Reserves without a quote. Refuses `liquidity_unavailable`. */
    reserve: (reservation: Reservation): Promise<void> => promise({ reservation }),
    /**
     * Stores a price that money is about to move at, in a transaction of its own: committed before the money moves, it holds
     * no lock. Refuses `liquidity_unavailable`.
     */
    promise: (quoted: QuotedPrice): Promise<void> =>
      promise({ reservation: { ...wantedBy(quoted), userId: undefined }, quote: columnsOf(quoted, signer) }),
    /**
     * Stores the price of money that has come, in the transaction that takes it. It takes the place of the quote `before`,
     * which nobody holds. It moves whatever the limits say, since it cannot be sent back; while its transfer is held, it
     * stays reserved.
     */
    async storeArrivalWithin(tx: Tx, quoted: QuotedPrice, before: string | undefined): Promise<void> {
      if (before !== undefined) await replaceQuote(tx, before, quoted)
      await insertReservation(tx, { ...wantedBy(quoted), userId: undefined })
      await storeSigned(tx, quoted, signer)
    },
    async priceToMove(asked: Omit<NewQuote, 'replaces' | 'lifetimeMs'>): Promise<PriceToMove> {
      const { request } = asked
      if (request.sourceCurrency === request.targetCurrency)
        return { price: await priceFor(asked.userId, request), quoteId: undefined }
      const quoted = await make({ ...asked, lifetimeMs: momentMs })
      return { price: quoted.price, quoteId: quoted.id }
    },
    letGo: (id: string): Promise<void> => endReservation(pool, id),
  }
}

const wantedBy = (quoted: QuotedPrice): Omit<Reservation, 'userId'> => {
  const { source, target, usdMinor } = quoted.price
  return { id: quoted.id, source, target, usdMinor, until: new Date(expiryOf(quoted).getTime() + graceMs) }
}

/** Everything that a price of this request is made of. */
function evidenceOf(rates: Rates, { sourceCurrency, targetCurrency, useStablecoin }: PriceRequest): RateEvidence {
  const isConverted = sourceCurrency !== targetCurrency
  const bridge: CurrencyCode[] = useStablecoin ? [bridgeCurrency] : []
  const currencies = isConverted ? [...new Set([sourceCurrency, targetCurrency, ...bridge])] : []
  return {
    ...rates.pairRate(sourceCurrency, targetCurrency),
    valueFixIds: rates.fixIdsOf(currencies),
  }
}
