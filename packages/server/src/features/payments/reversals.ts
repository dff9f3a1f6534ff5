import type { ReportLine } from '@tern/providers/report/port'
import type { Ground, Taking } from './ground.ts'

/** Money that had come and is taken back (refunds, chargebacks, returned debits), or comes again after that. */
export interface Reversals {
  /** What follows from such a movement; undefined when it belongs to no payment of ours. */
  taking(line: ReportLine): Promise<Taking | undefined>
}

export function createReversals(_ground: Ground): Reversals {
  return { taking: () => Promise.reject(new Error('being built')) }
}
