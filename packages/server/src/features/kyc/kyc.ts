import { countryOf } from '@tern/contract/countries'
import type { KycStatus } from '@tern/contract/kyc'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { FiatCode } from '@tern/money/currency'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { Notifications } from '../notifications/notifications.ts'
import type { EventHeaders } from '@tern/providers/events/port'
import type { IdentityProvider, IdentityReason, IdentityResult } from '@tern/providers/kyc/port'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import { createSeal, type Seal, type Secret } from '../../platform/seal.ts'
import { createDocuments, type Documents } from './documents/documents.ts'
import { type EventOutcome, receiveEvent } from './events.ts'
import { isNumberTaken } from './number-holders.ts'
import { redactDue } from './redactions.ts'
import { type Identity, lockKycStatus, setKycStatus } from '../identity/identity.ts'
import {
  detailsOf,
  insertSubmission,
  type NextStep,
  readAwaited,
  readHosted,
  readLocalNames,
  readNewestLocalName,
  readNumbers,
  readRunning,
  readState,
  readVerifiedForm,
  recordResult,
  type Result,
  type Submission,
  takeForms,
  takeToAsk,
  withoutNumbers,
} from './submission.ts'

export { clean as cleanFile } from './documents/cleaning.ts'
export { readResidence, readWasVerified } from './submission.ts'
export { createManualDecisions, type ManualDecisions, manualVerdicts } from './manual-decision.ts'

export interface KycOptions {
  readonly pool: pg.Pool
  readonly secret: Secret
  readonly providers: ProviderRegistry<IdentityProvider>
  readonly identity: Pick<Identity, 'setLegalName' | 'forgetUser'>
  /** Where the provider's pages lead back to. */
  readonly publicUrl: string
  readonly now: () => Date
  /** Never log names, dates or numbers. */
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  readonly notifications: Pick<Notifications, 'notify'>
  /** Runs in the transaction that verifies someone. */
  readonly onVerified: (tx: Tx, userId: bigint, person: VerifiedPerson) => Promise<void>
  /** Whether somebody cannot be verified now, since a list may mean them. Runs in the transaction that would. */
  readonly stopsVerification?: (tx: Tx, userId: bigint) => Promise<boolean>
  /** Lists that applicants are screened against before verification. */
  readonly lists?: { areTooOld(db?: Db): Promise<boolean> }
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
  /** What the person has to do before it goes on. */
  readonly nextStep: NextStep | null
}

/** A list may mean this person. Says nothing about that. */
const named = { status: 'in_review', reasons: [] } as const

// Says nothing about who has it.
const duplicate = { status: 'in_review', reasons: [{ field: 'idNumber', code: 'number_in_review' }] } as const

// The last answer may still arrive.
const resumeAfterMs = 30_000
const mostAtOnce = 50
// A slow provider holds up nobody who only looks: the answer is seen the next time.
const waitForAnswerMs = 1500

/** What other features may know of forms, over `pool`, with numbers sealed by `seal`. */
const formsOf = (pool: pg.Pool, seal: Seal) => ({
  /** Deletes all forms of somebody who leaves, and gives what they said. */
  retire: (tx: Tx, userId: bigint, at: Date) => takeForms(tx, seal, userId, at),
  /** Somebody's own ID, document and tax numbers in full: only for themselves, after a step-up confirmation. */
  numbersOf: (userId: bigint) => readNumbers(pool, seal, userId),
  /** Somebody's names in their own script, of all forms: only for themselves, after a step-up confirmation. */
  localNamesOf: (userId: bigint) => readLocalNames(pool, seal, userId),
  /** The form that verified somebody, numbers included, for what the law demands to pass on; otherwise undefined. */
  verifiedForm: (db: Db, userId: bigint) => readVerifiedForm(db, seal, userId),
})

// Users cannot act on it, and it resumes automatically.
const listsTooOld: IdentityReason = { field: 'check', code: 'lists_not_current' }

/** What came of asking a provider. */
type Asked = 'changed' | 'unchanged' | 'unknown'

