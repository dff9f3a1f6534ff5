import type { FastifyBaseLogger } from 'fastify'
import type { Seal } from '../../platform/seal.ts'
import type { TravelRule } from '../compliance/compliance.ts'
import type { Identity } from '../identity/identity.ts'
import type { Kyc } from '../kyc/kyc.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Payments } from '../payments/payments.ts'

type IdentityParts =
  | 'alertChange'
  | 'beginDeletion'
  | 'forgetUser'
  | 'cancelAccountDeletion'
  | 'pseudonymise'
  | 'requireStepUp'

export interface PrivacyContext {
  readonly identity: Pick<Identity, IdentityParts>
  readonly kyc: Pick<Kyc, 'documents' | 'localNamesOf' | 'numbersOf' | 'retire'>
  readonly payments: Pick<Payments, 'removeAllInstruments'>
  readonly notifications: Pick<Notifications, 'mail' | 'notify'>
  readonly travelRule: Pick<TravelRule, 'recordOf'>
  /** Seals retained identities. */
  readonly seal: Seal
  readonly publicUrl: string
  /** Database address for the export threads. */
  readonly databaseUrl: string
  readonly now: () => Date
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info'>
}
