export interface SessionLimits {
  /** Maximum age, regardless of use. */
  readonly lifetimeDays: number
  /** Maximum time since the last use. */
  readonly idleDays: number
  readonly maxPerAccount: number
}

export const defaultSessionLimits: SessionLimits = { lifetimeDays: 90, idleDays: 30, maxPerAccount: 20 }

const dayMs = 86_400_000

/** Returns the earliest start of a session that has not reached its maximum age at `at`. */
export const computeEarliestStart = (at: Date, { lifetimeDays }: SessionLimits): Date =>
  new Date(at.getTime() - lifetimeDays * dayMs)

/** Returns the end of a session that is not used again. */
export const computeSessionEnd = (at: Date, beganAt: Date, { lifetimeDays, idleDays }: SessionLimits): Date =>
  new Date(Math.min(at.getTime() + idleDays * dayMs, beganAt.getTime() + lifetimeDays * dayMs))
