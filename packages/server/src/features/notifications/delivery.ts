import type { MailResult } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { NotificationsContext } from './context.ts'
import { describe } from './log.ts'
import { catalogueFor } from '../../platform/messages.ts'
import { type RenderedMail, renderMail } from './mails/render.ts'
import { type MailData, type MailTemplate, usefulMinutes } from './mails/templates.ts'

type Ctx = Pick<NotificationsContext, 'seal' | 'provider' | 'realNow' | 'log' | 'publicUrl' | 'catalogues'>

/** What is sealed into a row: what the mail is about. Its sentences are looked up when it leaves. */
export interface Content {
  readonly to: string
  readonly language: string
  readonly data: unknown
}

/** How mails were sealed that were waiting when their sentences stopped being stored. */
interface WrittenOut extends RenderedMail {
  readonly to: string
}

interface Waiting {
  readonly id: string
  readonly template: string
  /** Sealed, bound to `id`. */
  readonly content: Buffer
  readonly created_at: Date
}

const longestReason = 200
const isWaiting = 'id = $1 and sent_at is null and given_up_at is null'

/** Sends a waiting mail, or gives it up when the provider refuses it or its use is over. Otherwise throws: try again. */
export async function sendMail(ctx: Ctx, pool: pg.Pool, id: string): Promise<void> {
  const { realNow, log } = ctx
  const { rows } = await pool.query<Waiting>(`select id, template, content, created_at from mail where ${isWaiting}`, [
    id,
  ])
  const [mail] = rows
  if (!mail) return
  const result = isOutlived(mail, realNow()) ? ({ status: 'outlived' } as const) : await attempt(ctx, mail)
  const answer = 'reason' in result ? result.reason.slice(0, longestReason) : undefined
  if (result.status === 'unknown') {
    log.warn({ mail: id, template: mail.template, reason: answer }, 'a mail could not be sent yet')
    throw new Error(answer)
  }
  if (result.status === 'sent') {
    await pool.query(`update mail set sent_at = $2, content = null where ${isWaiting}`, [id, realNow()])
    return
  }
  await pool.query(`update mail set given_up_at = $2, given_up_reason = $3, content = null where ${isWaiting}`, [
    id,
    realNow(),
    result.status,
  ])
  log.warn({ mail: id, template: mail.template, reason: result.status, answer }, 'a mail was given up')
}

function isOutlived({ template, created_at: writtenAt }: Waiting, at: Date): boolean {
  // A newer version may have written kinds that this one does not know.
  const minutes = usefulMinutes[template as MailTemplate] ?? 24 * 60
  return at.getTime() - writtenAt.getTime() >= minutes * 60_000
}

/** The queue stores and logs what is thrown, and an error may quote the mail: only its kind is logged, here. */
async function attempt(ctx: Ctx, mail: Waiting): Promise<MailResult> {
  try {
    return await ctx.provider.send({ ...(await written(ctx, mail)), idempotencyKey: mail.id })
  } catch (error) {
    ctx.log.warn({ mail: mail.id, template: mail.template, ...describe(error) }, 'sending a mail failed')
    return { status: 'unknown', reason: 'The mail could not be sent' }
  }
}

/** The mail of a row, in the language of its reader. */
async function written({ seal, publicUrl, catalogues }: Ctx, mail: Waiting): Promise<WrittenOut> {
  const content = JSON.parse(seal.open(mail.content, mail.id), (key, value: unknown) =>
    key === 'at' || key === 'dueAt' ? new Date(String(value)) : value,
  ) as Content | WrittenOut
  if ('html' in content) return content
  const template = mail.template as MailTemplate
  const catalogue = catalogueFor(await catalogues, content.language)
  return {
    to: content.to,
    ...renderMail(template, content.data as MailData[typeof template], { publicUrl, catalogue }),
  }
}
