import type { MailResult } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { NotificationsContext } from './context.ts'
import { describeError } from './log.ts'
import { chooseCatalogue } from '../../platform/messages.ts'
import { type RenderedMail, renderMail } from './mails/render.ts'
import { type MailData, type MailTemplate, usefulMinutes } from './mails/templates.ts'
import type { MailRow } from './row-types.ts'

type Ctx = Pick<NotificationsContext, 'seal' | 'provider' | 'realNow' | 'log' | 'publicUrl' | 'catalogues'>

/** Sealed content of a mail. The text is rendered when the mail is sent. */
export interface MailContent {
  readonly to: string
  readonly language: string
  readonly data: unknown
}

/** Rendered mail and its address. Earlier versions stored mails in this form. */
interface AddressedMail extends RenderedMail {
  readonly to: string
}

type WaitingMail = Pick<MailRow, 'id' | 'template' | 'created_at'> & {
  /** `MailContent` or `AddressedMail` as JSON, sealed and bound to `id`. */
  readonly content: Buffer
}

const longestReason = 200
const isWaiting = 'id = $1 and sent_at is null and given_up_at is null'

/**
 * Sends a waiting mail. Drops it if the provider refuses it or it is no longer useful. Throws if the result is unknown,
 * so that the job is retried. Returns what became of it; undefined if it no longer waits.
 */
export async function sendMail(
  ctx: Ctx,
  pool: pg.Pool,
  id: string,
): Promise<'sent' | 'refused' | 'outlived' | undefined> {
  const { realNow, log } = ctx
  const { rows } = await pool.query<WaitingMail>(
    `select id, template, content, created_at from mail where ${isWaiting}`,
    [id],
  )
  const [mail] = rows
  if (!mail) return undefined
  const result = isTooOld(mail, realNow()) ? ({ status: 'outlived' } as const) : await sendMailOnce(ctx, mail)
  const answer = 'reason' in result ? result.reason.slice(0, longestReason) : undefined
  if (result.status === 'unknown') {
    log.warn({ mail: id, template: mail.template, reason: answer }, 'a mail could not be sent yet')
    throw new Error(answer)
  }
  if (result.status === 'sent') {
    await pool.query(`update mail set sent_at = $2, content = null where ${isWaiting}`, [id, realNow()])
    return 'sent'
  }
  await pool.query(`update mail set given_up_at = $2, given_up_reason = $3, content = null where ${isWaiting}`, [
    id,
    realNow(),
    result.status,
  ])
  log.warn({ mail: id, template: mail.template, reason: result.status, answer }, 'a mail was given up')
  return result.status
}

function isTooOld({ template, created_at: writtenAt }: WaitingMail, at: Date): boolean {
  // A newer version may have stored a kind that this one does not know.
  const minutes = usefulMinutes[template as MailTemplate] ?? 24 * 60
  return at.getTime() - writtenAt.getTime() >= minutes * 60_000
}

/** Sends a mail. Logs an error without its message, which may quote the mail and would be stored by the queue. */
async function sendMailOnce(ctx: Ctx, mail: WaitingMail): Promise<MailResult> {
  try {
    return await ctx.provider.send({ ...(await renderStored(ctx, mail)), idempotencyKey: mail.id })
  } catch (error) {
    ctx.log.warn({ mail: mail.id, template: mail.template, ...describeError(error) }, 'sending a mail failed')
    return { status: 'unknown', reason: 'The mail could not be sent' }
  }
}

/** Renders a stored mail in its reader's language. */
async function renderStored({ seal, publicUrl, catalogues }: Ctx, mail: WaitingMail): Promise<AddressedMail> {
  const content = JSON.parse(seal.open(mail.content, mail.id), (key, value: unknown) =>
    key === 'at' || key === 'dueAt' ? new Date(String(value)) : value,
  ) as MailContent | AddressedMail
  if ('html' in content) return content
  const template = mail.template as MailTemplate
  const catalogue = chooseCatalogue(await catalogues, content.language)
  return {
    to: content.to,
    ...renderMail(template, content.data as MailData[typeof template], { publicUrl, catalogue }),
  }
}