/** Asks providers about stored submissions, and records what is new. */
function createDecisions(options: KycOptions, seal: Seal, documents: Documents) {
  const { pool, providers, identity, notifications, publicUrl, now, log, onVerified } = options

  /** Hands a submission over, or asks how it stands. Undefined where its provider is not configured. */
  async function ask({ id, userId, form, provider: name, checkId }: Submission): Promise<IdentityResult | undefined> {
    const provider = providers.find(name)
    const details = detailsOf(form)
    if (checkId !== null) return provider?.lookup(checkId, details)
    const files = await documents.filesOf(userId, form.documentType)
    return provider?.create({ reference: id, details, files, returnUrl: `${publicUrl}/profile` })
  }

  /** Asks about a stored submission and records what is new. */
  async function decide(submission: Submission): Promise<Asked> {
    const { id, userId, form, provider } = submission
    const answer = await ask(submission)
    if (!answer) {
      log.error({ submissionId: id, provider }, 'a submission names a provider that is not configured')
      return 'unknown'
    }
    if (answer.status === 'unknown') {
      const reason = withoutNumbers(answer.reason, form)
      log.warn({ submissionId: id, reason }, 'no answer from the identity provider')
      return 'unknown'
    }
    // The provider is polled again until the lists are fresh.
    if (answer.status === 'verified' && (await options.lists?.areTooOld()) === true) return 'unchanged'
    const isNew = await transact(pool, async (tx) => {
      await lockKycStatus(tx, userId)
      const result = await withoutDuplicates(tx, seal, submission, await unlessStopped(tx, options, userId, answer))
      if (!(await recordResult(tx, id, result, { by: 'provider', at: now() }))) return false
      if (result.status === 'verified') {
        const { firstName, lastName, localName, currencyPreference: baseCurrency } = form
        await identity.setLegalName(tx, { userId, firstName, lastName, localName })
        await onVerified(tx, userId, { baseCurrency, firstName, lastName })
      }
      await setKycStatus(tx, { userId, status: result.status })
      if (isTold(result.status)) await notifications.notify(tx, { userId, ...resultNotice(id, result.status) })
      return true
    })
    identity.forgetUser(userId)
    return isNew ? 'changed' : 'unchanged'
  }

  /** Asks about a submission, unless another process does, it was asked about since `polledBefore`, or it is decided. */
  async function resume(id: string, polledBefore: Date): Promise<Asked> {
    const submission = await takeToAsk(pool, seal, { id, polledBefore, at: now() })
    return submission ? decide(submission) : 'unchanged'
  }

  /** Asks once more for an answer that somebody waits for, as often as the provider allows. */
  async function askAgain(userId: bigint): Promise<void> {
    const awaited = await readAwaited(pool, userId)
    const provider = awaited && providers.find(awaited.provider)
    if (!provider) return
    const asked = resume(awaited.id, new Date(now().getTime() - provider.leastPauseMs)).catch((error: unknown) =>
      log.error({ err: error, submissionId: awaited.id }, 'an identity check could not be resumed'),
    )
    const waiting = new AbortController()
    await Promise.race([asked, delay(waitForAnswerMs, undefined, { signal: waiting.signal }).catch(() => {})])
    waiting.abort()
  }

  return { decide, resume, askAgain }
}

const formPurpose = 'kyc/numbers'

/** Reads what the newest form of a user has as their name in its own script. */
export function createLocalNames(secret: Secret) {
  const seal = createSeal(secret, formPurpose)
  return (db: Db, userId: bigint) => readNewestLocalName(db, seal, userId)
}

