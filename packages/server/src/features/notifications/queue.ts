import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'

/** A mail that is about to be sent. */
export interface Claimed {
  readonly id: string
  readonly template: string
  /** Sealed, bound to `id`. */
  readonly content: Buffer
  readonly created_at: Date
  /** This one included. */
  readonly attempts: number
}

interface Written {
  readonly id: string
  readonly userId: bigint | undefined
  readonly template: string
  readonly content: Buffer
  readonly at: Date
}

/** Writes a mail that is due at once. */
export async function addMail(tx: Tx, { id, userId, template, content, at }: Written): Promise<void> {
  await tx.query(
    `insert into mail (id, user_id, template, content, created_at, due_at) values ($1, $2, $3, $4, $5, $5)`,
    [id, userId ?? null, template, content, at],
  )
}

/** Takes up to `most` mails that are due. Nobody else gets them before `until`, when a crash has given them back. */
export async function claimMails(pool: pg.Pool, span: { at: Date; until: Date; most: number }): Promise<Claimed[]> {
  const { rows } = await pool.query<Claimed>(
    `with due as materialized (
       select id from mail where sent_at is null and given_up_at is null and due_at <= $1
        order by due_at limit $3 for update skip locked
     )
     update mail set due_at = $2, attempts = attempts + 1 from due where mail.id = due.id
     returning mail.id, template, content, created_at, attempts`,
    [span.at, span.until, span.most],
  )
  return rows
}

/** It has left; nobody needs its content any more. */
export async function markSent(pool: pg.Pool, id: string, at: Date): Promise<void> {
  await pool.query(
    'update mail set sent_at = $2, content = null where id = $1 and sent_at is null and given_up_at is null',
    [id, at],
  )
}

/** Why a mail never left: its use was over, or the provider would not take it. */
export type GivenUpReason = 'outlived' | 'refused'

/** It will never leave. */
export async function markGivenUp(pool: pg.Pool, id: string, reason: GivenUpReason, at: Date): Promise<void> {
  await pool.query(
    `update mail set given_up_at = $3, given_up_reason = $2, content = null
      where id = $1 and sent_at is null and given_up_at is null`,
    [id, reason, at],
  )
}

/** It is due again at `due`, unless somebody has claimed it since. */
export async function postpone(pool: pg.Pool, { id, attempts }: Claimed, due: Date): Promise<void> {
  await pool.query('update mail set due_at = $2 where id = $1 and attempts = $3', [id, due, attempts])
}

/** Deletes what was written before `at`. */
export async function deleteMailsBefore(pool: pg.Pool, at: Date): Promise<void> {
  await pool.query('delete from mail where created_at < $1', [at])
}
