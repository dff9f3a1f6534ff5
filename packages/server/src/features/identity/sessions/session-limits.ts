/** How long sessions last, and how many an account has. */
export interface SessionLimits {
  /** After signing in, however much it is used. */
  readonly lifetimeDays: number
  /** After its last use. */
  readonly idleDays: number
  readonly mostPerAccount: number
}

export const usualSessionLimits: SessionLimits = { lifetimeDays: 90, idleDays: 30, mostPerAccount: 20 }

const dayMs = 86_400_000

/** Sessions begun before this have ended. */
export const beganBefore = (at: Date, { lifetimeDays }: SessionLimits): Date =>
  new Date(at.getTime() - lifetimeDays * dayMs)

/** When a session ends that is used now for the last time. */
export const endsAfter = (at: Date, beganAt: Date, { lifetimeDays, idleDays }: SessionLimits): Date =>
  new Date(Math.min(at.getTime() + idleDays * dayMs, beganAt.getTime() + lifetimeDays * dayMs))
