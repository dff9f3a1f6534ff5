import { type CurrencyCode, currencyCodes, isCurrencyCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import { only, type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Rates } from '../rates/rates.ts'

// What promised prices may still add to the operator's position, and how far that may go. A reservation counts until its
// quote is used, replaced or can no longer be used; it stays while an outside payment begun at the quote is pending, which
// holds the quote's token, and while a transfer at its price is held. Position and reservations are read in one statement,
// so that a quote counts either as promised or as posted.

/** How a currency stands, in its minor units. */
export interface Standing {
  readonly currency: CurrencyCode
  /** What the desk has; negative where it owes. */
  readonly position: bigint
  /** What open promises may add at most, and take at most. */
  readonly incoming: bigint
  readonly outgoing: bigint
  /** Undefined while defaults in US dollars cannot be told in this currency. */
  readonly limits: PositionLimits | undefined
}

/** How far a position may go, in minor units; none is below zero. */
export interface PositionLimits {
  readonly long: bigint
  readonly short: bigint
  /** Beyond this, either way, it is flattened. */
  readonly flattenAbove: bigint
}

/** Two currencies of which one comes in and the other goes out. */
export interface Reservation {
  /** The quote's, or that of an order to flatten a position. */
  readonly id: string
  readonly source: Money
  readonly target: Money
  /** What is locked, in US dollar cents. */
  readonly usdMinor: bigint
  /** Whose; undefined is nobody's. */
  readonly userId: bigint | undefined
  /** Until when it can be used, or `infinity`. */
  readonly until: Date | 'infinity'
}

interface StoredStanding {
  readonly currency: string
  readonly position: bigint
  readonly incoming: bigint
  readonly outgoing: bigint
  readonly locked: bigint
  readonly locked_by_person: bigint
  readonly long_minor: bigint | null
  readonly short_minor: bigint | null
  readonly flatten_above_minor: bigint | null
}

type DefaultName = 'long' | 'short' | 'flatten_above' | 'locked_by_person' | 'locked_in_all'
type Defaults = Readonly<Record<DefaultName, bigint>>

interface Book {
  readonly standings: ReadonlyMap<CurrencyCode, StoredStanding>
  readonly defaults: Defaults
}

/** Whether reservation `r` may still move money; $1 is the time. */
const isLive = `case
    when k.id is null then r.until > $1
    when k.posting_id is null then true
    else exists (select from transfer h where h.quote_id = r.id and h.state in ('awaiting_funding', 'held')) end`

/** Of all reservations there are, or only of those that are `live`. What is not live was counted as posted as well. */
const bookSql = (which: 'all' | 'live') => `
  select c.code as currency, coalesce(p.position, 0) as position,
      coalesce(r.incoming, 0) as incoming, coalesce(r.outgoing, 0) as outgoing,
      coalesce(r.locked, 0) as locked, coalesce(r.locked_by_person, 0) as locked_by_person,
      l.long_minor, l.short_minor, l.flatten_above_minor
    from ledger.currency c
    left join (
      select currency, sum(balance) as position from ledger.account
       where kind in ('bridge', 'bridge_stablecoin', 'rounding') and floor is null group by currency
    ) p on p.currency = c.code
    left join (
      select currency, sum(minor) filter (where minor > 0) as incoming, -sum(minor) filter (where minor < 0) as outgoing,
          sum(usd_minor) as locked, sum(usd_minor) filter (where user_id = $2) as locked_by_person
        from liquidity_reservation r
        ${which === 'all' ? 'where $1::timestamptz is not null' : `left join ledger.token k on k.id = r.id where ${isLive}`}
       group by currency
    ) r on r.currency = c.code
    left join liquidity_limit l on l.currency = c.code`

async function readBook(db: Queryable, which: 'all' | 'live', at: Date, userId?: bigint): Promise<Book> {
  const { rows } = await db.query<StoredStanding>({
    name: `liquidity_${which}`,
    text: bookSql(which),
    values: [at, userId ?? null],
  })
  const { rows: defaults } = await db.query<{ name: DefaultName; usd_minor: bigint }>(
    'select name, usd_minor from liquidity_default',
  )
  return {
    standings: new Map(rows.flatMap((row) => (isCurrencyCode(row.currency) ? [[row.currency, row]] : []))),
    defaults: Object.fromEntries(defaults.map((row) => [row.name, row.usd_minor])) as Defaults,
  }
}

/** What limits in US dollars are worth. */
export type Valuation = Pick<Rates, 'usdValueOf' | 'isKnown'>

/** What an amount of US dollar cents is in a currency; rounded down. */
const fromUsd = ({ usdValueOf }: Valuation, usdMinor: bigint, currency: CurrencyCode): bigint =>
  usdMinor === 0n ? 0n : convert(money('USD', usdMinor), currency, crossRate(usdValueOf, 'USD', currency), 'down').minor

function standingOf(market: Valuation, { standings, defaults }: Book, currency: CurrencyCode): Standing {
  const row = only([standings.get(currency)].filter((found) => found !== undefined))
  const { position, incoming, outgoing } = row
  const own = { long: row.long_minor, short: row.short_minor, flattenAbove: row.flatten_above_minor }
  const limit = (set: bigint | null, name: DefaultName) => set ?? fromUsd(market, defaults[name], currency)
  const limits = (market.isKnown(currency) || !Object.values(own).includes(null)) && {
    long: limit(own.long, 'long'),
    short: limit(own.short, 'short'),
    flattenAbove: limit(own.flattenAbove, 'flatten_above'),
  }
  return { currency, position, incoming, outgoing, limits: limits || undefined }
}

/** How much more may come in, whatever becomes of open promises; nothing where it is not above zero. */
export const roomIn = ({ position, incoming, limits }: Standing): bigint =>
  limits ? limits.long - position - incoming : 0n

/** How much more may go out. */
export const roomOut = ({ position, outgoing, limits }: Standing): bigint =>
  limits ? limits.short + position - outgoing : 0n

type Objection = 'person' | 'all' | 'position'

function objectionTo(
  market: Valuation,
  book: Book,
  { source, target, usdMinor, userId }: Reservation,
): Objection | undefined {
  const { standings, defaults } = book
  const sumOf = (name: 'locked' | 'locked_by_person') =>
    [...standings.values()].reduce((sum, standing) => sum + standing[name], usdMinor)
  if (userId !== undefined && sumOf('locked_by_person') > defaults.locked_by_person) return 'person'
  if (usdMinor > 0n && sumOf('locked') > defaults.locked_in_all) return 'all'
  const fits =
    source.minor <= roomIn(standingOf(market, book, source.currency)) &&
    target.minor <= roomOut(standingOf(market, book, target.currency))
  return fits ? undefined : 'position'
}

/** All decisions about open promises are made one after another: what is locked in all is one sum. */
export const lockLiquidity = (tx: Tx): Promise<void> => lockName(tx, 'liquidity')

/**
 * Reserves what a promised price may add to the position in both its currencies. The transaction holds `lockLiquidity`, and
 * began before it read anything. Refuses `rate_limited` when the person has too much locked, and `liquidity_unavailable`
 * when too much is locked in all, or the position in one of the two could go beyond its limit.
 */
export async function reserve(tx: Tx, market: Valuation, wanted: Reservation, at: Date): Promise<void> {
  // Counting what is over as well is faster, and at most too careful.
  const quick = await readBook(tx, 'all', at, wanted.userId)
  if (objectionTo(market, quick, wanted)) {
    const book = await readBook(tx, 'live', at, wanted.userId)
    const objection = objectionTo(market, book, wanted)
    if (objection === 'person') {
      const max = toDecimal(money('USD', book.defaults.locked_by_person))
      refuse('rate_limited', { reason: { code: 'too_much_locked', params: { max } } })
    }
    if (objection) refuse('liquidity_unavailable')
  }
  const { id, source, target, usdMinor, userId = null, until } = wanted
  await tx.query(
    `insert into liquidity_reservation (id, currency, minor, usd_minor, user_id, until)
     values ($1, $2, $3, $4, $5, $6), ($1, $7, $8, 0, $5, $6)`,
    [id, source.currency, source.minor, usdMinor, userId, until, target.currency, -target.minor],
  )
}

/** Ends a reservation before its time. */
export async function endReservation(db: Queryable, id: string): Promise<void> {
  await db.query('delete from liquidity_reservation where id = $1', [id])
}

/** How every currency stands now. */
export async function standingsOf(db: Queryable, market: Valuation, at: Date): Promise<readonly Standing[]> {
  const book = await readBook(db, 'live', at)
  return currencyCodes.map((currency) => standingOf(market, book, currency))
}

/** What is locked at open prices, in US dollar cents, and how much of it may be. */
export async function lockedValue(db: Queryable, at: Date): Promise<{ usdMinor: bigint; max: bigint }> {
  const { standings, defaults } = await readBook(db, 'live', at)
  const usdMinor = [...standings.values()].reduce((sum, { locked }) => sum + locked, 0n)
  return { usdMinor, max: defaults.locked_in_all }
}

/** What an operator can set for a currency. */
export type LimitName = 'long' | 'short' | 'flatten_above'

/** Sets a limit of a currency for all processes, from now on. */
export async function setLimit(
  pool: pg.Pool,
  name: LimitName,
  { currency, minor }: Money,
  by: { readonly operator: string; readonly now: Date },
): Promise<void> {
  await transact(pool, async (tx) => {
    // Nothing is promised in between that the new limit would refuse.
    await lockLiquidity(tx)
    await tx.query(
      `insert into liquidity_limit (currency, ${name}_minor, changed_by, changed_at) values ($1, $2, $3, $4)
       on conflict (currency) do update
         set ${name}_minor = excluded.${name}_minor, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
      [currency, minor, by.operator, by.now],
    )
  })
}

/** For how long after its expiry a quote that was accepted in time may still be posted. */
export const graceMs = 60_000

/** Deletes reservations that are over, and frees the tokens of replaced quotes once they have expired anyway. */
export async function sweepReservations(pool: pg.Pool, at: Date): Promise<void> {
  await pool.query(
    `delete from liquidity_reservation where id = any (array(
       select r.id from liquidity_reservation r left join ledger.token k on k.id = r.id where not (${isLive})))`,
    [at],
  )
  await pool.query(
    `with over as (
       update quote set replaced_by = null from quote old
        where old.id = quote.id and old.replaced_by is not null and old.expires_at < $1
       returning quote.id, old.replaced_by)
     select ledger.release_token(id, replaced_by) from over`,
    [new Date(at.getTime() - graceMs)],
  )
}
