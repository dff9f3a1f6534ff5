/** Rejected: repeating the request is pointless. */
export interface RefusedOutcome {
  status: 'refused'
  reason: string
}

/** No certain reply. The request may have been carried out: repeat it with the same key. */
export interface UnknownOutcome {
  status: 'unknown'
  reason: string
  /** The provider rejects our key or our request: an operator must fix that, since a retry cannot help. */
  fault?: 'configuration'
}

/** State other than `unknown`. */
export type KnownOutcome<State> = Exclude<State, UnknownOutcome>
