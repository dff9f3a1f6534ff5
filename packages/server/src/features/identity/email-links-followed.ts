import { transact, type Tx } from '../../db.ts'
import { Refusal, refuse, refuseField } from '../../refuse.ts'
import * as account from './account-changes.ts'
import type { EmailLinkParts, EmailLinks } from './email-links.ts'
import { issueLink, linksThatOpen, type MailedLink, takeLink, voidLinks } from './mailed-links.ts'
import { hashPassword, passwordWeakness } from './passwords.ts'
import { hashOfSecret } from './secrets.ts'
import type { Client } from './sessions.ts'

type Following = Pick<EmailLinks, 'logInByLink' | 'verifyEmail' | 'resetPassword' | 'disownSignIn'>

/** What happens for whoever comes back with a link that was mailed to them. */
export function createFollowing(parts: EmailLinkParts): Following {
  const { pool, notifications, arrivals, alerts, attempts, live, publicUrl, realNow, log } = parts

  async function logInByLink(token: string, client: Client) {
    const { browser } = client
    const userId = await transact(pool, async (tx) => {
      const at = realNow()
      const link = await takeLink(tx, { purposes: ['log_in'], token, at, browser })
      const { emailVerifiedAt } = await ownerOf(tx, link)
      if (!emailVerifiedAt) await confirmByEntering(tx, link.userId, client, at)
      return link.userId
    })
    live.forgetUser(userId)
    return arrivals.admit(userId, 'link', client)
  }

  async function verifyEmail(token: string, client: Client): Promise<void> {
    try {
      await transact(pool, async (tx) => {
        const at = realNow()
        const link = await takeLink(tx, { purposes: ['verify_email', 'change_email'], token, at })
        if (link.purpose === 'change_email') return moveAccount(tx, link, client, at)
        await ownerOf(tx, link)
        await account.confirmEmail(tx, link.userId, at)
      })
    } catch (error) {
      const isSpent = error instanceof Refusal && error.code === 'link_invalid'
      // A scanner of mails, or a first click, may have been quicker: what the link was for has come true.
      if (!isSpent || !(await hasComeTrue(token))) throw error
    }
    notifications.deliverSoon()
  }

  async function moveAccount(tx: Tx, { userId, email }: MailedLink, client: Client, at: Date): Promise<void> {
    const before = await account.readOwner(tx, userId)
    if (!isSameAddress(before.pendingEmail, email)) refuse('link_invalid')
    await account.moveToPendingEmail(tx, userId, at)
    await voidLinks(tx, { userId, purposes: linksThatOpen, at })
    await alerts.tellOfChange(tx, { userId, change: 'email_changed', client, at, to: before.email })
  }

  async function hasComeTrue(token: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `select 1 from mailed_link join app_user on app_user.id = user_id
        where hash = $1 and purpose in ('verify_email', 'change_email') and used_at is not null
          and email_verified_at is not null and lower(app_user.email) = lower(mailed_link.email)`,
      [hashOfSecret(token)],
    )
    return rowCount === 1
  }

  async function resetPassword(token: string, password: string, client: Client): Promise<void> {
    await demandStrength(token, password)
    const passwordHash = await hashPassword(password)
    const userId = await transact(pool, async (tx) => {
      const at = realNow()
      const link = await takeLink(tx, { purposes: ['reset_password'], token, at })
      const { userId } = link
      const { email, emailVerifiedAt } = await ownerOf(tx, link)
      // Whoever registered never showed that the address is theirs, and may have kept a door for themself.
      if (!emailVerifiedAt) await account.removeOtherDoors(tx, userId)
      await account.setPassword(tx, userId, passwordHash)
      await account.confirmEmail(tx, userId, at)
      await account.endEverything(tx, userId, 'password reset', at)
      await attempts.forgive(tx, email)
      await alerts.tellOfChange(tx, { userId, change: 'password_reset', client, at })
      return userId
    })
    live.forgetUser(userId)
    notifications.deliverSoon()
    log.info({ userId: String(userId) }, 'password reset')
  }

  /** Looks at the link without spending it, so that a weak password costs nobody their link. */
  async function demandStrength(token: string, password: string): Promise<void> {
    const { rows } = await pool.query<{ email: string; username: string }>(
      `select app_user.email, username from mailed_link join app_user on app_user.id = user_id
        where hash = $1 and purpose = 'reset_password' and used_at is null and expires_at > $2`,
      [hashOfSecret(token), realNow()],
    )
    const weakness = passwordWeakness(password, rows[0] ?? refuse('link_invalid'))
    if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
  }

  async function disownSignIn(token: string): Promise<string> {
    const { userId, resetToken } = await transact(pool, async (tx) => {
      const at = realNow()
      const { userId, email } = await takeLink(tx, { purposes: ['not_me'], token, at })
      await account.blockPassword(tx, userId, at)
      // Whoever came in may have moved the account to an address of their own.
      await account.returnToEmail(tx, userId, email, at)
      await account.endEverything(tx, userId, 'disowned by mail', at)
      const reset = { purpose: 'reset_password' as const, userId, email, at }
      const link = `${publicUrl}/reset-password#token=${await issueLink(tx, reset)}`
      await notifications.mail(tx, { email, userId }, 'reset_password', { link })
      return { userId, resetToken: await issueLink(tx, reset) }
    })
    live.forgetUser(userId)
    notifications.deliverSoon()
    log.warn({ userId: String(userId) }, 'a sign-in was disowned: sessions ended, password blocked')
    return resetToken
  }

  return { logInByLink, verifyEmail, resetPassword, disownSignIn }
}

const isSameAddress = (one: string | null, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

/** Whose link it is. Refuses `link_invalid` when the account has left the address it was mailed to. */
async function ownerOf(tx: Tx, link: MailedLink): Promise<account.Owner> {
  const owner = await account.readOwner(tx, link.userId)
  return isSameAddress(owner.email, link.email) ? owner : refuse('link_invalid')
}

/**
 * The mailbox is proven by somebody who is about to enter. When the account was never used in their browser, whoever
 * opened it may be somebody else who still knows its password: then nothing they have stays good. Where they set up a
 * second factor it will be asked for, so the address stays unproven and a new password remains the way to get rid of it.
 */
async function confirmByEntering(tx: Tx, userId: bigint, client: Client, at: Date): Promise<void> {
  if (!(await account.isKnownDevice(tx, userId, client))) {
    if (await account.hasSecondFactor(tx, userId)) return
    await account.removeOtherDoors(tx, userId)
    await account.blockPassword(tx, userId, at)
    await account.endEverything(tx, userId, 'address proven by somebody else', at)
  }
  await account.confirmEmail(tx, userId, at)
}
