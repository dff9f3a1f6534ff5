import { type CurrencyCode, currencyCodes, isCurrencyCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import type pg from 'pg'
import { only, type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Rates } from '../rates/rates.ts'

// What promised prices may still add to the operator's position, and how far that may go. A reservation counts until its
// quote is used, replaced or can no longer be used; it stays while an outside payment begun at the quote is pending, which
// holds the quote's token, and while a transfer at its price is held. Position and reservations are read in one statement,
// so that a quote counts either as promised or as posted.

/** How a currency stands, in its minor units. */
export interface Exposure {
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

interface StoredExposure {
  readonly currency: string
  readonly position: bigint
  readonly incoming: bigint
  readonly outgoing: bigint
  /** In US dollar cents. */
  readonly locked: bigint
  readonly long_minor: bigint | null
  readonly short_minor: bigint | null
  readonly flatten_above_minor: bigint | null
}

type DefaultName = 'long' | 'short' | 'flatten_above' | 'locked_by_person' | 'locked_in_all'

interface Book {
  readonly exposures: ReadonlyMap<CurrencyCode, StoredExposure>
  readonly defaults: Readonly<Record<DefaultName, bigint>>
  /** What one person has locked, in US dollar cents. */
  readonly ofPerson: bigint
}

/** Whether reservation `r`, whose token is `k`, may still move money; $1 is the time. */
const isLive = `case
    when k.id is null then r.until > $1
    when k.posting_id is null then true
    else exists (select from transfer h where h.quote_id = r.id and h.state in ('awaiting_funding', 'held')) end`
const liveReservations = `select r.* from liquidity_reservation r left join ledger.token k on k.id = r.id where ${isLive}`

/** With these sums of reservations. */
const exposuresSql = (sums: string) => `
  select c.code as currency, coalesce(p.position, 0) as position, coalesce(r.incoming, 0) as incoming,
      coalesce(r.outgoing, 0) as outgoing, coalesce(r.usd_minor, 0) as locked,
      l.long_minor, l.short_minor, l.flatten_above_minor
    from ledger.currency c
    left join (
      select currency, sum(balance) as position from ledger.account
       where kind in ('bridge', 'bridge_stablecoin', 'rounding') and floor is null group by currency
    ) p on p.currency = c.code
    left join (${sums}) r on r.currency = c.code
    left join liquidity_limit l on l.currency = c.code`

/** Those of all, over or not, which are at most too high. */
const roughSql = exposuresSql('select * from liquidity_total')
/** Exact for the currencies in $2. */
const exactSql = exposuresSql(`
  select currency, sum(greatest(minor, 0)) as incoming, sum(greatest(-minor, 0)) as outgoing, sum(usd_minor) as usd_minor
    from (${liveReservations} and r.currency = any ($2)) live group by currency
  union all
  select currency, incoming, outgoing, usd_minor from liquidity_total where currency <> all ($2)`)

const settingsSql = (ofPerson: string) => `
  select name, usd_minor from liquidity_default union all
  select 'of_person', coalesce(sum(usd_minor), 0) from (${ofPerson}) own`
const roughSettingsSql = settingsSql('select usd_minor from liquidity_reservation where user_id = $1')
const exactSettingsSql = settingsSql(`${liveReservations} and r.user_id = $2`)

type Exactly = readonly CurrencyCode[]

/** Reads the book, exactly for the named currencies, and then for the person too. */
async function readBook(db: Queryable, at: Date, exactly: Exactly, userId: bigint | null = null): Promise<Book> {
  const isRough = exactly.length === 0
  const { rows } = await db.query<StoredExposure>(
    isRough ? { name: 'liquidity_rough', text: roughSql } : { text: exactSql, values: [at, exactly] },
  )
  const { rows: settings } = await db.query<{ name: DefaultName | 'of_person'; usd_minor: bigint }>(
    isRough
      ? { name: 'liquidity_rough_settings', text: roughSettingsSql, values: [userId] }
      : { text: exactSettingsSql, values: [at, userId] },
  )
  const known = Object.fromEntries(settings.map((row) => [row.name, row.usd_minor]))
  return {
    exposures: new Map(rows.flatMap((row) => (isCurrencyCode(row.currency) ? [[row.currency, row]] : []))),
    defaults: known as Book['defaults'],
    ofPerson: known.of_person ?? 0n,
  }
}

/** What limits in US dollars are worth. */
export type Valuation = Pick<Rates, 'usdValueOf' | 'isKnown'>

/** What an amount of US dollar cents is in a currency; rounded down. */
const fromUsd = ({ usdValueOf }: Valuation, usdMinor: bigint, currency: CurrencyCode): bigint =>
  usdMinor === 0n ? 0n : convert(money('USD', usdMinor), currency, crossRate(usdValueOf, 'USD', currency), 'down').minor

function exposureOf(market: Valuation, { exposures, defaults }: Book, currency: CurrencyCode): Exposure {
  const row = only([exposures.get(currency)].filter((found) => found !== undefined))
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
export const roomIn = ({ position, incoming, limits }: Exposure): bigint =>
  limits ? limits.long - position - incoming : 0n

/** How much more may go out. */
export const roomOut = ({ position, outgoing, limits }: Exposure): bigint =>
  limits ? limits.short + position - outgoing : 0n

type Objection = 'amount' | 'person' | 'all' | 'position'

function objectionTo(market: Valuation, book: Book, wanted: Reservation): Objection | undefined {
  const { source, target, usdMinor, userId } = wanted
  const { defaults, ofPerson } = book
  if (usdMinor > mostOfOne(book, userId)) return 'amount'
  if (userId !== undefined && ofPerson + usdMinor > defaults.locked_by_person) return 'person'
  if (usdMinor > 0n && lockedIn(book) + usdMinor > defaults.locked_in_all) return 'all'
  const fits =
    source.minor <= roomIn(exposureOf(market, book, source.currency)) &&
    target.minor <= roomOut(exposureOf(market, book, target.currency))
  return fits ? undefined : 'position'
}

/** The most that one price can ever be kept for, in US dollar cents. */
function mostOfOne({ defaults }: Book, userId: bigint | undefined): bigint {
  const { locked_by_person: ofPerson, locked_in_all: inAll } = defaults
  return userId !== undefined && ofPerson < inAll ? ofPerson : inAll
}

const lockedIn = ({ exposures }: Book): bigint => [...exposures.values()].reduce((sum, { locked }) => sum + locked, 0n)

/** All decisions about open promises are made one after another: what is locked in all is one sum. */
export const lockLiquidity = (tx: Tx): Promise<void> => lockName(tx, 'liquidity')

/**
 * Reserves what a promised price may add to the position in both its currencies. The transaction holds `lockLiquidity`, and
 * began before it read anything. Refuses `limit_exceeded` for an amount beyond what any one price is kept for, `rate_limited`
 * when the person has too much locked, and `liquidity_unavailable` when too much is locked in all, or the position in one of the
 * two could go beyond its limit.
 */
export async function reserve(tx: Tx, market: Valuation, wanted: Reservation, at: Date): Promise<void> {
  // What is over is counted as well at first, which is fast and at most too careful.
  for (const exactly of [[], [wanted.source.currency, wanted.target.currency], currencyCodes]) {
    const book = await readBook(tx, at, exactly, wanted.userId)
    const objection = objectionTo(market, book, wanted)
    if (!objection) break
    if (objection === 'amount') {
      const max = toDecimal(money('USD', mostOfOne(book, wanted.userId)))
      refuseField('limit_exceeded', 'amount', { code: 'limit_of_one_price', params: { max } })
    }
    if (exactly.length === 0 || (objection === 'all' && exactly !== currencyCodes)) continue
    if (objection !== 'person') refuse('liquidity_unavailable')
    const max = toDecimal(money('USD', book.defaults.locked_by_person))
    refuse('rate_limited', { reason: { code: 'too_much_locked', params: { max } } })
  }
  await insertReservation(tx, wanted)
}

/** Reserves whatever the limits say. The transaction holds `lockLiquidity`. */
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

/** Ends a reservation before its time. The transaction holds `lockLiquidity`, as whoever changes reservations does. */
export async function endReservation(db: Tx, id: string): Promise<void> {
  await db.query('delete from liquidity_reservation where id = $1', [id])
}

/** How every currency stands now. */
export async function exposuresOf(db: Queryable, market: Valuation, at: Date): Promise<readonly Exposure[]> {
  const book = await readBook(db, at, currencyCodes)
  return currencyCodes.map((currency) => exposureOf(market, book, currency))
}

/** What is locked at open prices, in US dollar cents, and how much of it may be. */
export async function lockedValue(db: Queryable, at: Date): Promise<{ usdMinor: bigint; max: bigint }> {
  const book = await readBook(db, at, currencyCodes)
  return { usdMinor: lockedIn(book), max: book.defaults.locked_in_all }
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

/** Few enough that nobody waits long for the lock. */
const mostAtOnce = 5000

/** Deletes reservations that are over, and frees the tokens of replaced quotes once they have expired anyway. */
export async function sweepReservations(pool: pg.Pool, at: Date): Promise<void> {
  await transact(pool, async (tx) => {
    await lockLiquidity(tx)
    await tx.query(
      `delete from liquidity_reservation where id = any (array(
         select r.id from liquidity_reservation r left join ledger.token k on k.id = r.id where not (${isLive})
          limit ${mostAtOnce}))`,
      [at],
    )
  })
  await pool.query(
    `with over as (
       update quote set replaced_by = null from quote old
        where old.id = quote.id and old.replaced_by is not null and old.expires_at < $1
       returning quote.id, old.replaced_by)
     select ledger.release_token(id, replaced_by) from over`,
    [new Date(at.getTime() - graceMs)],
  )
}
