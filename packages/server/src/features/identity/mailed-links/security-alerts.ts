import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { onlyRow, type Tx } from '../../../platform/database/db.ts'
import { factorChanges, type SecurityChange } from '../../notifications/notifications.ts'
import type { IdentityContext } from '../context.ts'
import { parseDevice } from '../sessions/devices.ts'
import { issueLink } from './mailed-links.ts'
import { findCountry } from '../sessions/geoip.ts'
import { addressPrefix, type Client } from '../sessions/sessions.ts'
import type { AppUserRow } from '../row-types.ts'

// Mails and notifications about account events. Each mail has a link to report "this wasn't me".

interface SecurityEvent {
  readonly userId: bigint
  /** Session that caused the event. */
  readonly sessionId?: string | undefined
  readonly client: Client
  readonly at: Date
}

/** Alerts the user to a sign-in from an unfamiliar device or place. */
export async function alertSignIn(
  ctx: IdentityContext,
  tx: Tx,
  event: SecurityEvent & { sessionId: string },
): Promise<void> {
  const unfamiliarSignIn = await findUnfamiliarSignIn(tx, event.sessionId)
  if (unfamiliarSignIn === undefined) return
  const { email, unfamiliar } = unfamiliarSignIn
  const alertData = await createAlertData(ctx, tx, event, email)
  await ctx.notifications.mail(tx, { to: { email, userId: event.userId }, template: 'new_sign_in', data: alertData })
  await ctx.notifications.notify(tx, {
    userId: event.userId,
    code: 'new_sign_in',
    params: { ...toNotificationParams(event.client), unfamiliar },
    subjectId: event.sessionId,
    needsAction: true,
  })
}

/**
 * Alerts the user to a change of account protection. The mail goes to `to`, by default the account's address. A change
 * of factors also tightens step-up rules for a while (`risk_policy.new_factor_hours`).
 */
export async function alertChange(
  ctx: IdentityContext,
  tx: Tx,
  { change, to, ...event }: SecurityEvent & { change: SecurityChange; to?: string },
): Promise<void> {
  const { userId, at } = event
  if (factorChanges.has(change))
    await tx.query('update app_user set factor_change = $2, factor_changed_at = $3 where id = $1', [userId, change, at])
  const { rows } = await tx.query<Pick<AppUserRow, 'email'>>('select email from app_user where id = $1', [userId])
  const email = to ?? onlyRow(rows).email
  const alertData = await createAlertData(ctx, tx, event, email)
  await ctx.notifications.mail(tx, {
    to: { email, userId },
    template: 'security_change',
    data: { change, ...alertData },
  })
  await ctx.notifications.notify(tx, {
    userId,
    code: 'security_change',
    params: { change, ...toNotificationParams(event.client) },
  })
}

async function createAlertData(ctx: IdentityContext, tx: Tx, { client, ...event }: SecurityEvent, email: string) {
  return { ...locateClient(client), at: event.at, link: await issueReportLink(ctx, tx, { ...event, email }) }
}

/** Issues a link to report "this wasn't me". Following it ends all sessions and leads to a new password. */
export async function issueReportLink(
  { publicUrl }: IdentityContext,
  tx: Tx,
  { userId, sessionId, email, at }: Omit<SecurityEvent, 'client'> & { email: string },
): Promise<string> {
  const token = await issueLink(tx, { purpose: 'unrecognized_sign_in', userId, email, at, sessionId })
  return `${publicUrl}/not-me#token=${token}`
}

export const locateClient = ({ userAgent, address }: Client) => ({
  device: parseDevice(userAgent),
  place: { country: findCountry(address), network: addressPrefix(address) },
})

function toNotificationParams(client: Client): NotificationParams['new_sign_in'] {
  const { device, place } = locateClient(client)
  return { ...device, ...place }
}

/**
 * Returns the account's address and whether the session's device or its place is new. Undefined if both are familiar or
 * this is the first session. Sign-ins reported by a mailed link do not make a device or place familiar.
 */
async function findUnfamiliarSignIn(
  tx: Tx,
  sessionId: string,
): Promise<{ email: string; unfamiliar: 'device' | 'place' } | undefined> {
  const { rows } = await tx.query<{ email: string; unfamiliar: 'device' | 'place' }>(
    `select app_user.email, case when coalesce(known.device, false) then 'place' else 'device' end as unfamiliar
       from session own join app_user on app_user.id = own.user_id,
            lateral (
              select count(*) as sessions,
                     bool_or(earlier.device = own.device and not reported) as device,
                     bool_or(earlier.place = own_place.place and not reported) as place
                from (select coalesce(own.country, own.address_prefix) as place) own_place,
                     lateral (
                       select device, coalesce(country, address_prefix) as place,
                              revoked_reason is not distinct from 'unrecognized' as reported
                         from session where user_id = own.user_id and id <> own.id
                     ) earlier
            ) known
      where own.id = $1 and known.sessions > 0
        and not (coalesce(known.device, false) and coalesce(known.place, false))`,
    [sessionId],
  )
  return rows[0]
}
