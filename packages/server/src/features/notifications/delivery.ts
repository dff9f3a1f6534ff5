import type { MailProvider } from '@tern/providers/mail/port'
import type pg from 'pg'
import type { Seal } from '../../platform/seal.ts'
import { describe, type Log } from './log.ts'
import { catalogueFor, type Catalogues } from '../../platform/messages.ts'
import { type Claimed, claimMails, type GivenUpReason, markGivenUp, markSent, postpone } from './queue.ts'
import { type RenderedMail, renderMail } from './mails/render.ts'
import { type MailData, type MailTemplate, usefulMinutes } from './mails/templates.ts'

/** Sends the mails that wait in the database, each once, whichever processes try and die. */
export interface Delivery {
  /** Sends what is due until nothing is; gives how many went out. */
  sendDue(): Promise<number>
  /** Waits for the mails that are on their way and begins no other. */
  close(): Promise<void>
}

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

/** How the mails were sealed that were still waiting when they came to be kept without their sentences. */
interface WrittenOut extends RenderedMail {
  readonly to: string
}

const atOnce = 8
// Longer than any provider takes to answer; after that a mail is tried again by whoever looks.
const claimMs = 120_000
const firstPauseMs = 10_000
const longestPauseMs = 3_600_000
const longestReason = 200

/** How long to wait after an attempt that failed: twice as long each time, an hour at most. */
const pauseMs = (attempts: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 20))

function isOutlived({ template, created_at: writtenAt }: Claimed, at: Date): boolean {
  // A newer version may have written kinds that this one does not know.
  const minutes = usefulMinutes[template as MailTemplate] ?? 24 * 60
  return at.getTime() - writtenAt.getTime() >= minutes * 60_000
}

export function createDelivery(parts: DeliveryParts): Delivery {
  const { pool, realNow } = parts
  const runs = new Set<Promise<number>>()
  let closing = false

  async function run(): Promise<number> {
    let sent = 0
    while (!closing) {
      const at = realNow()
      const claimed = await claimMails(pool, { at, until: new Date(at.getTime() + claimMs), most: atOnce })
      const results = await Promise.all(claimed.map((mail) => trySend(parts, mail)))
      sent += results.filter(Boolean).length
      if (claimed.length < atOnce) break
    }
    return sent
  }

  return {
    async sendDue() {
      const current = run()
      runs.add(current)
      try {
        return await current
      } finally {
        runs.delete(current)
      }
    },
    async close() {
      closing = true
      await Promise.allSettled(runs)
    },
  }
}

/** Whatever goes wrong with one mail is its own affair: it is due again when the claim runs out. */
async function trySend(parts: DeliveryParts, mail: Claimed): Promise<boolean> {
  try {
    return await send(parts, mail)
  } catch (error) {
    parts.log.warn({ ...named(mail), ...describe(error) }, 'a mail could not be sent')
    return false
  }
}

async function send(parts: DeliveryParts, mail: Claimed): Promise<boolean> {
  const { pool, provider, realNow, log } = parts
  if (isOutlived(mail, realNow())) {
    await giveUp(parts, mail, 'outlived')
    return false
  }
  const content = await written(parts, mail)
  const result = await provider.send({ ...content, idempotencyKey: mail.id })
  if (result.status === 'sent') {
    await markSent(pool, mail.id, realNow())
    return true
  }
  const reason = result.reason.slice(0, longestReason)
  if (result.status === 'refused') {
    await giveUp(parts, mail, 'refused', reason)
  } else {
    const due = new Date(realNow().getTime() + pauseMs(mail.attempts))
    await postpone(pool, mail, due)
    log.warn({ ...named(mail), reason, due }, 'a mail could not be sent yet')
  }
  return false
}

/** The mail of a row, in the language of its reader. */
async function written({ seal, publicUrl, catalogues }: DeliveryParts, mail: Claimed): Promise<WrittenOut> {
  const content = JSON.parse(seal.open(mail.content, mail.id), (key, value: unknown) =>
    key === 'at' ? new Date(String(value)) : value,
  ) as Content | WrittenOut
  if ('html' in content) return content
  const template = mail.template as MailTemplate
  const catalogue = catalogueFor(await catalogues, content.language)
  return {
    to: content.to,
    ...renderMail(template, content.data as MailData[typeof template], { publicUrl, catalogue }),
  }
}

/** `answer` is what the provider said, for the log alone. */
async function giveUp(
  { pool, realNow, log }: DeliveryParts,
  mail: Claimed,
  reason: GivenUpReason,
  answer?: string,
): Promise<void> {
  await markGivenUp(pool, mail.id, reason, realNow())
  log.warn({ ...named(mail), reason, answer }, 'a mail was given up')
}

const named = ({ id, template, attempts }: Claimed) => ({ mail: id, template, attempts })
