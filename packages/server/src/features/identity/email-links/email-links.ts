import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import type { SignInCompletion, SecondFactorRequired, SignedIn } from '../sign-in/complete-sign-in.ts'
import { createFollowing } from './email-links-followed.ts'
import { createRecovery } from './email-links-recovery.ts'
import { createSending } from './email-links-sent.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { Log } from '../log.ts'
import type { LoginAttempts } from '../sign-in/login-attempts.ts'
import type { MailRequests } from '../mailed-links/mail-requests.ts'
import type { Client } from '../sessions/sessions.ts'

/** Everything done by following a link in a mail. */
export interface EmailLinks {
  /** Mails a link that confirms an address. */
  mailVerification(tx: Tx, to: { userId: bigint; email: string }): Promise<void>
  /**
   * Mails a link that signs in the requesting browser, and voids its earlier ones. This and the next two answer alike,
   * in equal time, whether or not the address is known, and mail at most five of a kind per hour, counted separately
   * for each browser the account was used in. Refuses `invalid_request` when `from` is not one of our paths.
   */
  sendLoginLink(email: string, from: string | undefined, client: Client): Promise<void>
  sendVerification(email: string, client?: Client): Promise<void>
  sendPasswordReset(email: string, client: Client): Promise<void>
  /** Refuses `link_invalid`, `link_of_other_browser`. */
  logInByLink(token: string, client: Client): Promise<SignedIn | SecondFactorRequired>
  /** Confirms an address or completes a move, repeatably. Refuses `link_invalid`, `email_taken`. */
  verifyEmail(token: string, client: Client): Promise<void>
  /** Sets a password and ends all sessions. Refuses `link_invalid`, `invalid_request` for a weak password. */
  resetPassword(token: string, password: string, client: Client): Promise<void>
  /**
   * Ends all sessions, blocks the password, restores the mailed address, removes what the reported session added, and
   * returns a token for choosing a password. Refuses `link_invalid`, also when someone else has the address.
   */
  reportUnrecognizedSignIn(token: string): Promise<string>
}

export interface EmailLinkParts {
  readonly pool: pg.Pool
  readonly notifications: Notifications
  readonly signInCompletion: SignInCompletion
  readonly alerts: Alerts
  readonly attempts: LoginAttempts
  readonly mailRequests: MailRequests
  readonly live: LiveSessions
  readonly publicUrl: string
  readonly realNow: () => Date
  readonly log: Log
}

export function createEmailLinks(parts: EmailLinkParts): EmailLinks {
  return { ...createSending(parts), ...createFollowing(parts), ...createRecovery(parts) }
}
