import { onlyRow, type Db } from '../../../platform/database/db.ts'
import { isNight, readSettings } from './settings.ts'
import type { StreetPolicyRow } from '../row-types.ts'

export type StreetPolicy = Pick<
  StreetPolicyRow,
  'hold_minutes' | 'confirm_hours' | 'weaken_after_hours' | 'most_places' | 'price_tolerance_basis_points'
>

/** Newest version of the parameters. */
export async function readStreetPolicy(db: Db): Promise<StreetPolicy> {
  const { rows } = await db.query<StreetPolicy>('select * from street_policy order by version desc limit 1')
  return onlyRow(rows)
}

/** Send or withdrawal that is about to leave the wallet. */
interface OutgoingSend {
  /** Derived from the idempotency key. */
  readonly movementId: string
  /** Digest of the request: a retry counts once; another request under the key is decided separately. */
  readonly digest: Buffer
  readonly userId: bigint
  readonly usdMinor: bigint
  /** Network of the request; undefined if the sender is absent, which counts as away. */
  readonly network: string | undefined
}

/**
 * Seconds for which street mode holds a payment, and after which it can be confirmed; undefined if it passes. Payments
 * that pass at night or away from trusted places count against the user's limit for a day, even if they fail later.
 */
export async function computeStreetHold(db: Db, movement: OutgoingSend, at: Date) {
  const { movementId, digest, userId, usdMinor, network } = movement
  const { current } = await readSettings(db, userId, at)
  if (!current?.is_on) return undefined
  const { rows } = await db.query<{ outcome: string }>('select pass_street($1, $2, $3, $4, $5, $6, $7) as outcome', [
    movementId,
    digest,
    userId,
    at,
    usdMinor,
    network ?? null,
    isNight(current, at),
  ])
  if (onlyRow(rows).outcome !== 'held') return undefined
  const { hold_minutes: holdMinutes, confirm_hours: confirmHours } = await readStreetPolicy(db)
  const confirmAfterSeconds = holdMinutes * 60
  return { seconds: confirmAfterSeconds + confirmHours * 3600, confirmAfterSeconds }
}
