import type { MailProvider, MailResult } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { Seal } from '../../platform/seal.ts'
import { describe, type Log } from './log.ts'
import { catalogueFor, type Catalogues } from '../../platform/messages.ts'
import { type RenderedMail, renderMail } from './mails/render.ts'
import { type MailData, type MailTemplate, usefulMinutes } from './mails/templates.ts'

export interface DeliveryParts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly provider: MailProvider
  readonly realNow: () => Date
  readonly log: Log
  readonly publicUrl: string
  readonly catalogues: Promise<Catalogues>
}

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
export async function sendMail(parts: DeliveryParts, id: string): Promise<void> {
  const { pool, realNow, log } = parts
  const { rows } = await pool.query<Waiting>(`select id, template, content, created_at from mail where ${isWaiting}`, [
    id,
  ])
  const [mail] = rows
  if (!mail) return
  const result = isOutlived(mail, realNow()) ? ({ status: 'outlived' } as const) : await attempt(parts, mail)
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
async function attempt(parts: DeliveryParts, mail: Waiting): Promise<MailResult> {
  try {
    return await parts.provider.send({ ...(await written(parts, mail)), idempotencyKey: mail.id })
  } catch (error) {
    parts.log.warn({ mail: mail.id, template: mail.template, ...describe(error) }, 'sending a mail failed')
    return { status: 'unknown', reason: 'The mail could not be sent' }
  }
}

/** The mail of a row, in the language of its reader. */
async function written({ seal, publicUrl, catalogues }: DeliveryParts, mail: Waiting): Promise<WrittenOut> {
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
