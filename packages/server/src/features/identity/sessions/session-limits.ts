/** Lifetime and number of sessions. */
export interface SessionLimits {
  /** Since sign-in, regardless of use. */
  readonly lifetimeDays: number
  /** Since its last use. */
  readonly idleDays: number
  readonly maxPerAccount: number
}

export const defaultSessionLimits: SessionLimits = { lifetimeDays: 90, idleDays: 30, maxPerAccount: 20 }

const dayMs = 86_400_000

/** Sessions begun before this time have ended. */
export const computeEarliestStart = (at: Date, { lifetimeDays }: SessionLimits): Date =>
  new Date(at.getTime() - lifetimeDays * dayMs)

/** End of a session that is never used again. */
export const computeSessionEnd = (at: Date, beganAt: Date, { lifetimeDays, idleDays }: SessionLimits): Date =>
  new Date(Math.min(at.getTime() + idleDays * dayMs, beganAt.getTime() + lifetimeDays * dayMs))
