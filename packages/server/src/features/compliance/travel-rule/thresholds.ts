import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { readUsdMinor, type TravelRuleContext } from '../context.ts'
import type { TravelRuleThresholdRow } from '../row-types.ts'

/** Amount from which a country requires information about both parties of a transfer. */
export interface Threshold {
  readonly country: string
  /** Date as YYYY-MM-DD. */
  readonly validFrom: string
  readonly minimum: Money
}

/** Returns the thresholds in force on the day (UTC) of `at`, by country. */
export async function readThresholds(db: Db, at: Date): Promise<Map<string, Threshold>> {
  const { rows } = await db.query<
    Pick<TravelRuleThresholdRow, 'country' | 'valid_from' | 'currency' | 'threshold_minor'>
  >(
    `select distinct on (country) country, valid_from::text, currency, threshold_minor from travel_rule_threshold
      where valid_from <= ($1::timestamptz at time zone 'UTC')::date order by country, valid_from desc`,
    [at],
  )
  return new Map(
    rows.map(({ country, valid_from: validFrom, currency, threshold_minor: minor }) => {
      if (!isCurrencyCode(currency)) throw new Error(`the threshold of ${country} is in ${currency}`)
      return [country, { country, validFrom, minimum: money(currency, minor) }]
    }),
  )
}

/** Whether a transfer must be recorded, and by which threshold if it was compared with one. */
export type RecordRequirement = { readonly isRequired: false } | { readonly isRequired: true; readonly by?: Threshold }

interface AssessedTransfer {
  readonly amount: Money
  /** Countries of both parties; undefined if unknown. */
  readonly countries: readonly (string | undefined)[]
  readonly thresholds: ReadonlyMap<string, Threshold>
}

/**
 * Returns whether a transfer must be recorded: from the lower threshold of both parties' countries. A transfer that
 * cannot be compared is recorded: without a known country, without a threshold of it, or without a rate.
 */
export function findRequirement(
  ctx: Pick<TravelRuleContext, 'exchange'>,
  { amount, countries, thresholds }: AssessedTransfer,
): RecordRequirement {
  const foundThresholds = countries.map((country) => (country === undefined ? undefined : thresholds.get(country)))
  const usdMinor = readUsdMinor(ctx, amount)
  let lowest: { readonly threshold: Threshold; readonly usd: bigint } | undefined
  for (const threshold of foundThresholds) {
    if (threshold?.minimum.minor === 0n) return { isRequired: true, by: threshold }
    const usd = threshold && readUsdMinor(ctx, threshold.minimum)
    if (threshold === undefined || usd === undefined || usdMinor === undefined) return { isRequired: true }
    if (lowest === undefined || usd < lowest.usd) lowest = { threshold, usd }
  }
  if (lowest === undefined) return { isRequired: true }
  return usdMinor !== undefined && usdMinor >= lowest.usd
    ? { isRequired: true, by: lowest.threshold }
    : { isRequired: false }
}
