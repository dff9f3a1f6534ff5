import { only, type Tx } from '../../../platform/database/db.ts'
import type { Notifications, SecurityChange } from '../../notifications/notifications.ts'
import { deviceOf } from '../sessions/devices.ts'
import { issueLink } from '../mailed-links/mailed-links.ts'
import { countryOf } from '../sessions/geoip.ts'
import { addressPrefix, type Client } from '../sessions/sessions.ts'

/** Mails about account events, with a link to say "this wasn't me". */
export interface Alerts {
  /** Mails about sign-ins from unfamiliar devices or places. Writes within `tx`. */
  alertSignIn(tx: Tx, signIn: { userId: bigint; sessionId: string; client: Client; at: Date }): Promise<void>
  /**
   * Mails about a change to account protection, by the session `sessionId`, if any. `to` defaults to the account's
   * address.
   */
  alertChange(
    tx: Tx,
    change: {
      userId: bigint
      sessionId?: string | undefined
      change: SecurityChange
      client: Client
      at: Date
      to?: string
    },
  ): Promise<void>
}

export function createAlerts({
  notifications,
  publicUrl,
}: {
  notifications: Notifications
  publicUrl: string
}): Alerts {
  async function notMeLink(
    tx: Tx,
    link: { userId: bigint; email: string; at: Date; sessionId?: string | undefined },
  ): Promise<string> {
    return `${publicUrl}/not-me#token=${await issueLink(tx, { purpose: 'unrecognized_sign_in', ...link })}`
  }

  return {
    async alertSignIn(tx, { userId, sessionId, client, at }) {
      const email = await addressIfUnfamiliar(tx, sessionId)
      if (email === undefined) return
      const link = await notMeLink(tx, { userId, email, at, sessionId })
      await notifications.mail(tx, { email, userId }, 'new_sign_in', { ...whereFrom(client), at, link })
    },
    async alertChange(tx, { userId, sessionId, change, client, at, to }) {
      const { rows } = await tx.query<{ email: string }>('select email from app_user where id = $1', [userId])
      const email = to ?? only(rows).email
      const link = await notMeLink(tx, { userId, email, at, sessionId })
      await notifications.mail(tx, { email, userId }, 'security_change', { change, ...whereFrom(client), at, link })
    },
  }
}

const whereFrom = ({ userAgent, address }: Client) => ({
  device: deviceOf(userAgent),
  place: { country: countryOf(address), network: addressPrefix(address) },
})

/** The address of a used account for which the session's device or place is new. Reported sign-ins do not count. */
async function addressIfUnfamiliar(tx: Tx, sessionId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ email: string }>(
    `select app_user.email
       from session own join app_user on app_user.id = own.user_id,
            lateral (
              select count(*) as sessions,
                     bool_or(earlier.device = own.device and not disowned) as device,
                     bool_or(earlier.place = own_place.place and not disowned) as place
                from (select coalesce(own.country, own.address_prefix) as place) own_place,
                     lateral (
                       select device, coalesce(country, address_prefix) as place,
                              exists (select from mailed_link
                                       where user_id = own.user_id and purpose = 'unrecognized_sign_in'
                                         and session_id = session.id and used_at is not null) as disowned
                         from session where user_id = own.user_id and id <> own.id
                     ) earlier
            ) known
      where own.id = $1 and known.sessions > 0
        and not (coalesce(known.device, false) and coalesce(known.place, false))`,
    [sessionId],
  )
  return rows[0]?.email
}
