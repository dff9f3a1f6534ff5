import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { isFiatCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type pg from 'pg'
import { Refusal, refuse, type RefusalDetails } from '../../../platform/refuse.ts'
import {
  type Counterparties,
  isStoppedByCase,
  type ListGate,
  type Monitoring,
  type NewCase,
} from '../../compliance/compliance.ts'
import { type LimitUsage, usageOf as usageOfMethod } from '../../limits/limits.ts'
import { isAccountStopped, type Passed, type RiskCandidate } from '../../risk/risk.ts'
import type { Wallets } from '../../wallets/wallets.ts'
import { createFactsReader, type Facts } from './facts.ts'
import type { HoldReason, TransferKind } from './transitions.ts'

/** A transfer that is about to be authorised. */
export interface Candidate {
  readonly kind: TransferKind
  readonly senderId: bigint
  /** Only of sends. */
  readonly recipientId?: bigint
  /** What leaves, without the fee. */
  readonly source: Money
  readonly target: Money
  /** What it counts against limits, in US dollar cents. */
  readonly usdMinor: bigint
  /** For how long its sender wants to be able to take it back; only of sends. */
  readonly undoSeconds?: number | undefined
  /** Derived from the idempotency key. */
  readonly movementId?: string
  /** Funding source, as `sourceOf` of risk names it; the wallet by default. */
  readonly paidFrom?: string
  /** From which its sender calls; undefined when nobody is there. */
  readonly network?: string | undefined
  /** In which its sender asks for it; undefined when nobody is there. */
  readonly sessionId?: string | undefined
  /** Who gets it, or gave it, and has no account here: the holder of a bank account. */
  readonly counterpartyId?: string | undefined
}

export interface Hold {
  readonly outcome: 'hold'
  readonly reason: HoldReason
  /**
   * The deadline, or how long it is held from when it is written down. A funded send waits as long, counted from when its
   * money has come.
   */
  readonly until: Date | { readonly seconds: number }
  /** Of one for `compliance`: a case that is opened with it. */
  readonly opens?: Omit<NewCase, 'transferId'>
  /** After how long it can be confirmed; of street mode, and of a case where street mode would have held it too. */
  readonly confirmAfterSeconds?: number | undefined
}

/** Hold until the cases that stop its parties are decided, with their deadlines; without a case, until lists are fresh. */
export const heldForCases: Hold = { outcome: 'hold', reason: 'compliance', until: { seconds: 86_400 } }

export type Decision =
  | { readonly outcome: 'settle' }
  | Hold
  | { readonly outcome: 'refuse'; readonly code: RefusalCode; readonly details?: RefusalDetails }

/** What a rule may ask. */
export interface RuleContext {
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly monitoring: Pick<Monitoring, 'judge'>
  readonly counterparties: Pick<Counterparties, 'areStoppedNow'>
  readonly lists: Pick<ListGate, 'hold'>
  readonly pool: pg.Pool
  readonly now: () => Date
}

/** Decides about some transfers, by the facts of their sender and recipient; undefined about all others. */
export type TransferRule = (
  transfer: Candidate,
  context: RuleContext,
  facts: Facts,
) => Decision | undefined | Promise<Decision | undefined>

export type Authorized = Exclude<Decision, { outcome: 'refuse' }>

/** When a transfer that is not paid from a wallet needs a fresh confirmation by its sender. */
export interface StepUpCheck {
  /** Whether it passes without one. A passed request counts until revoked after a failure. */
  assess(): Promise<Passed & { readonly passes: boolean }>
  /** Passes with a fresh confirmation; refuses `step_up_required` otherwise. */
  require(): Promise<Passed>
}

/** Facts by which a wallet send is decided where its money moves, and the sender's confirmation if it needs one. */
export interface WalletStepUp {
  readonly candidate: RiskCandidate
  /** Returns when the sender confirmed exactly this send. Refuses `step_up_required`. */
  prove(): Promise<Date>
}

export interface Decide {
  (transfer: Candidate): Promise<Decision>
  /**
   * Asks `decide` once and makes the transfer as it says, once the step-up policy lets it pass. `isMade` tells whether
   * something came of it. Refuses what a rule refuses, and `step_up_required`.
   */
  authorize<T>(
    transfer: Candidate,
    stepUp: StepUpCheck | undefined,
    make: (decided: Authorized, facts: Facts) => Promise<T>,
    isMade?: (made: T) => boolean,
  ): Promise<T>
}

const settle: Decision = { outcome: 'settle' }

/** What no rule holds or refuses is held only as long as its sender wants to be able to take it back. */
const withoutObjection = ({ undoSeconds: seconds = 0 }: Candidate): Decision =>
  seconds > 0 ? { outcome: 'hold', reason: 'undo', until: { seconds } } : settle

/** The one place that decides whether a transfer is made now, later or not at all. */
export function createDecide(rules: readonly TransferRule[], context: RuleContext): Decide {
  const readFacts = createFactsReader(context)

  async function decideBy(transfer: Candidate, facts: Facts): Promise<Decision> {
    for (const rule of rules) {
      const decision = await rule(transfer, context, facts)
      if (decision) return decision.outcome === 'settle' ? withoutObjection(transfer) : decision
    }
    return withoutObjection(transfer)
  }

  const factsOf = async (transfer: Candidate): Promise<Facts> =>
    (await readFacts(transfer)) ?? refuse('unauthenticated')

  const decide = async (transfer: Candidate): Promise<Decision> => decideBy(transfer, await factsOf(transfer))

  const authorize: Decide['authorize'] = async (transfer, stepUp, make, isMade = () => true) => {
    const decideOnce = async (): Promise<[Authorized, Facts]> => {
      const facts = await factsOf(transfer)
      const decided = await decideBy(transfer, facts)
      return decided.outcome === 'refuse' ? refuse(decided.code, decided.details) : [decided, facts]
    }
    const first = await decideOnce()
    const makeIt = () =>
      make(...first).catch(async (error: unknown) => {
        if (!isStoppedByCase(error) && !isAccountStopped(error)) throw error
        // A case, freeze or loss appeared after the decision; no money has moved.
        return make(...(await decideOnce()))
      })
    return stepUp ? passStepUp(stepUp, makeIt, isMade) : makeIt()
  }

  return Object.assign(decide, { authorize })
}

/**
 * Makes what the step-up policy lets pass, or what is freshly confirmed. A request that fails leaves no right behind: what it
 * passed with is taken back. Refuses `step_up_required`.
 */
export async function passStepUp<T>(
  stepUp: StepUpCheck,
  make: () => Promise<T>,
  isMade: (made: T) => boolean = () => true,
): Promise<T> {
  const assessment = await stepUp.assess()
  const passed = assessment.passes ? assessment : await stepUp.require()
  try {
    const made = await make()
    if (!isMade(made)) await passed.takeBack()
    return made
  } catch (error) {
    // After any other error the movement may have been made, and a retry finds the decision.
    if (error instanceof Refusal) await passed.takeBack()
    throw error
  }
}

const methods = { wallet_send: 'transfer', funded_send: 'transfer', exchange: 'exchange', payout: 'payout' } as const

/**
 * What a transfer counts against the limits, which the statement that moves its money enforces. Back from cryptocurrency
 * nothing leaves, and a deposit has counted as a pull.
 */
export const usageOf = (
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
    : { usage: usageOfMethod(senderId, methods[kind], usdMinor, at) }
