// Counts the answers to all attempts of clients, including those that they repeat.

import { Refused } from '@tern/contract/protocol/client'
import type { Watch } from '../../harness/actor.ts'

export interface Tally {
  requests: number
  /** Attempts without an answer: no connection, a lost answer, or none in time. */
  unanswered: number
  /** Answers with a status of 500 or more. */
  failed: number
  /** Refusals by code. */
  readonly refusals: Map<string, number>
}

export const createTally = (): Tally => ({ requests: 0, unanswered: 0, failed: 0, refusals: new Map() })

/** Returns a function that counts each attempt once it is answered. */
export const watchInto =
  (tally: Tally): Watch =>
  (_path, _key, attempt) => {
    tally.requests += 1
    attempt.catch((error: unknown) => {
      if (!(error instanceof Refused)) tally.unanswered += 1
      else {
        if (error.status >= 500) tally.failed += 1
        tally.refusals.set(error.code, (tally.refusals.get(error.code) ?? 0) + 1)
      }
    })
  }
