import type { Db, Tx } from '../../../platform/database/db.ts'
import type { UserAndTime } from '../../identity/identity.ts'
import type { KycContext } from '../context.ts'

const batchSize = 50

interface Redaction {
  readonly provider: string
  readonly checkId: string
}

/** Records which checks providers must delete for a user. Call it before deleting the forms. */
export async function requestRedactions(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query(
    `insert into kyc_redaction (provider, check_id, requested_at)
     select provider, provider_check_id, $2 from kyc_submission where user_id = $1 and provider_check_id is not null
     on conflict do nothing`,
    [userId, at],
  )
}

/**
 * Requests recorded deletions from providers, oldest first. Returns the count of confirmed ones; others are retried at
 * the next call.
 */
export async function runDueRedactions(
  { providers, log }: Pick<KycContext, 'providers' | 'log'>,
  db: Db,
): Promise<number> {
  const { rows } = await db.query<Redaction>(
    'select provider, check_id as "checkId" from kyc_redaction order by requested_at limit $1',
    [batchSize],
  )
  let redactedCount = 0
  for (const { provider, checkId } of rows) {
    try {
      if ((await providers.find(provider)?.redact(checkId))?.status !== 'redacted') continue
      await db.query('delete from kyc_redaction where provider = $1 and check_id = $2', [provider, checkId])
      redactedCount += 1
    } catch (error) {
      log.error({ err: error, checkId }, 'a provider could not be asked to forget somebody')
    }
  }
  return redactedCount
}
