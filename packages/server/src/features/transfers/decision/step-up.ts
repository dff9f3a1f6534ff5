import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { Identity, SensitiveAction } from '../../identity/identity.ts'
import { assessRisk, readReasonToProve, recordProof, revokeDecision, type RiskCandidate } from '../../risk/risk.ts'
import type { Wallets } from '../../wallets/wallets.ts'

/** Request that may require a fresh confirmation by the account owner. */
export interface StepUp {
  readonly candidate: RiskCandidate
  /** Undefined if the owner is absent and cannot confirm. */
  readonly proof: Proof | undefined
}

/** Confirmation of exactly one action, given or requested. */
interface Proof {
  readonly caller: Caller
  readonly action: SensitiveAction
  readonly confirmation: string | undefined
  /** True if the step-up states why it is required. */
  readonly givesReason?: boolean
}

interface StepUpContext {
  readonly identity: Pick<Identity, 'requireStepUp'>
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly now: () => Date
}

/** Returns the time at which the owner confirmed exactly this request. Refuses `step_up_required`. */
export async function proveByOwner(
  { identity }: Pick<StepUpContext, 'identity'>,
  db: Db,
  { candidate, proof }: StepUp,
): Promise<Date> {
  if (!proof) return refuse('step_up_required')
  const { caller, action, confirmation, givesReason = false } = proof
  const needsReason = givesReason && confirmation === undefined
  const reason = needsReason ? await readReasonToProve(db, candidate) : undefined
  return identity.requireStepUp({ caller, act: { ...action, reason }, confirmation })
}

/**
 * Lets a request pass that needs no confirmation, or has a fresh one. Returns the id of the risk decision for
 * `revokeRefused`. Refuses `step_up_required`.
 */
export async function verifyStepUp(ctx: StepUpContext, pool: pg.Pool, stepUp: StepUp): Promise<string> {
  const { candidate } = stepUp
  const { passes, decisionId } = await assessRisk(ctx, pool, { candidate, at: ctx.now() })
  if (passes) return decisionId
  const provenAt = await proveByOwner(ctx, pool, stepUp)
  return recordProof(pool, { candidate, provenAt, at: ctx.now() })
}

/** Revokes the risk decision of a request that was then refused, and rethrows the error. */
export async function revokeRefused(
  { now }: Pick<StepUpContext, 'now'>,
  pool: pg.Pool,
  { decisionId, error }: { readonly decisionId: string; readonly error: unknown },
): Promise<never> {
  // After other errors the movement may have been made, so the decision stays for a retry.
  if (error instanceof Refusal) await revokeDecision(pool, { decisionId, at: now() })
  throw error
}
