import { type CurrencyCode, currencyCodes, isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import type { ExchangeContext } from '../context.ts'
import type { Rates } from '../rates/rates.ts'
import type { LiquidityDefaultRow } from '../row-types.ts'

// Reserved amounts that quoted prices may still add to the operator's positions, and the limits of positions. A
// reservation counts until its quote is used, replaced or expired, and for as long as a pending payment holds the quote
// or a transfer at its price is held. One statement reads positions and reservations, so that no quote counts twice or
// not at all.

/** Position in a currency with its reservations, in minor units. */
export interface Exposure {
  readonly currency: CurrencyCode
  /** Balance of the exchange desk; negative if it owes. */
  readonly position: bigint
  /** Amounts that open quotes would add (`incoming`) and subtract (`outgoing`) at most. */
  readonly incoming: bigint
  readonly outgoing: bigint
  /** Undefined if a default in US dollars applies and the currency has no usable rate. */
  readonly limits: PositionLimits | undefined
}

/** Limits of a position, in minor units, never negative. */
export interface PositionLimits {
  readonly long: bigint
  readonly short: bigint
  /** Size, long or short, above which the position is flattened. */
  readonly flattenAbove: bigint
}

/** Reserved amounts of a conversion: `source` comes in, `target` goes out. */
export interface Reservation {
  /** Id of the quote, or of the order that flattens a position. */
  readonly id: string
  readonly source: Money
  readonly target: Money
  /** Value that counts towards the limits of locked value, in US dollar cents. */
  readonly usdMinor: bigint
  /** User whose limit of locked value it counts towards, if any. */
  readonly userId: bigint | undefined
  /** Time at which the reservation ends; `infinity` if it only ends explicitly. */
  readonly until: Date | 'infinity'
}

interface StoredExposure {
  readonly currency: string
  readonly desk: bigint
  readonly incoming: bigint
  readonly outgoing: bigint
  /** Locked value, in US dollar cents. */
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

/** Rates that convert limits from US dollars. */
export type Valuation = Pick<Rates, 'usdValueOf' | 'isKnown'>

/** Converts US dollar cents into minor units of a currency, rounded down. */
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

/** Amount that the position can still grow by if all open quotes are used; zero or negative without room. */
export const computeIncomingRoom = ({ position, incoming, limits }: Exposure): bigint =>
  limits ? limits.long - position - incoming : 0n

/** Amount that the position can still shrink by if all open quotes are used; zero or negative without room. */
export const computeOutgoingRoom = ({ position, outgoing, limits }: Exposure): bigint =>
  limits ? limits.short + position - outgoing : 0n

const sumLocked = ({ exposures }: ExposureBook): bigint =>
  [...exposures.values()].reduce((sum, { locked }) => sum + locked, 0n)

/** Stores a reservation without checking limits, and so without their lock. */
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

/** Returns the position, reservations and limits of every currency. */
export async function readExposures(
  { rates, now }: Pick<ExchangeContext, 'rates' | 'now'>,
  db: Db,
): Promise<readonly Exposure[]> {
  const book = await readBook(db, now())
  return currencyCodes.map((currency) => computeExposure(rates, book, currency))
}

/** Returns the value locked by open quotes, and its limit, in US dollar cents. */
export async function readLockedValue(
  db: Db,
  { at }: { readonly at: Date },
): Promise<{ usdMinor: bigint; max: bigint }> {
  const book = await readBook(db, at)
  return { usdMinor: sumLocked(book), max: book.defaults.locked_in_all }
}

/** Limit of a position that an operator can set for a currency. */
export type LimitName = 'long' | 'short' | 'flatten_above'

/** Sets a limit of a currency, which applies at once in all processes. */
export async function setLimit(
  pool: pg.Pool,
  name: LimitName,
  { currency, minor }: Money,
  by: { readonly operator: string; readonly now: Date },
): Promise<void> {
  // Takes the lock of reservations, so that no concurrent one exceeds the new limit.
  await pool.query(
    `insert into liquidity_limit (currency, ${name}_minor, changed_by, changed_at)
     select $1, $2, $3, $4 from pg_advisory_xact_lock(hashtextextended('liquidity', 0))
     on conflict (currency) do update
       set ${name}_minor = excluded.${name}_minor, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
    [currency, minor, by.operator, by.now],
  )
}

/** Time after its expiry in which an accepted quote can still be posted. */
export const graceMs = 60_000

const sweepBatchSize = 20_000

/** Deletes reservations that no longer count, and releases the tokens of replaced quotes after their expiry. */
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
