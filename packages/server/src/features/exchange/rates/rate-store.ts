import type { CurrencyCode } from '@tern/money/currency'
import { divide, type Ratio, ratio } from '@tern/money/ratio'
import type { RateFix } from '@tern/providers/rates/port'
import type pg from 'pg'
import { onlyRow, type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { newId } from '../../../platform/ids.ts'
import { computeValue, pairKind, type LatestFix, type RatePolicies } from './rate-book.ts'
import type { RateFixRow, RateLatestRow, RatePolicyRow } from '../row-types.ts'

// Tolerance for sources with clocks ahead of ours.
const clockToleranceMs = 5 * 60_000
const isAhead = (at: Date, now: Date): boolean => at.getTime() > now.getTime() + clockToleranceMs

type LatestRow = Omit<RateFixRow, 'received_at' | 'state' | 'decided_by' | 'decided_at'> &
  Pick<RateLatestRow, 'confirmed_at'>

/** Returns the fixes in use, of all sources. */
export async function latestFixes(db: Db): Promise<LatestFix[]> {
  const { rows } = await db.query<LatestRow>(
    `select f.id, f.source, f.base, f.quote, f.as_of, l.confirmed_at, f.numerator, f.denominator
       from rate_latest l join rate_fix f on f.id = l.fix_id`,
  )
  return rows.map(({ id, source, base, quote, numerator, denominator, as_of: asOf, confirmed_at: confirmedAt }) => {
    const rate = ratio(numerator, denominator)
    return { id, source, base, quote, rate, asOf, confirmedAt }
  })
}

/** Returns the validity and the allowed jump of each kind of currency. */
export async function ratePolicies(db: Db): Promise<RatePolicies> {
  const { rows } = await db.query<RatePolicyRow>('select * from rate_policy')
  const policies = rows.map(
    (row) =>
      [
        row.kind,
        {
          maxAgeSeconds: row.max_age_seconds,
          skipsClosingDays: row.skips_closing_days,
          maxJumpPartsPerMillion: BigInt(row.max_jump_parts_per_million),
        },
      ] as const,
  )
  return Object.fromEntries(policies) as RatePolicies
}

const unitRatio = ratio(1n, 1n)

const isSame = (a: Ratio, b: Ratio): boolean => a.numerator === b.numerator && a.denominator === b.denominator

/** Returns whether two rates differ by more than the bound, in millionths of the lower rate. */
function isJump(previousRate: Ratio, newRate: Ratio, partsPerMillion: bigint): boolean {
  const [a, b] = [previousRate.numerator * newRate.denominator, newRate.numerator * previousRate.denominator]
  const [low, high] = a < b ? [a, b] : [b, a]
  return (high - low) * 1_000_000n > low * partsPerMillion
}

type Verdict = 'confirmed' | 'accepted' | 'held_back' | 'older' | 'ahead'

interface Comparison {
  readonly fixInUse: Pick<LatestFix, 'rate' | 'asOf' | 'confirmedAt'> | undefined
  /** Rate of the pair by the source's anchor, if that is usable. */
  readonly anchorRate?: Ratio | undefined
  readonly policies: RatePolicies
  readonly now: Date
}

/**
 * Compares a fix with the one in use and the anchor's rate. `ahead`: dated in the future, so that it would count as
 * fresh for too long.
 */
export function evaluateFix(fix: RateFix, { fixInUse, anchorRate, policies, now }: Comparison): Verdict {
  if (isAhead(fix.asOf, now)) return 'ahead'
  // Skipped if the fix in use is dated in the future, as after our clock was set back.
  if (fixInUse && !isAhead(fixInUse.confirmedAt, now) && fix.asOf < fixInUse.confirmedAt) return 'older'
  const { maxJumpPartsPerMillion } = policies[pairKind(fix)]
  if (anchorRate && isJump(anchorRate, fix.rate, maxJumpPartsPerMillion)) return 'held_back'
  if (!fixInUse) return 'accepted'
  if (isSame(fix.rate, fixInUse.rate)) return 'confirmed'
  return isJump(fixInUse.rate, fix.rate, maxJumpPartsPerMillion) ? 'held_back' : 'accepted'
}

/** Returns the rate of a pair by one source; undefined if that source does not cover it, or is too old. */
function findAnchorRate(
  anchor: string,
  { base, quote }: Pick<RateFix, 'base' | 'quote'>,
  { fixesInUse, policies, now }: Pick<Comparison, 'policies' | 'now'> & { readonly fixesInUse: readonly LatestFix[] },
): Ratio | undefined {
  const [baseValue, quoteValue] = [base, quote].map((currency) => {
    if (currency === 'USD') return unitRatio
    const value = computeValue(anchor, fixesInUse, currency, policies)
    return value && value.usableUntil >= now ? value.value : undefined
  })
  return baseValue && quoteValue && divide(baseValue, quoteValue)
}

const pairKey = ({ base, quote }: Pick<RateFix, 'base' | 'quote'>): string => `${base}/${quote}`

/** Newest fixes of a source that need attention. */
export interface UnusedFixes {
  /** Newly held back because of a jump. */
  readonly heldBackFixes: readonly RateFix[]
  /** Ignored because they are dated in the future. */
  readonly futureFixes: readonly RateFix[]
}

/** Stores a source's newest fixes, and puts the acceptable ones in use. */
export const storeLatest = (
  pool: pg.Pool,
  { source, anchor }: { readonly source: string; readonly anchor?: string | undefined },
  fixes: readonly RateFix[],
  now: Date,
): Promise<UnusedFixes> =>
  transact(pool, async (tx) => {
    await lockName(tx, `rates of ${source}`)
    const policies = await ratePolicies(tx)
    const fixesInUse = await latestFixes(tx)
    const previousFixes = new Map(fixesInUse.filter((fix) => fix.source === source).map((fix) => [pairKey(fix), fix]))
    const evaluations = fixes.map((fix) => ({
      fix,
      verdict: evaluateFix(fix, {
        fixInUse: previousFixes.get(pairKey(fix)),
        anchorRate: anchor === undefined ? undefined : findAnchorRate(anchor, fix, { fixesInUse, policies, now }),
        policies,
        now,
      }),
    }))
    const selectFixes = (verdict: Verdict) =>
      evaluations.filter((evaluation) => evaluation.verdict === verdict).map(({ fix }) => fix)
    await confirmFixes(tx, source, selectFixes('confirmed'))
    for (const fix of selectFixes('accepted')) await acceptFix(tx, source, fix, now)
    const heldBackFixes: RateFix[] = []
    for (const fix of selectFixes('held_back'))
      if (await insertFix(tx, source, fix, 'held_back', now)) heldBackFixes.push(fix)
    return { heldBackFixes, futureFixes: selectFixes('ahead') }
  })

async function confirmFixes(tx: Tx, source: string, fixes: readonly RateFix[]): Promise<void> {
  if (fixes.length === 0) return
  await tx.query(
    `update rate_latest l set confirmed_at = f.as_of
       from unnest($2::text[], $3::text[], $4::timestamptz[]) as f (base, quote, as_of)
      where l.source = $1 and l.base = f.base and l.quote = f.quote and l.confirmed_at <> f.as_of`,
    [source, fixes.map(({ base }) => base), fixes.map(({ quote }) => quote), fixes.map(({ asOf }) => asOf)],
  )
}

/** Puts a fix in use and rejects the held-back fixes of its pair. */
async function acceptFix(tx: Tx, source: string, fix: RateFix, now: Date): Promise<void> {
  const id = await insertFix(tx, source, fix, 'accepted', now)
  await storeFixInUse(tx, { id: id ?? (await acceptStoredFix(tx, source, fix)), source, ...fix })
  await tx.query(
    `update rate_fix set state = 'rejected', decided_by = 'later_fix', decided_at = $4
      where source = $1 and base = $2 and quote = $3 and state = 'held_back'`,
    [source, fix.base, fix.quote, now],
  )
}

async function storeFixInUse(tx: Tx, fix: Pick<LatestFix, 'id' | 'source' | 'base' | 'quote' | 'asOf'>): Promise<void> {
  await tx.query(
    `insert into rate_latest (source, base, quote, fix_id, confirmed_at) values ($1, $2, $3, $4, $5)
     on conflict (source, base, quote) do update set fix_id = excluded.fix_id, confirmed_at = excluded.confirmed_at`,
    [fix.source, fix.base, fix.quote, fix.id, fix.asOf],
  )
}

/** Stores a fix and returns its id; undefined if it is stored already. */
async function insertFix(
  tx: Tx,
  source: string,
  { base, quote, asOf, rate }: RateFix,
  state: 'accepted' | 'held_back',
  now: Date,
): Promise<string | undefined> {
  const { rows } = await tx.query<Pick<RateFixRow, 'id'>>(
    `insert into rate_fix (id, source, base, quote, as_of, numerator, denominator, received_at, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict on constraint rate_fix_once do nothing returning id`,
    [newId(now), source, base, quote, asOf, rate.numerator, rate.denominator, now, state],
  )
  return rows[0]?.id
}

async function acceptStoredFix(tx: Tx, source: string, { base, quote, asOf, rate }: RateFix): Promise<string> {
  const { rows } = await tx.query<Pick<RateFixRow, 'id'>>(
    `update rate_fix set state = 'accepted', decided_by = null, decided_at = null
      where source = $1 and base = $2 and quote = $3 and as_of = $4 and numerator = $5 and denominator = $6
      returning id`,
    [source, base, quote, asOf, rate.numerator, rate.denominator],
  )
  const [row] = rows
  if (!row) throw new Error(`the fix ${source} ${base}/${quote} of ${asOf.toISOString()} is missing`)
  return row.id
}

/** Time range of a source's stored fixes. */
export interface HistorySpan {
  /** Time from which every pair has fixes. */
  readonly oldest: Date
  /** Time of the newest fix of any pair before `until`. */
  readonly newest: Date
}

/** Returns the time range of a source's fixes; undefined if it has none before `until`. */
export async function loadHistorySpan(db: Db, source: string, until: Date): Promise<HistorySpan | undefined> {
  // One index lookup per pair, since there are many fixes.
  const { rows } = await db.query<{ oldest: Date | null; newest: Date | null }>(
    `select max(oldest) as oldest, max(newest) as newest
       from rate_latest l
      cross join lateral (
        select min(as_of) as oldest from rate_fix f
         where f.source = l.source and f.base = l.base and f.quote = l.quote) as first
      cross join lateral (
        select max(as_of) as newest from rate_fix f
         where f.source = l.source and f.base = l.base and f.quote = l.quote and as_of < $2) as last
      where l.source = $1`,
    [source, until],
  )
  const { oldest, newest } = onlyRow(rows)
  return oldest && newest ? { oldest, newest } : undefined
}

/** Stores historical fixes for charts. Prices do not use them. */
export async function storeHistory(db: Db, source: string, history: readonly RateFix[], now: Date): Promise<void> {
  const fixes = history.filter(({ asOf }) => asOf <= now)
  const batchSize = 2000
  for (let start = 0; start < fixes.length; start += batchSize) {
    const batch = fixes.slice(start, start + batchSize)
    await db.query(
      `insert into rate_fix (id, source, base, quote, as_of, numerator, denominator, received_at, state)
       select id, $1, base, quote, as_of, numerator, denominator, $2, 'accepted'
         from unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::numeric[], $8::numeric[])
           as f (id, base, quote, as_of, numerator, denominator)
       on conflict on constraint rate_fix_once do nothing`,
      [
        source,
        now,
        batch.map(() => newId(now)),
        batch.map(({ base }) => base),
        batch.map(({ quote }) => quote),
        batch.map(({ asOf }) => asOf),
        batch.map(({ rate }) => rate.numerator),
        batch.map(({ rate }) => rate.denominator),
      ],
    )
  }
}

/** Fix that was held back because of a jump, with the rate in use, if any. */
export interface HeldBackFix {
  readonly id: string
  readonly source: string
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  readonly asOf: Date
  readonly rate: Ratio
  readonly inUse: Ratio | undefined
}

/** Returns the newest held-back fix of each pair and source. */
export async function listHeldBackFixes(db: Db): Promise<HeldBackFix[]> {
  const { rows } = await db.query<LatestRow & { used_numerator: bigint | null; used_denominator: bigint | null }>(
    `select distinct on (f.source, f.base, f.quote) f.*, u.numerator as used_numerator, u.denominator as used_denominator
       from rate_fix f left join rate_latest l using (source, base, quote) left join rate_fix u on u.id = l.fix_id
      where f.state = 'held_back' order by f.source, f.base, f.quote, f.as_of desc`,
  )
  return rows.map(({ id, source, base, quote, as_of: asOf, ...row }) => {
    const rate = ratio(row.numerator, row.denominator)
    const { used_numerator: numerator, used_denominator: denominator } = row
    const inUse = numerator !== null && denominator !== null ? ratio(numerator, denominator) : undefined
    return { id, source, base, quote, asOf, rate, inUse }
  })
}

/**
 * Applies an operator's verdict to a held-back fix, and rejects older held-back fixes of its pair. Returns false if it
 * is no longer held back.
 */
export const decideHeldBackFix = (
  pool: pg.Pool,
  id: string,
  verdict: 'accept' | 'reject',
  { operator, now }: { readonly operator: string; readonly now: Date },
): Promise<boolean> =>
  transact(pool, async (tx) => {
    const { rows: fixRows } = await tx.query<Pick<RateFixRow, 'source'>>(
      'select source from rate_fix where id::text = $1',
      [id],
    )
    if (!fixRows[0]) return false
    await lockName(tx, `rates of ${fixRows[0].source}`)
    const { rows } = await tx.query<LatestRow>(
      `update rate_fix set state = $2, decided_by = $3, decided_at = $4
        where id = $1 and state = 'held_back' returning *`,
      [id, verdict === 'accept' ? 'accepted' : 'rejected', operator, now],
    )
    const [row] = rows
    if (!row) return false
    const { source, base, quote, as_of: asOf } = row
    if (verdict === 'accept') await storeFixInUse(tx, { id, source, base, quote, asOf })
    await tx.query(
      `update rate_fix set state = 'rejected', decided_by = $4, decided_at = $5
        where source = $1 and base = $2 and quote = $3 and state = 'held_back' and as_of <= $6`,
      [source, base, quote, operator, now, asOf],
    )
    return true
  })
