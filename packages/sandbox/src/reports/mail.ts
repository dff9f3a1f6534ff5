import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError, fingerprint, newId, readIdempotencyKey } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import { readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

/** A mail for the API. */
export interface StoredMail {
  id: string
  to: string
  subject: string
  text: string
  html: string
  created_at: string
}

export interface NewMail {
  to: string
  subject: string
  text: string
  html: string
}

export interface Mailbox {
  /** Stores a mail, idempotently by key. Throws ApiError 422 for a different mail. */
  receive(mail: NewMail, key: string | undefined): { id: string }
  find(id: string): StoredMail | undefined
  /** Newest first, at most `limit`; `to` ignores case, and empty matches all. */
  list(to: string, limit: number): StoredMail[]
  count(to: string): number
}

const columns = 'id, recipient as "to", subject, text, html, created_at'

/** A mailbox for all mail the product sends. */
export function createMailbox(store: Store, clock: Clock): Mailbox {
  return {
    receive({ to, subject, text, html }, key) {
      const hash = fingerprint(to, subject, text, html)
      const [earlier] = store.all<{ id: string; request_hash: string }>(
        'select id, request_hash from mail where idempotency_key = ?',
        key ?? null,
      )
      if (earlier && earlier.request_hash !== hash) {
        throw new ApiError(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another mail.')
      }
      if (earlier) return { id: earlier.id }
      const id = newId('ml')
      store.run(
        `insert into mail (id, recipient, subject, text, html, created_at, idempotency_key, request_hash)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        to,
        subject,
        text,
        html,
        clock.now().toISOString(),
        key ?? null,
        hash,
      )
      return { id }
    },
    find: (id) => store.all<StoredMail>(`select ${columns} from mail where id = ?`, id)[0],
    list: (to, limit) =>
      store.all<StoredMail>(
        `select ${columns} from mail where ?1 = '' or lower(recipient) = lower(?1) order by number desc limit ?2`,
        to,
        limit,
      ),
    count(to) {
      const [row] = store.all<{ count: number }>(
        `select count(*) as count from mail where ?1 = '' or lower(recipient) = lower(?1)`,
        to,
      )
      return row?.count ?? 0
    },
  }
}

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

export function mailRoutes(app: FastifyInstance, mailbox: Mailbox, onlyProduct: onRequestHookHandler): void {
  app.post('/api/mail', { onRequest: onlyProduct }, (request, reply) => {
    reply.code(201)
    return mailbox.receive(readMail(request.body), readIdempotencyKey(request.headers))
  })
  app.get<{ Querystring: Record<string, unknown> }>('/api/mail', (request) => {
    const to = request.query['to']
    return mailbox.list(typeof to === 'string' ? to : '', 200)
  })
}
