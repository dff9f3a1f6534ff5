import type { IdentityProvider } from '@tern/providers/verify/port'
import type { AccountEvents } from '../../platform/account-events.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import type { Seal } from '../../platform/seal.ts'
import type { Identity } from '../identity/identity.ts'
import type { Notifications } from '../notifications/notifications.ts'

export interface KycContext {
  /** Seals the numbers and names of forms. */
  readonly seal: Seal
  /** Seals uploaded files. */
  readonly fileSeal: Seal
  readonly providers: ProviderRegistry<IdentityProvider>
  readonly identity: Pick<Identity, 'setLegalName' | 'forgetUser'>
  readonly notifications: Pick<Notifications, 'notify'>
  /** Origin of return links from the provider's pages. */
  readonly publicUrl: string
  readonly now: () => Date
  /** Must not contain names, dates of birth or numbers. */
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  /** Hooks of other features, run in the transaction that verifies a user. */
  readonly accountEvents: readonly Pick<AccountEvents, 'verified'>[]
  /** True if the user may be on a list and so cannot be verified. Runs in the transaction of the verification. */
  readonly stopsVerification?: (tx: Tx, userId: bigint) => Promise<boolean>
  /** Lists against which applicants are screened. */
  readonly lists?: { areTooOld(db: Db): Promise<boolean> }
}
