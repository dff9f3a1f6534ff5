import { type CurrencyCode, currencyCodes, isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import type { ExchangeContext } from '../context.ts'
import type { Rates } from '../rates/rates.ts'
import type { LiquidityDefaultRow } from '../row-types.ts'

// Amounts that promised prices may still add to the operator's positions, and their limits. A reservation counts until
// its quote is used, replaced or expired for good; it stays while a pending outside payment holds the quote's token,
// and while a transfer at its price is held. Position and reservations are read in one statement, so that a quote
// counts either as promised or as posted.

/** Exposure in a currency, in its minor units. */
export interface Exposure {
  readonly currency: CurrencyCode
  /** The desk's balance; negative if it owes. */
  readonly position: bigint
  /** Largest amounts that open promises may add and take. */
  readonly incoming: bigint
  readonly outgoing: bigint
  /** Undefined while defaults in US dollars cannot be converted into this currency. */
  readonly limits: PositionLimits | undefined
}

/** Limits of a position, in minor units; none is below zero. */
export interface PositionLimits {
  readonly long: bigint
  readonly short: bigint
  /** The position is flattened beyond this, in either direction. */
  readonly flattenAbove: bigint
}

/** Amounts reserved in two currencies, one incoming and one outgoing. */
export interface Reservation {
  /** Id of the quote, or of an order to flatten a position. */
  readonly id: string
  readonly source: Money
  readonly target: Money
  /** Locked value, in US dollar cents. */
  readonly usdMinor: bigint
  /** User whose locked value it counts towards, if any. */
  readonly userId: bigint | undefined
  /** End of its validity, or `infinity`. */
  readonly until: Date | 'infinity'
}

interface StoredExposure {
  readonly currency: string
  readonly desk: bigint
  readonly incoming: bigint
  readonly outgoing: bigint
  /** US dollar cents. */
  readonly locked: bigint
  readonly long_minor: bigint | null
  readonly short_minor: bigint | null
  readonly flatten_above_minor: bigint | null
}

type DefaultName = 'long' | 'short' | 'flatten_above' | 'locked_by_person' | 'locked_in_all'

interface ExposureBook {
  readonly exposures: ReadonlyMap<CurrencyCode, StoredExposure>
  readonly defaults: Readonly<Record<DefaultName, bigint>>
}

async function readBook(db: Db, at: Date): Promise<ExposureBook> {
  const { rows } = await db.query<StoredExposure>({
    name: 'liquidity_exposures',
    text: 'select * from liquidity_exposures($1, true)',
    values: [at],
  })
  const { rows: settings } = await db.query<LiquidityDefaultRow>('select name, usd_minor from liquidity_default')
  return {
    exposures: new Map(rows.flatMap((row) => (isCurrencyCode(row.currency) ? [[row.currency, row]] : []))),
    defaults: Object.fromEntries(settings.map((row) => [row.name, row.usd_minor])) as ExposureBook['defaults'],
  }
}

/** Rates that value limits in US dollars. */
export type Valuation = Pick<Rates, 'usdValueOf' | 'isKnown'>

/** Converts US dollar cents into a currency; rounded down. */
const convertFromUsd = ({ usdValueOf }: Valuation, usdMinor: bigint, currency: CurrencyCode): bigint =>
  usdMinor === 0n ? 0n : convert(money('USD', usdMinor), currency, crossRate(usdValueOf, 'USD', currency), 'down').minor

function computeExposure(market: Valuation, { exposures, defaults }: ExposureBook, currency: CurrencyCode): Exposure {
  const row = onlyRow([exposures.get(currency)].filter((found) => found !== undefined))
  const { desk: position, incoming, outgoing } = row
  const ownLimits = { long: row.long_minor, short: row.short_minor, flattenAbove: row.flatten_above_minor }
  const limit = (ownLimit: bigint | null, name: DefaultName) =>
    ownLimit ?? convertFromUsd(market, defaults[name], currency)
  const limits = (market.isKnown(currency) || !Object.values(ownLimits).includes(null)) && {
    long: limit(ownLimits.long, 'long'),
    short: limit(ownLimits.short, 'short'),
    flattenAbove: limit(ownLimits.flattenAbove, 'flatten_above'),
  }
  return { currency, position, incoming, outgoing, limits: limits || undefined }
}

/** Amount that may still come in, regardless of open promises; not positive if there is no room. */
export const computeIncomingRoom = ({ position, incoming, limits }: Exposure): bigint =>
  limits ? limits.long - position - incoming : 0n

/** Amount that may still go out, regardless of open promises. */
export const computeOutgoingRoom = ({ position, outgoing, limits }: Exposure): bigint =>
  limits ? limits.short + position - outgoing : 0n

const sumLocked = ({ exposures }: ExposureBook): bigint =>
  [...exposures.values()].reduce((sum, { locked }) => sum + locked, 0n)

/** Reserves for money already received, regardless of limits and so without their lock. */
export async function insertReservation(
  tx: Tx,
  { id, source, target, usdMinor, userId, until }: Reservation,
): Promise<void> {
  await tx.query(
    `insert into liquidity_reservation (id, currency, minor, usd_minor, user_id, until)
     values ($1, $2, $3, $4, $5, $6), ($1, $7, $8, 0, $5, $6)`,
    [id, source.currency, source.minor, usdMinor, userId ?? null, until, target.currency, -target.minor],
  )
}

/** Releases a reservation before it expires. */
export async function endReservation(db: Db, id: string): Promise<void> {
  await db.query('delete from liquidity_reservation where id = $1', [id])
}

/** Reads position, promises and limits of every currency. */
export async function readExposures(
  { rates, now }: Pick<ExchangeContext, 'rates' | 'now'>,
  db: Db,
): Promise<readonly Exposure[]> {
  const book = await readBook(db, now())
  return currencyCodes.map((currency) => computeExposure(rates, book, currency))
}

/** Reads the value locked at open prices, in US dollar cents, and its limit. */
export async function readLockedValue(
  db: Db,
  { at }: { readonly at: Date },
): Promise<{ usdMinor: bigint; max: bigint }> {
  const book = await readBook(db, at)
  return { usdMinor: sumLocked(book), max: book.defaults.locked_in_all }
}

/** Limits that an operator can set for a currency. */
export type LimitName = 'long' | 'short' | 'flatten_above'

/** Sets a limit of a currency, effective at once in all processes. */
export async function setLimit(
  pool: pg.Pool,
  name: LimitName,
  { currency, minor }: Money,
  by: { readonly operator: string; readonly now: Date },
): Promise<void> {
  // Under the lock of reservations, so that no concurrent price exceeds the new limit.
  await pool.query(
    `insert into liquidity_limit (currency, ${name}_minor, changed_by, changed_at)
     select $1, $2, $3, $4 from pg_advisory_xact_lock(hashtextextended('liquidity', 0))
     on conflict (currency) do update
       set ${name}_minor = excluded.${name}_minor, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
    [currency, minor, by.operator, by.now],
  )
}

/** Time after its expiry during which an accepted quote may still be posted. */
export const graceMs = 60_000

const sweepBatchSize = 20_000

/** Deletes reservations that are over, and frees the tokens of replaced quotes once they have expired. */
export async function sweepReservations(pool: pg.Pool, { at }: { readonly at: Date }): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from liquidity_reservation where id = any (array(
         select r.id from liquidity_reservation r
          where not exists (select from live_reservations($1) l where l.id = r.id and l.currency = r.currency)
          limit ${sweepBatchSize} for update skip locked))`,
      [at],
    )
    if (rowCount === 0) break
  }
  await pool.query(
    `with over as (
       update quote set replaced_by = null from quote old
        where old.id = quote.id and old.replaced_by is not null and old.expires_at < $1
       returning quote.id, old.replaced_by)
     select ledger.release_token(id, replaced_by) from over`,
    [new Date(at.getTime() - graceMs)],
  )
}
