import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { fingerprint, newId, readIdempotencyKey, requireSameRequest } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import { readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

export interface NewMail {
  to: string
  subject: string
  text: string
  html: string
}

/** Mail as in the API's reply. */
export interface StoredMail extends NewMail {
  id: string
  created_at: string
}

const columns = 'id, recipient as "to", subject, text, html, created_at'

export type Mailbox = ReturnType<typeof createMailbox>

export const createMailbox = (store: Store, clock: Clock) => ({
  /** Stores a mail, idempotently by key. Throws ApiError 422 if the key was used for another mail. */
  receive({ to, subject, text, html }: NewMail, key: string | undefined): { id: string } {
    const hash = fingerprint(to, subject, text, html)
    const existing = store.get<{ id: string; request_hash: string }>(
      'select id, request_hash from mail where idempotency_key = ?',
      key ?? null,
    )
    requireSameRequest(existing, hash, 'mail')
    if (existing) return { id: existing.id }
    const id = newId('ml')
    const request = { idempotency_key: key ?? null, request_hash: hash, created_at: clock.now().toISOString() }
    store.insert('mail', { id, recipient: to, subject, text, html, ...request })
    return { id }
  },
  find: (id: string) => store.get<StoredMail>(`select ${columns} from mail where id = ?`, id),
  /** Returns at most `limit` mails, newest first. `to` is compared without case; empty for all recipients. */
  list: (to: string, limit: number) =>
    store.all<StoredMail>(
      `select ${columns} from mail where ?1 = '' or lower(recipient) = lower(?1) order by number desc limit ?2`,
      to,
      limit,
    ),
  count(to: string): number {
    const row = store.get<{ count: number }>(
      `select count(*) as count from mail where ?1 = '' or lower(recipient) = lower(?1)`,
      to,
    )
    return row?.count ?? 0
  },
})

function readMail(body: unknown): NewMail {
  const fields = readFields(body)
  const mail = {
    to: fields.text('to', { max: 254, pattern: /^[^\s@<>]+@[^\s@<>]+$/, message: 'Must be a mail address.' }),
    subject: fields.text('subject', { max: 300, pattern: /^[^\r\n]*$/, message: 'Must be one line.' }),
    text: fields.text('text', { max: 100_000 }),
    html: fields.text('html', { max: 300_000 }),
  }
  fields.check()
  return mail
}

export function mailRoutes(app: FastifyInstance, mailbox: Mailbox, requireProduct: onRequestHookHandler): void {
  app.post('/api/mail', { onRequest: requireProduct }, (request, reply) => {
    reply.code(201)
    return mailbox.receive(readMail(request.body), readIdempotencyKey(request.headers))
  })
  app.get<{ Querystring: Record<string, unknown> }>('/api/mail', (request) => {
    const to = request.query['to']
    return mailbox.list(typeof to === 'string' ? to : '', 200)
  })
}
