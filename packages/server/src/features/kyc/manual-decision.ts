import { isFiatCode } from '@tern/money/currency'
import type { IdentityReason } from '@tern/providers/kyc/port'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import { createSeal, type Seal } from '../../platform/seal.ts'
import { lockKycStatus, setKycStatus } from '../identity/identity.ts'
import type { KycOptions } from './kyc.ts'
import { type Holder, readHolders, releaseNumber } from './number-holders.ts'
import { openLocalName, recordResult } from './submission.ts'

/** A form whose provider leaves the verdict to a person. Its numbers stay sealed: only their last characters are known here. */
export interface SubmissionInReview {
  readonly id: string
  readonly userId: bigint
  readonly provider: string
  /** Empty for somebody with a single name. */
  readonly firstName: string
  readonly lastName: string
  /** The name in its own script. */
  readonly localName?: string | undefined
  /** As `2026-11-21`. */
  readonly dateOfBirth: string
  readonly country: string
  readonly nationality: string
  readonly documentType: string
  readonly issuingCountry: string | null
  readonly address: string
  readonly currency: string
  readonly reasons: readonly IdentityReason[]
  readonly numbers: Readonly<Record<string, string>>
  /** How many other forms have one of its numbers. */
  readonly sharedNumbers: bigint
  readonly submittedAt: Date
}

/**
 * What a person may decide. `ask_document` and `ask_id_number` ask for that again; `give_number` verifies somebody by a number that
 * others have, who lose it.
 */
export const manualVerdicts = ['verify', 'reject', 'ask_document', 'ask_id_number', 'give_number'] as const
export type ManualVerdict = (typeof manualVerdicts)[number]

const asked: Partial<Record<ManualVerdict, IdentityReason>> = {
  ask_document: { field: 'documentNumber', code: 'document_unreadable' },
  ask_id_number: { field: 'idNumber', code: 'not_confirmed' },
}

function statusOf(verdict: ManualVerdict): 'verified' | 'rejected' | 'needs_information' {
  if (verdict === 'verify' || verdict === 'give_number') return 'verified'
  return verdict === 'reject' ? 'rejected' : 'needs_information'
}

const inReview = `
  select id, user_id as "userId", provider, first_name as "firstName", last_name as "lastName", local_name as "localName", date_of_birth as "dateOfBirth",
      country, nationality, document_type as "documentType", issuing_country as "issuingCountry",
      concat_ws(', ', street_address, postal_code || ' ' || city, state) as address, currency_preference as currency, reasons,
      submitted_at as "submittedAt",
      (select coalesce(jsonb_object_agg(kind, last_characters), '{}') from kyc_number where submission_id = s.id) as numbers,
      (select count(distinct o.submission_id) from kyc_number n join kyc_number o using (fingerprint)
        join kyc_submission f on f.id = o.submission_id
        where n.submission_id = s.id and f.user_id <> s.user_id) as "sharedNumbers"
    from kyc_submission s where status = 'in_review'`

type StoredReview = Omit<SubmissionInReview, 'localName'> & { readonly localName: Buffer | null }

const opened = (seal: Seal, row: StoredReview): SubmissionInReview => ({ ...row, localName: openLocalName(seal, row) })

/** Verdicts that people make where the provider makes none. */
export function createManualDecisions(options: Omit<KycOptions, 'providers' | 'publicUrl' | 'log'>) {
  const { pool, secret, identity, notifications, now, onVerified, stopsVerification, lists } = options
  const seal = createSeal(secret, 'kyc/numbers')

  async function read(db: Db, id: string): Promise<SubmissionInReview | undefined> {
    return (await db.query<StoredReview>(`${inReview} and id = $1`, [id])).rows.map((row) => opened(seal, row))[0]
  }

  /** Takes the number of a form from everybody else. Those who were verified by it have to verify again, and are told. */
  async function takeNumber(tx: Tx, holders: readonly Holder[]): Promise<void> {
    await releaseNumber(tx, holders, now())
    for (const { userId, submissionId } of holders.filter((one) => one.status === 'verified')) {
      if ((await lockKycStatus(tx, userId)) !== 'verified') continue
      await setKycStatus(tx, { userId, status: 'needs_information' })
      const notice = {
        code: 'verification_result',
        params: { status: 'needs_information' },
        subjectId: submissionId,
      } as const
      await notifications.notify(tx, { userId, ...notice })
    }
  }

  return {
    /** Forms that wait for a person, the oldest first. */
    list: async (): Promise<SubmissionInReview[]> =>
      (await pool.query<StoredReview>(`${inReview} order by submitted_at, id`)).rows.map((row) => opened(seal, row)),
    /** The form of this id while it waits for a person. */
    find: (id: string) => read(pool, id),

    /**
     * Ends a review for good: later answers of the provider change nothing. The person is told. Refuses `desk_item_closed`
     * when it does not wait any more, and `desk_not_carried_out` while a list may mean whom it would verify, while lists are too old
     * to tell, or when `verify` would verify them by a number that somebody else has.
     */
    async decideAs(id: string, verdict: ManualVerdict): Promise<void> {
      const { userId } = (await read(pool, id)) ?? refuse('desk_item_closed')
      const affected = await retryOnConflict(pool, async (tx) => {
        await lockKycStatus(tx, userId)
        const holders = statusOf(verdict) === 'verified' ? await readHolders(tx, seal, id) : []
        const form = (await read(tx, id)) ?? refuse('desk_item_closed')
        const { firstName, lastName, localName, currency: baseCurrency } = form
        const reason = asked[verdict]
        const status = statusOf(verdict)
        const { rows } = await tx.query<{ checkId: string | null }>(
          'select provider_check_id as "checkId" from kyc_submission where id = $1',
          [id],
        )
        const { checkId = null } = rows[0] ?? {}
        const result = { status, checkId, reasons: reason ? [reason] : [], isHosted: false }
        if (!(await recordResult(tx, id, result, { by: 'operator', at: now() }))) refuse('desk_item_closed')
        if (status === 'verified') {
          if (verdict === 'give_number') await takeNumber(tx, holders)
          else if (holders.length > 0) refuse('desk_not_carried_out', { reason: 'number_is_anothers' })
          if ((await lists?.areTooOld(tx)) === true) refuse('desk_not_carried_out', { reason: 'lists_not_current' })
          const isStopped = await stopsVerification?.(tx, userId)
          if (isStopped === true) refuse('desk_not_carried_out', { reason: 'name_case_is_open' })
          if (!isFiatCode(baseCurrency)) throw new Error(`submission ${id} names no base currency`)
          await identity.setLegalName(tx, { userId, firstName, lastName, localName })
          await onVerified(tx, userId, { baseCurrency, firstName, lastName })
        }
        await setKycStatus(tx, { userId, status })
        const notice = { code: 'verification_result', params: { status }, subjectId: id } as const
        await notifications.notify(tx, { userId, ...notice })
        return verdict === 'give_number' ? holders : []
      })
      for (const one of [userId, ...affected.map((holder) => holder.userId)]) identity.forgetUser(one)
    },
  }
}

export type ManualDecisions = ReturnType<typeof createManualDecisions>
