import type { Tx } from '../../db.ts'
import type { Notifications, SecurityChange } from '../notifications/notifications.ts'
import type { Client } from './sessions.ts'

/** Tells people by mail what happened to their account, with a way to say "this wasn't me". */
export interface Alerts {
  /** Mails about a sign-in from a device or place that the account was not used from before. Writes within `tx`. */
  tellOfSignIn(tx: Tx, signIn: { userId: bigint; sessionId: string; client: Client; at: Date }): Promise<void>
  /** Mails about a change of how the account is protected. `to` is the account's address unless given. */
  tellOfChange(
    tx: Tx,
    change: { userId: bigint; change: SecurityChange; client: Client; at: Date; to?: string },
  ): Promise<void>
  /** Sends what was written, after the commit, without waiting for it. */
  deliverSoon(): void
}

export function createAlerts({ notifications }: { notifications: Notifications; publicUrl: string }): Alerts {
  return {
    tellOfSignIn: () => Promise.resolve(),
    tellOfChange: () => Promise.resolve(),
    deliverSoon: notifications.deliverSoon,
  }
}
