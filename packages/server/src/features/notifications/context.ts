import type { MailChoice } from '@tern/contract/notifications/mail-choices'
import type { MailProvider } from '@tern/providers/mail/port'
import type { AccountEvents } from '../../platform/account-events.ts'
import type { Catalogues } from '../../platform/messages.ts'
import type { Seal } from '../../platform/seal.ts'
import type { Log } from './log.ts'

export type MailChoices = Record<MailChoice, boolean>

export interface NotificationsContext {
  readonly seal: Seal
  readonly provider: MailProvider
  readonly publicUrl: string
  readonly catalogues: Promise<Catalogues>
  readonly log: Log
  /** Product clock, for dating notifications. */
  readonly now: () => Date
  /** Machine clock, for dating mails and their expiry. Cannot be shifted, unlike `now`. */
  readonly realNow: () => Date
  /** Wakes the event streams of these users. */
  readonly wake: (userIds: readonly bigint[]) => void
  /** Hooks of other features, run in the transaction that stores a user's mail choices. */
  readonly accountEvents: readonly Pick<AccountEvents, 'mailsChosen'>[]
}
