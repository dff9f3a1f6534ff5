import type pg from 'pg'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { isFiatCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { refuse, type RefusalDetails } from '../../../platform/refuse.ts'
import { isStoppedByCase, type NewCase } from '../../compliance/compliance.ts'
import { type LimitUsage, buildUsage } from '../../limits/limits.ts'
import { isAccountStopped } from '../../risk/risk.ts'
import type { TransfersContext } from '../context.ts'
import { spendAcknowledgement } from '../warnings/warnings.ts'
import { type Facts, readFacts } from './facts.ts'
import type { HoldReason, TransferKind } from './transitions.ts'

/** Transfer to be authorized. */
export interface Candidate {
  readonly kind: TransferKind
  readonly senderId: bigint
  /** Only for sends. */
  readonly recipientId?: bigint
  /** Amount to be debited, without the fee. */
  readonly source: Money
  readonly target: Money
  /** Amount that counts against limits, in US dollar cents. */
  readonly usdMinor: bigint
  /** Seconds for which the sender may undo it; only for sends. */
  readonly undoSeconds?: number | undefined
  /** Derived from the idempotency key. */
  readonly movementId?: string
  /** Funding source, named by `sourceName` of risk; the wallet by default. */
  readonly paidFrom?: string
  /** Network of the request; undefined if the sender is absent. */
  readonly network?: string | undefined
  /** Session of the request; undefined if the sender is absent. */
  readonly sessionId?: string | undefined
  /** Holder of the bank account of a payout or deposit. */
  readonly counterpartyId?: string | undefined
}

export interface Hold {
  readonly outcome: 'hold'
  readonly reason: HoldReason
  /** Deadline, or duration from when the hold is recorded; for a funded send, from when its money arrives. */
  readonly until: Date | { readonly seconds: number }
  /** Case to be opened with a `compliance` hold. */
  readonly opens?: Omit<NewCase, 'transferId'>
  /** Time until the second proof can be given, if street mode holds the transfer or would also hold it. */
  readonly confirmAfterSeconds?: number | undefined
}

/** Hold until the cases that stop its parties are decided; without a case, until the lists are fresh. */
export const complianceHold: Hold = { outcome: 'hold', reason: 'compliance', until: { seconds: 86_400 } }

export type Decision =
  | { readonly outcome: 'settle' }
  | Hold
  | { readonly outcome: 'refuse'; readonly code: RefusalCode; readonly details?: RefusalDetails }

/** Rule for some transfers. Returns undefined to leave a transfer to the next rule. */
export type TransferRule = (
  ctx: Pick<TransfersContext, 'wallets' | 'counterparties' | 'lists' | 'now'>,
  pool: pg.Pool,
  input: { readonly transfer: Candidate; readonly facts: Facts },
) => Decision | undefined | Promise<Decision | undefined>

export type AllowedDecision = Exclude<Decision, { outcome: 'refuse' }>

/** Decided transfer, with the facts behind the decision. */
export interface Authorization {
  readonly transfer: Candidate
  readonly decided: AllowedDecision
  readonly facts: Facts
}

type DecideContext = Pick<TransfersContext, 'rules' | 'wallets' | 'counterparties' | 'lists' | 'monitoring' | 'now'>

const settle: Decision = { outcome: 'settle' }

/** Decision if no rule objects: held only while its sender may undo it. */
const withoutObjection = ({ undoSeconds: seconds = 0 }: Candidate): Decision =>
  seconds > 0 ? { outcome: 'hold', reason: 'undo', until: { seconds } } : settle

async function decideBy(ctx: DecideContext, pool: pg.Pool, transfer: Candidate, facts: Facts): Promise<Decision> {
  for (const rule of ctx.rules) {
    const decision = await rule(ctx, pool, { transfer, facts })
    if (decision) return decision.outcome === 'settle' ? withoutObjection(transfer) : decision
  }
  return withoutObjection(transfer)
}

const requireFacts = async (ctx: DecideContext, db: Db, transfer: Candidate): Promise<Facts> =>
  (await readFacts(ctx, db, transfer)) ?? refuse('unauthenticated')

/** Decides whether a transfer settles, is held or refused. Refuses `unauthenticated` for an unknown sender. */
export async function decide(ctx: DecideContext, pool: pg.Pool, transfer: Candidate): Promise<Decision> {
  return decideBy(ctx, pool, transfer, await requireFacts(ctx, pool, transfer))
}

/** Decides like `decide`, but throws a rule's refusal, and uses up the acknowledgement of a warning. */
export async function authorize(ctx: DecideContext, pool: pg.Pool, transfer: Candidate): Promise<Authorization> {
  const facts = await requireFacts(ctx, pool, transfer)
  const decided = await decideBy(ctx, pool, transfer, facts)
  if (decided.outcome === 'refuse') return refuse(decided.code, decided.details)
  const { movementId, sessionId } = transfer
  if (facts.warning && movementId !== undefined && sessionId !== undefined) {
    await spendAcknowledgement(pool, { id: facts.warning.id, movementId })
  }
  return { transfer, decided, facts }
}

/** True if a case, freeze or loss stopped a transfer after its decision; its money has not moved. */
export const isStopError = (error: unknown): boolean => isStoppedByCase(error) || isAccountStopped(error)

/** Decides an authorized transfer again after a stop error; throws all other errors. */
export async function decideAgain(
  ctx: DecideContext,
  pool: pg.Pool,
  { authorization, error }: { readonly authorization: Authorization; readonly error: unknown },
): Promise<Authorization> {
  if (!isStopError(error)) throw error
  return authorize(ctx, pool, authorization.transfer)
}

const methods = { wallet_send: 'transfer', funded_send: 'transfer', exchange: 'exchange', payout: 'payout' } as const

/**
 * Limit usage of a transfer, enforced by the statement that moves its money. Empty for an exchange into fiat, and for a
 * deposit, which was counted as a pull.
 */
export const buildTransferUsage = (
  {
    kind,
    senderId,
    target,
    usdMinor,
  }: Pick<Candidate, 'kind' | 'senderId' | 'usdMinor'> & { target: Pick<Money, 'currency'> },
  at: Date,
): { usage?: LimitUsage } =>
  kind === 'deposit' || (kind === 'exchange' && isFiatCode(target.currency))
    ? {}
    : { usage: buildUsage(senderId, methods[kind], usdMinor, at) }
