import { countryOf } from '@tern/contract/countries'
import type { KycStatus, VerificationForm } from '@tern/contract/kyc'
import type { FiatCode } from '@tern/money/currency'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { Notifications } from '../notifications/notifications.ts'
import type { IdentityProvider, IdentityReason, IdentityResult } from '@tern/providers/kyc/port'
import type pg from 'pg'
import { type Queryable, transact, type Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import { createSeal, type Seal, type Secret } from '../../platform/seal.ts'
import { createDocuments } from './documents/documents.ts'
import type { Identity } from '../identity/identity.ts'
import {
  detailsOf,
  insertSubmission,
  isNumberTaken,
  readResidence,
  readNumbers,
  readRunning,
  readState,
  readWasVerified,
  recordVerdict,
  type Submission,
  takeForms,
  takeToAsk,
  withoutNumbers,
} from './submission.ts'

export { createManualDecisions, type ManualDecisions, manualVerdicts } from './manual-decision.ts'

export interface KycOptions {
  readonly pool: pg.Pool
  readonly secret: Secret
  readonly providers: ProviderRegistry<IdentityProvider>
  readonly identity: Pick<Identity, 'kycStatusForUpdate' | 'setKycStatus' | 'setLegalName' | 'forgetUser'>
  readonly now: () => Date
  /** Never log names, dates or numbers. */
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  readonly notifications: Pick<Notifications, 'notify'>
  /** Runs in the transaction that verifies someone. */
  readonly onVerified: (tx: Tx, userId: bigint, person: VerifiedPerson) => Promise<void>
  /** Whether somebody cannot be verified now, since a list may mean them. Runs in the transaction that would. */
  readonly stopsVerification?: (tx: Tx, userId: bigint) => Promise<boolean>
}

export interface VerifiedPerson {
  readonly baseCurrency: FiatCode
  readonly firstName: string
  readonly lastName: string
}

/** A verification's status and what it still needs. */
export interface KycState {
  readonly status: KycStatus
  readonly reasons: IdentityReason[]
}

type Verdict = Exclude<IdentityResult, { status: 'unknown' }>

/** A list may mean this person. Says nothing about that. */
const named = { status: 'in_review', reasons: [] } as const

// Says nothing about who has it.
const duplicate = { status: 'in_review', reasons: [{ field: 'idNumber', code: 'number_in_review' }] } as const

// The last answer may still arrive.
const resumeAfterMs = 30_000
const mostAtOnce = 50

/** What other features may know of forms, over `pool`, with numbers sealed by `seal`. */
const formsOf = (pool: pg.Pool, seal: Seal) => ({
  /** A verified user's country, as in the form; otherwise undefined. */
  residenceOf: (userId: bigint) => readResidence(pool, userId),
  /** Whether somebody was ever verified, so that the law demands to keep who they are. */
  wasVerified: (db: Queryable, userId: bigint) => readWasVerified(db, userId),
  /** Deletes all forms of somebody who leaves, and gives what they said. */
  retire: (tx: Tx, userId: bigint) => takeForms(tx, seal, userId),
  /** Somebody's own ID, document and tax numbers in full: only for themselves, after a step-up confirmation. */
  numbersOf: (userId: bigint) => readNumbers(pool, seal, userId),
})

/** Identity verification over `pool` and `providers`. */
export function createKyc(options: KycOptions) {
  const { pool, secret, providers, identity, notifications, now, log, onVerified } = options
  const seal = createSeal(secret, 'kyc/numbers')

  async function stateOf(userId: bigint): Promise<KycState> {
    return (await readState(pool, userId)) ?? refuse('not_found')
  }

  /** Asks about a stored submission and records the verdict. False when there was none, or it came too late. */
  async function decide(submission: Submission): Promise<boolean> {
    const { id, userId, form, provider: name } = submission
    const provider = providers.find(name)
    if (!provider) {
      log.error({ submissionId: id, provider: name }, 'a submission names a provider that is not configured')
      return false
    }
    const answer = await provider.check(id, detailsOf(form))
    if (answer.status === 'unknown') {
      log.warn(
        { submissionId: id, reason: withoutNumbers(answer.reason, form) },
        'no verdict from the identity provider',
      )
      return false
    }
    const isRecorded = await transact(pool, async (tx) => {
      await identity.kycStatusForUpdate(tx, userId)
      const result = await withoutDuplicates(tx, seal, submission, await unlessStopped(tx, options, userId, answer))
      if (!(await recordVerdict(tx, id, result, now()))) return false
      if (result.status === 'verified') {
        const { firstName, lastName, currencyPreference: baseCurrency } = form
        await identity.setLegalName(tx, userId, { firstName, lastName })
        await onVerified(tx, userId, { baseCurrency, firstName, lastName })
      }
      await identity.setKycStatus(tx, userId, result.status)
      if (result.status !== 'in_review') await notifications.notify(tx, userId, resultNotice(id, result.status))
      return true
    })
    identity.forgetUser(userId)
    return isRecorded
  }

  async function store(userId: bigint, form: VerificationForm): Promise<Submission> {
    const provider = providers.choose({ country: countryOf(form.country)?.code }) ?? refuse('provider_unavailable')
    const submission = await transact(pool, async (tx) => {
      const status = await identity.kycStatusForUpdate(tx, userId)
      if (status === 'verified') refuse('already_verified')
      if (status === 'pending' || status === 'in_review') refuse('verification_running')
      const submission = { id: newId(now()), userId, form, provider: provider.name }
      await insertSubmission(tx, seal, submission, now())
      await identity.setKycStatus(tx, userId, 'pending')
      return submission
    })
    identity.forgetUser(userId)
    return submission
  }

  return {
    /**
     * Sends a form to the provider. Without an answer the state is `pending`, to be polled later. Refuses
     * `already_verified`, and `verification_running` while pending or in review.
     */
    async submit(userId: bigint, form: VerificationForm): Promise<KycState> {
      await decide(await store(userId, form))
      return stateOf(userId)
    },
    status: stateOf,
    documents: createDocuments({ pool, secret, now, lockKycStatus: identity.kycStatusForUpdate }),
    ...formsOf(pool, seal),
    /**
     * Polls for undecided forms, longest waiting first; returns how many changed. Logged failures delay no others. Skips
     * those polled since `polledBefore` (default: half a minute ago).
     */
    async resumePending(polledBefore = new Date(now().getTime() - resumeAfterMs)) {
      const running = await readRunning(pool, polledBefore, mostAtOnce)
      return resumeEach(running, log, async (id) => {
        const submission = await takeToAsk(pool, seal, { id, polledBefore, at: now() })
        return submission !== undefined && (await decide(submission))
      })
    },
  }
}

/** Resumes one after another, and counts those that changed. What fails is logged. */
async function resumeEach(
  ids: readonly string[],
  log: KycOptions['log'],
  resume: (id: string) => Promise<boolean>,
): Promise<number> {
  let changed = 0
  for (const id of ids) {
    try {
      if (await resume(id)) changed += 1
    } catch (error) {
      log.error({ err: error, submissionId: id }, 'an identity check could not be resumed')
    }
  }
  return changed
}

/** The provider's verdict, unless a list may mean whom it would verify: that is for review, beside the case that says so. */
async function unlessStopped(
  tx: Tx,
  { stopsVerification }: Pick<KycOptions, 'stopsVerification'>,
  userId: bigint,
  verdict: Verdict,
): Promise<Verdict> {
  const isStopped = verdict.status === 'verified' && (await stopsVerification?.(tx, userId)) === true
  return isStopped ? { ...verdict, ...named } : verdict
}

/** The provider's verdict, unless it would verify somebody by another person's number: that is for review. */
async function withoutDuplicates(tx: Tx, seal: Seal, submission: Submission, verdict: Verdict): Promise<Verdict> {
  const isDuplicate = verdict.status === 'verified' && (await isNumberTaken(tx, seal, submission))
  return isDuplicate ? { ...verdict, ...duplicate } : verdict
}

/** How a submission ended, as its owner is told. */
const resultNotice = (id: string, status: NotificationParams['verification_result']['status']) =>
  ({ code: 'verification_result', params: { status }, subjectId: id }) as const

export type Kyc = ReturnType<typeof createKyc>
