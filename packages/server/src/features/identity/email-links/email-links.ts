import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import type { SignInCompletion, SecondFactorAsked, SignedIn } from '../sign-in/complete-sign-in.ts'
import { createFollowing } from './email-links-followed.ts'
import { createRecovery } from './email-links-recovery.ts'
import { createSending } from './email-links-sent.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { Log } from '../log.ts'
import type { LoginAttempts } from '../sign-in/login-attempts.ts'
import type { MailRequests } from '../mailed-links/mail-requests.ts'
import type { Client } from '../sessions/sessions.ts'

/** Everything that is done by following a link in a mail. */
export interface EmailLinks {
  /** Mails the link that confirms an address. */
  mailVerification(tx: Tx, to: { userId: bigint; email: string }): Promise<void>
  /**
   * Mails a link that logs in the browser that asked, and voids its earlier ones. Like the two below it answers the same,
   * in the same time, whether or not anybody has the address, and mails nothing after five mails of its kind in an hour,
   * counted by itself for each browser in which the account was used before.
   * Refuses `invalid_request` when `from` is no path of ours.
   */
  sendLoginLink(email: string, from: string | undefined, client: Client): Promise<void>
  sendVerification(email: string, client?: Client): Promise<void>
  sendPasswordReset(email: string, client: Client): Promise<void>
  /** Refuses `link_invalid`, `link_of_other_browser`. */
  logInByLink(token: string, client: Client): Promise<SignedIn | SecondFactorAsked>
  /**
   * Confirms an address, or carries out the change to another; once that has come true the same link is answered as
   * before. Refuses `link_invalid`, `email_taken`.
   */
  verifyEmail(token: string, client: Client): Promise<void>
  /** Sets a new password and ends all sessions. Refuses `link_invalid`, `invalid_request` for a weak password. */
  resetPassword(token: string, password: string, client: Client): Promise<void>
  /**
   * Ends all sessions, blocks the password, moves the account back to the address the mail went to, removes what the
   * session added that the mail told of, and gives a token for choosing a new password. Refuses `link_invalid`, also
   * when somebody else has that address.
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
