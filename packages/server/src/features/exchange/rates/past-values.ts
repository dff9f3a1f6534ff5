import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { Db } from '../../../platform/database/db.ts'
import type { RateFixRow } from '../row-types.ts'
import { computeValue, type LatestFix } from './rate-book.ts'
import { ratePolicies } from './rate-store.ts'

/** Age from which a fix says nothing about a time any more. */
const maxAgeMs = 7 * 86_400_000

interface Moment {
  readonly currency: CurrencyCode
  readonly at: Date
}

/** Value of one whole unit of a currency in US dollars at a past time. */
export interface PastValue {
  readonly value: Ratio
  readonly source: string
  /** Time of the oldest fix behind it; the time itself for the dollar. */
  readonly asOf: Date
}

type PastFix = Pick<RateFixRow, 'id' | 'source' | 'base' | 'quote' | 'as_of' | 'numerator' | 'denominator'> & {
  readonly index: number
}

/**
 * Returns the values at these times by the source with the newest fixes then, whatever sources are configured now.
 * Undefined where no source has a fix of the seven days before.
 */
export async function readPastValues(db: Db, moments: readonly Moment[]): Promise<(PastValue | undefined)[]> {
  const times = [...new Set(moments.map(({ at }) => at.getTime()))]
  const policies = await ratePolicies(db)
  const { rows } = await db.query<PastFix>(
    `select moment.index::int as index, f.id, f.source, f.base, f.quote, f.as_of, f.numerator, f.denominator
       from unnest($1::timestamptz[]) with ordinality as moment (at, index)
      cross join (select distinct source, base, quote from rate_latest) as p
      cross join lateral (
        select * from rate_fix
         where source = p.source and base = p.base and quote = p.quote and as_of <= moment.at
           and as_of > moment.at - make_interval(secs => $2) and state = 'accepted'
         order by as_of desc limit 1) as f`,
    [times.map((time) => new Date(time)), maxAgeMs / 1000], // not money: seconds
  )
  const fixesByTime = Map.groupBy(rows.map(toFix), ({ index }) => times[index - 1])
  return moments.map(({ currency, at }) => {
    if (currency === 'USD') return { value: ratio(1n, 1n), source: 'USD', asOf: at }
    const fixes = fixesByTime.get(at.getTime()) ?? []
    const values = [...new Set(fixes.map(({ source }) => source))]
      .toSorted()
      .map((source) => computeValue(source, fixes, currency, policies))
      .filter((value) => value !== undefined)
    const newest = values.toSorted((a, b) => b.asOf.getTime() - a.asOf.getTime())[0]
    return newest && { value: newest.value, source: newest.source, asOf: newest.asOf }
  })
}

function toFix({ index, id, source, base, quote, as_of: asOf, numerator, denominator }: PastFix) {
  if (!isCurrencyCode(base) || !isCurrencyCode(quote)) throw new Error(`fix ${id} is of an unknown pair`)
  const fix: LatestFix = { id, source, base, quote, asOf, confirmedAt: asOf, rate: ratio(numerator, denominator) }
  return { ...fix, index }
}
