/** Turned down: repeating it is pointless. */
export interface Refused {
  status: 'refused'
  reason: string
}

/** No certain answer came. What was ordered may have been carried out: repeat it with the same key. */
export interface Unknown {
  status: 'unknown'
  reason: string
  /** The provider rejects our key or our request: an operator has to fix that, a retry does not help. */
  fault?: 'configuration'
}

/** A state, once there is one. */
export type Known<State> = Exclude<State, Unknown>
