import { reserveToken } from '@tern/ledger/ledger'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import type pg from 'pg'
import { type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { createKeyedLock } from '../../../platform/http/keyed-lock.ts'
import { newId } from '../../../platform/ids.ts'
import type { Price, PriceRequest } from '../price.ts'
import { type createQuoteSigner, expiryOf, lockedPriceOf, type QuotedPrice, type RateEvidence } from '../quote.ts'
import type { Rates } from '../rates/rates.ts'
import { endReservation, graceMs, insertReservation, lockLiquidity, type Reservation, reserve } from './reservations.ts'

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

async function storeSigned(db: Queryable, quoted: QuotedPrice, signer: Options['signer']): Promise<void> {
  const { id, userId, recipientId, createdAt } = quoted
  const locked_price = lockedPriceOf(quoted)
  await db.query(
    `insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, userId, recipientId ?? null, createdAt, expiryOf(quoted), locked_price, signer.sign(locked_price)],
  )
}

/** Makes quotes, and reserves what those in two currencies may add to the operator's position. */
export function createQuoteBook({ pool, rates, now, signer, price, priceFor }: Options) {
  // One at a time: a crowd that waits for the lock would hold every connection.
  const serialize = createKeyedLock()

  const store = (db: Queryable, quoted: QuotedPrice) => storeSigned(db, quoted, signer)

  /** Voids a quote for good, unless it is used, or kept by a payment or a held transfer. */
  async function replace(tx: Tx, replaced: string, by: QuotedPrice): Promise<void> {
    const { rowCount } = await tx.query('select from quote where id = $1 and user_id = $2 and expires_at > $3', [
      replaced,
      by.userId,
      by.createdAt,
    ])
    // Whoever accepts it at this moment takes the same token.
    if (rowCount === 0 || !(await reserveToken(tx, replaced, by.id))) return
    await tx.query('update quote set replaced_by = $2 where id = $1', [replaced, by.id])
    await endReservation(tx, replaced)
  }

  /** A price with what proves it, promised to nobody yet; `given` or that of this moment. Refuses what `priceOf` refuses. */
  function priced(asked: Omit<QuotedPrice, 'id' | 'price' | 'evidence' | 'createdAt'>, given?: Price): QuotedPrice {
    const createdAt = now()
    // First, since it refuses with the last rate where it is too old.
    const evidence = evidenceOf(rates, asked.request)
    return { ...asked, id: newId(createdAt), price: given ?? price(asked.request), evidence, createdAt }
  }

  /** Reserves for a quote in two currencies; whose open value it counts as is `userId`. The lock is held. */
  async function reserveFor(tx: Tx, quoted: QuotedPrice, userId: bigint | undefined): Promise<void> {
    const { source, target } = quoted.price
    if (source.currency !== target.currency) await reserve(tx, rates, { ...wantedBy(quoted), userId }, now())
  }

  async function make({ replaces, isOfGuest, ...asked }: NewQuote): Promise<QuotedPrice> {
    const { userId, request } = asked
    // First, since it refuses with the last rate where it is too old.
    rates.pairRate(request.sourceCurrency, request.targetCurrency)
    const quoted = priced(asked, isOfGuest ? undefined : await priceFor(userId, request))
    if (request.sourceCurrency === request.targetCurrency && replaces === undefined) {
      await store(pool, quoted)
      return quoted
    }
    await serialize('', () =>
      transact(pool, async (tx) => {
        await lockLiquidity(tx)
        if (replaces !== undefined) await replace(tx, replaces, quoted)
        await reserveFor(tx, quoted, isOfGuest ? undefined : userId)
        await store(tx, quoted)
      }),
    )
    return quoted
  }

  return {
    make,
    priced,
    /** Stores a price in the transaction that moves money at it. Refuses `liquidity_unavailable`. */
    async storeWithin(tx: Tx, quoted: QuotedPrice): Promise<void> {
      await lockLiquidity(tx)
      await reserveFor(tx, quoted, undefined)
      await store(tx, quoted)
    },
    /**
     * Stores the price of money that has come, in the transaction that takes it. It takes the place of the quote `before`,
     * which nobody holds. It moves whatever the limits say, since it cannot be sent back; while its transfer is held, it
     * stays reserved.
     */
    async storeArrivalWithin(tx: Tx, quoted: QuotedPrice, before: string | undefined): Promise<void> {
      await lockLiquidity(tx)
      if (before !== undefined) await replace(tx, before, quoted)
      await insertReservation(tx, { ...wantedBy(quoted), userId: undefined })
      await store(tx, quoted)
    },
    async priceToMove(asked: Omit<NewQuote, 'replaces' | 'lifetimeMs'>): Promise<PriceToMove> {
      const { request } = asked
      if (request.sourceCurrency === request.targetCurrency)
        return { price: await priceFor(asked.userId, request), quoteId: undefined }
      const quoted = await make({ ...asked, lifetimeMs: momentMs })
      return { price: quoted.price, quoteId: quoted.id }
    },
    letGo: (quoteId: string): Promise<void> =>
      transact(pool, async (tx) => {
        await lockLiquidity(tx)
        await endReservation(tx, quoteId)
      }),
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
