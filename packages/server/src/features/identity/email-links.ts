import type pg from 'pg'
import type { Tx } from '../../db.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Alerts } from './alerts.ts'
import type { Arrivals, SecondFactorAsked, SignedIn } from './arrivals.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { Log } from './log.ts'
import { issueLink } from './mailed-links.ts'
import type { Client } from './sessions.ts'

/** Everything that is done by following a link in a mail. */
export interface EmailLinks {
  /** Mails the link that confirms an address. */
  mailVerification(tx: Tx, to: { userId: bigint; email: string }): Promise<void>
  /** Answers the same, in the same time, whether or not anybody has the address. */
  sendLoginLink(email: string, from: string | undefined, client: Client): Promise<void>
  sendVerification(email: string): Promise<void>
  sendPasswordReset(email: string): Promise<void>
  /** Refuses `link_invalid`, `link_of_other_browser`. */
  logInByLink(token: string, client: Client): Promise<SignedIn | SecondFactorAsked>
  /** Confirms an address, or carries out the change to another. Refuses `link_invalid`, `email_taken`. */
  verifyEmail(token: string, client: Client): Promise<void>
  /** Sets a new password and ends all sessions. Refuses `link_invalid`, `invalid_request` for a weak password. */
  resetPassword(token: string, password: string, client: Client): Promise<void>
  /** Ends all sessions, blocks the password and gives a token for choosing a new one. Refuses `link_invalid`. */
  disownSignIn(token: string, client: Client): Promise<string>
}

export interface EmailLinkParts {
  readonly pool: pg.Pool
  readonly notifications: Notifications
  readonly arrivals: Arrivals
  readonly alerts: Alerts
  readonly live: LiveSessions
  readonly publicUrl: string
  readonly realNow: () => Date
  readonly log: Log
}

export function createEmailLinks({ notifications, publicUrl, realNow }: EmailLinkParts): EmailLinks {
  return {
    async mailVerification(tx, { userId, email }) {
      const token = await issueLink(tx, { purpose: 'verify_email', userId, email, at: realNow() })
      await notifications.mail(tx, { email, userId }, 'verify_email', {
        link: `${publicUrl}/verify-email?token=${token}`,
      })
    },
    sendLoginLink: () => Promise.reject(new Error('not built')),
    sendVerification: () => Promise.reject(new Error('not built')),
    sendPasswordReset: () => Promise.reject(new Error('not built')),
    logInByLink: () => Promise.reject(new Error('not built')),
    verifyEmail: () => Promise.reject(new Error('not built')),
    resetPassword: () => Promise.reject(new Error('not built')),
    disownSignIn: () => Promise.reject(new Error('not built')),
  }
}
