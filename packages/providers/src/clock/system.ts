import type { Clock } from './port.ts'

/** The computer's own clock. */
export const systemClock: Clock = { now: () => new Date() }
