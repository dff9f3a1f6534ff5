import type { Reply } from '@tern/contract/protocol/endpoint'
import type { privacyOverview } from '@tern/contract/privacy/privacy'
import type { LegalDocument } from '@tern/contract/site/legal-documents'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { refuse } from '../../platform/refuse.ts'
import { createDeletion, type DeletionOptions } from './deletion/delete-account.ts'
import { openRetainedIdentity, retainedIdentityPurpose } from './deletion/retained-identity.ts'
import { transact } from '../../platform/database/db.ts'
import type { Caller } from '../../platform/http/serve.ts'
import type { Client, Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { agreeTo, readConsents } from './consents/consents.ts'
import { createCorrections } from './corrections.ts'
import { readDataAccesses, recordDataAccess } from './data-access.ts'
import type { ExportFormat } from './export/rows-as-files.ts'
import { writeExport } from './export/write-export.ts'
import { readHeld } from './overview.ts'

export { recordMailChoices, recordSignUpConsents } from './consents/consents.ts'
export type { CorrectionToDecide } from './corrections.ts'
export { type Reading, recordDataAccess } from './data-access.ts'
export { createOperatorPseudonyms, type OperatorPseudonym, pseudonymKeyPurpose } from './pseudonyms.ts'

export interface PrivacyOptions extends Omit<DeletionOptions, 'seal'> {
  readonly secret: Secret
  /** Database address for the export threads. */
  readonly databaseUrl: string
  readonly identity: DeletionOptions['identity'] & Pick<Identity, 'requireStepUp' | 'alertChange'>
  readonly kyc: DeletionOptions['kyc'] & Pick<Kyc, 'numbersOf' | 'localNamesOf' | 'documents'>
  readonly notifications: Pick<Notifications, 'mail' | 'mailChoices' | 'notify'>
}

/** What people may know, have and ask about the data that is held about them. */
export function createPrivacy({ secret, ...options }: PrivacyOptions) {
  const { pool, databaseUrl, identity, kyc, notifications, now } = options
  const seal = createSeal(secret, retainedIdentityPurpose)
  const deletion = createDeletion({ ...options, seal })
  const corrections = createCorrections({ pool, notifications, now })

  return {
    async overview(userId: bigint): Promise<Reply<typeof privacyOverview>> {
      const [held, chosen, asked] = await Promise.all([
        readHeld(pool, userId),
        notifications.mailChoices(userId),
        corrections.of(pool, userId),
      ])
      return { held, consents: await readConsents(pool, userId, chosen), corrections: asked }
    },
    accesses: (userId: bigint, before: string | undefined) => readDataAccesses(pool, userId, before),
    agreeTo: (userId: bigint, agreed: { document: LegalDocument; version: number }) =>
      agreeTo(pool, userId, agreed, now()),
    corrections,
    deletion,

    /**
     * Begins to delete the caller's account, and gives when that will be done. Refuses `account_not_empty` before anything is
     * asked, `step_up_required`, and `account_not_empty` again when something came in meanwhile.
     */
    async beginDeletion(caller: Caller, confirmation: string | undefined, client: Client): Promise<Date> {
      const { obstacles } = await deletion.state(caller.userId)
      if (obstacles.length > 0) refuse('account_not_empty', { extra: { obstacles } })
      await identity.requireStepUp({ caller, act: { action: 'delete_account', subject: {} }, confirmation })
      return deletion.begin(caller, client)
    },

    /**
     * What is kept of somebody who has left, for a court or an open case: nothing else opens it. That it was read is recorded.
     * Refuses `not_found`.
     */
    readRetained: (userId: bigint, operator: string): Promise<unknown> =>
      transact(pool, async (tx) => {
        const content = (await openRetainedIdentity(tx, seal, userId)) ?? refuse('not_found')
        const reading = { userId, role: 'operator', operator, purpose: 'retained_identity', at: now() } as const
        await recordDataAccess(tx, { ...reading, what: ['identity', 'numbers'] })
        return content
      }),

    /**
     * Returns the file of one of the caller's documents, and records the access before answering. Refuses `not_found`,
     * then `step_up_required` unless a fresh confirmation of this document is given.
     */
    async openOwnDocument(caller: Caller, documentId: string, confirmation: string | undefined) {
      const { userId } = caller
      const content = await kyc.documents.content(userId, documentId)
      const act = { action: 'open_document', subject: {}, hidden: { document: documentId } } as const
      await identity.requireStepUp({ caller, act, confirmation })
      const reading = { userId, role: 'you', purpose: 'own_document', what: ['documents'], at: now() } as const
      await recordDataAccess(pool, reading)
      return content
    },

    /** Refuses `step_up_required` unless a fresh confirmation of an export in this format is given. */
    requireExport: (caller: Caller, format: ExportFormat, confirmation: string | undefined) =>
      identity.requireStepUp({ caller, act: { action: 'export_data', subject: {}, hidden: { format } }, confirmation }),
    /** Everything held about the caller, as a ZIP archive. That it was made is recorded, and told by mail. */
    async export(caller: Caller, format: ExportFormat, client: Client) {
      const { userId } = caller
      await transact(pool, async (tx) => {
        const at = now()
        await recordDataAccess(tx, { userId, role: 'you', purpose: 'export', what: ['everything'], at })
        await identity.alertChange(tx, { ...caller, change: 'data_exported', client, at: new Date() })
      })
      const [numbers, localNames] = await Promise.all([kyc.numbersOf(userId), kyc.localNamesOf(userId)])
      const read = [
        { category: 'identity', file: 'full_number', rows: numbers },
        { category: 'identity', file: 'local_name', rows: localNames },
      ] as const
      return writeExport(databaseUrl, { userId, format, read })
    },
  }
}

export type Privacy = ReturnType<typeof createPrivacy>
