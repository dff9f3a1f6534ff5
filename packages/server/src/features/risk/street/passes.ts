import { only, type Db } from '../../../platform/database/db.ts'
import { isNight, readSettings } from './settings.ts'

/** The numbers of street mode. */
export interface StreetPolicy {
  readonly hold_minutes: number
  readonly confirm_hours: number
  readonly weaken_after_hours: number
  readonly most_places: number
  readonly price_tolerance_basis_points: number
}

/** The newest version. */
export async function readStreetPolicy(db: Db): Promise<StreetPolicy> {
  const { rows } = await db.query<StreetPolicy>('select * from street_policy order by version desc limit 1')
  return only(rows)
}

/** Money that is about to leave. */
interface Leaving {
  /** Derived from the idempotency key. */
  readonly movementId: string
  /** Digest of the request: a retry counts once; another request under the key is decided separately. */
  readonly digest: Buffer
  readonly userId: bigint
  readonly usdMinor: bigint
  /** From which its sender calls; undefined when nobody is there, who is then away. */
  readonly network: string | undefined
}

/**
 * For how long street mode holds this, and after how long it can be confirmed, in seconds; undefined for what passes. What passes
 * away from trusted places or at night counts against the person's limit for a day, whether or not something comes of it.
 */
export async function streetHold(db: Db, leaving: Leaving, at: Date) {
  const { movementId, digest, userId, usdMinor, network } = leaving
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
  if (only(rows).outcome !== 'held') return undefined
  const { hold_minutes: holdMinutes, confirm_hours: confirmHours } = await readStreetPolicy(db)
  const confirmAfterSeconds = holdMinutes * 60
  return { seconds: confirmAfterSeconds + confirmHours * 3600, confirmAfterSeconds }
}
