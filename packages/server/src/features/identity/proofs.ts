import type { ProvenAction } from '@tern/contract/security'
import type { Caller } from '../../serve.ts'

/** One sensitive act, as its proof is bound to it. */
export interface ProvenAct {
  readonly action: ProvenAction
  /** What the person is shown and confirms, in words and amounts. */
  readonly subject: Readonly<Record<string, string>>
  /** What is bound too but says nothing to a person, such as an idempotency key. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** Fresh proofs for sensitive acts (PSD2 RTS, articles 4 and 5: dynamic linking, five failures, five minutes, once). */
export interface Proofs {
  /**
   * Passes when `proof` was proved within five minutes by this session for exactly this act; spends it. The same act may
   * bring the same proof again, so that a repeated request is answered like the first. Otherwise refuses `proof_required`
   * with a new proof to confirm.
   */
  demand(caller: Caller, act: ProvenAct, proof: string | undefined): Promise<void>
}
