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
  /** The product's clock, which dates notifications. */
  readonly now: () => Date
  /** The real clock, which dates mails and the expiry of their links, and cannot be moved in a trial. */
  readonly realNow: () => Date
  /** Wakes the event streams of these users. */
  readonly wake: (userIds: readonly bigint[]) => void
  /** Parts of other features in the transaction that stores a user's mail choices. */
  readonly accountEvents: readonly Pick<AccountEvents, 'mailsChosen'>[]
}