/** Identity verification over `pool` and `providers`. */
export function createKyc(options: KycOptions) {
  const { pool, secret, providers, identity, now, log } = options
  const seal = createSeal(secret, formPurpose)
  const documents = createDocuments({ pool, secret, now })
  const { decide, resume, askAgain } = createDecisions(options, seal, documents)

  async function store(userId: bigint, form: VerificationForm): Promise<string> {
    const provider = providers.choose({ country: countryOf(form.country)?.code }) ?? refuse('provider_unavailable')
    const id = newId(now())
    await transact(pool, async (tx) => {
      const status = await lockKycStatus(tx, userId)
      if (status === 'verified') refuse('already_verified')
      if (status === 'pending' || status === 'in_review') refuse('verification_running')
      await insertSubmission(tx, seal, { id, userId, form, provider: provider.name }, now())
      await setKycStatus(tx, { userId, status: 'pending' })
    })
    identity.forgetUser(userId)
    return id
  }

  const stateOf = async (userId: bigint): Promise<KycState> => (await readState(pool, userId)) ?? refuse('not_found')

  return {
    /**
     * Keeps a form, and hands it over to the provider once its owner's email is confirmed. Until there is an answer the state is
     * `pending`. Refuses `already_verified`, and `verification_running` while pending or in review.
     */
    async submit(userId: bigint, form: VerificationForm): Promise<KycState> {
      const id = await store(userId, form)
      await resume(id, new Date(now().getTime() + 1))
      return stateOf(userId)
    },
    /** How somebody's verification stands. The provider is asked where its answer is still to come. */
    async status(userId: bigint): Promise<KycState> {
      await askAgain(userId)
      const state = await stateOf(userId)
      if (state.status === 'pending' && state.nextStep === null && (await options.lists?.areTooOld()) === true)
        return { ...state, reasons: [listsTooOld] }
      // Another process may have decided: whoever reads here that they are verified is so for their next call.
      identity.forgetUser(userId)
      return state
    },
    /** Where the person goes on at their provider, an address good once. Refuses `not_found` and `provider_unavailable`. */
    async openPage(userId: bigint): Promise<string> {
      const { provider, checkId } = (await readHosted(pool, userId)) ?? refuse('not_found')
      const page = (await providers.find(provider)?.openPage(checkId)) ?? refuse('provider_unavailable')
      if (page.status === 'unknown') refuse('provider_unavailable')
      return page.status === 'open' ? page.url : refuse('not_found')
    },
    /** Takes in an event of a provider; see `EventOutcome`. Throws when it has to be sent again. */
    receiveEvent: (provider: string, rawBody: Buffer, headers: EventHeaders): Promise<EventOutcome> =>
      receiveEvent({ pool, seal, providers, now, log, decide }, provider, rawBody, headers),
    documents,
    ...formsOf(pool, seal),
    /** Hands over the form of somebody who confirmed their email. */
    begin: (id: string) => resume(id, now()),
    /**
     * Polls for undecided forms, longest waiting first; returns how many changed. Logged failures delay no others. Skips
     * those polled since `polledBefore` (default: half a minute ago).
     */
    async resumePending(polledBefore = new Date(now().getTime() - resumeAfterMs)) {
      const running = await readRunning(pool, polledBefore, mostAtOnce)
      return resumeEach(running, log, async (id) => (await resume(id, polledBefore)) === 'changed')
    },
    /** Has providers delete what they keep of people who left; returns how many were deleted. */
    redactDue: () => redactDue(pool, providers, log),
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

/** The provider's answer, unless a list may mean whom it would verify: that is for review, beside the case that says so. */
async function unlessStopped(
  tx: Tx,
  { stopsVerification }: Pick<KycOptions, 'stopsVerification'>,
  userId: bigint,
  result: Result,
): Promise<Result> {
  const isStopped = result.status === 'verified' && (await stopsVerification?.(tx, userId)) === true
  return isStopped ? { ...result, ...named } : result
}

/** The provider's answer, unless it would verify somebody by another person's number: that is for review. */
async function withoutDuplicates(tx: Tx, seal: Seal, submission: Submission, result: Result): Promise<Result> {
  const isDuplicate = result.status === 'verified' && (await isNumberTaken(tx, seal, submission))
  return isDuplicate ? { ...result, ...duplicate } : result
}

type ToldStatus = NotificationParams['verification_result']['status']

/** Whether somebody is told of it by a notification: what waits is seen in the product. */
const isTold = (status: Result['status']): status is ToldStatus => status !== 'pending' && status !== 'in_review'

/** How a submission ended, as its owner is told. */
const resultNotice = (id: string, status: ToldStatus) =>
  ({ code: 'verification_result', params: { status }, subjectId: id }) as const

export type Kyc = ReturnType<typeof createKyc>
