import type { MailChoice } from '@tern/contract/notifications/mail-choices'
import type pg from 'pg'
import { only, type Db, transact, type Tx } from '../../platform/database/db.ts'

type Choices = Record<MailChoice, boolean>

/** The mails that people chose. */
export interface MailChoices {
  mailChoices(userId: bigint): Promise<Choices>
  /** Gives the choices as they are then. */
  setMailChoices(userId: bigint, choices: Choices): Promise<Choices>
  /** Whether a person gets mails of this kind. */
  wantsMail(db: Db, userId: bigint, choice: MailChoice): Promise<boolean>
}

/** Runs in the transaction that keeps what somebody chose. */
export type OnMailChoices = (tx: Tx, userId: bigint, choices: Choices) => Promise<void>

export function createMailChoices(pool: pg.Pool, onChosen: OnMailChoices = async () => {}): MailChoices {
  return {
    mailChoices: (userId) => readChoices(pool, userId),
    setMailChoices: (userId, { payments, requests }) =>
      transact(pool, async (tx) => {
        const { rows } = await tx.query<Choices>(
          `insert into mail_choice (user_id, payments, requests) values ($1, $2, $3)
           on conflict (user_id) do update set payments = excluded.payments, requests = excluded.requests
           returning payments, requests`,
          [userId, payments, requests],
        )
        await onChosen(tx, userId, only(rows))
        return only(rows)
      }),
    wantsMail: async (db, userId, choice) => (await readChoices(db, userId))[choice],
  }
}

async function readChoices(db: Db, userId: bigint): Promise<Choices> {
  const { rows } = await db.query<Choices>('select payments, requests from mail_choice where user_id = $1', [userId])
  return rows[0] ?? { payments: true, requests: true }
}
