import type { FiatCode } from '@tern/money/currency'
import type { Tx } from './database/db.ts'

interface UserAndTime {
  readonly userId: bigint
  readonly at: Date
}

/** Callbacks of a feature, which run in the transactions of account events. */
export interface AccountEvents {
  readonly registered?: (tx: Tx, user: UserAndTime) => Promise<void>
  /** Called when the deletion of the account is undone. */
  readonly kept?: (tx: Tx, user: UserAndTime) => Promise<void>
  readonly verified?: (tx: Tx, user: UserAndTime & { readonly baseCurrency: FiatCode }) => Promise<void>
  readonly mailsChosen?: (tx: Tx, user: UserAndTime & { readonly choices: MailChoices }) => Promise<void>
}

/** Kinds of mail that a user wants. */
interface MailChoices {
  readonly payments: boolean
  readonly requests: boolean
}
