import type { CorrectableField } from '@tern/contract/privacy/correctable-field'
import type { Correction } from '@tern/contract/privacy/privacy'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { PrivacyContext } from './context.ts'
import type { CorrectionRequestRow } from './row-types.ts'

/** One month (GDPR, article 12(3)), in days. */
const decidedWithinDays = 30
const dayMs = 86_400_000

type CorrectionFields = Omit<CorrectionRequestRow, 'decided_by'>

/** Correction request and its user, for operators. */
export type CorrectionForOperator = Correction & { readonly userId: bigint }

const columns = 'id, user_id, field, right_value, note, state, created_at, due_at, decided_at, answer'

const toView = ({
  id,
  field,
  right_value,
  note,
  state,
  created_at,
  due_at,
  decided_at,
  answer,
}: CorrectionFields): Correction => ({
  ...{ id, field, right_value, note, state, answer },
  created_at: created_at.toISOString(),
  due_at: due_at.toISOString(),
  decided_at: decided_at?.toISOString() ?? null,
})

export interface NewCorrection {
  readonly userId: bigint
  readonly field: CorrectableField
  readonly right_value: string
  readonly note?: string | undefined
}

export interface CorrectionDecision {
  readonly id: string
  readonly state: 'corrected' | 'declined'
  readonly by: string
  readonly answer: string
}

// Requests to correct verified details, which users cannot change themselves.

/** The last 50 requests of a user, newest first. */
export async function readCorrections(db: Db, userId: bigint): Promise<Correction[]> {
  const { rows } = await db.query<CorrectionFields>(
    `select ${columns} from correction_request where user_id = $1 order by created_at desc, id desc limit 50`,
    [userId],
  )
  return rows.map(toView)
}

/** Stores a request. Refuses `correction_open` while another about the same field is undecided. */
export async function requestCorrection(
  { now }: Pick<PrivacyContext, 'now'>,
  db: Db,
  { userId, field, right_value: rightValue, note = '' }: NewCorrection,
): Promise<Correction> {
  const at = now()
  const dueAt = new Date(at.getTime() + decidedWithinDays * dayMs)
  const { rows } = await db.query<CorrectionFields>(
    `insert into correction_request (id, user_id, field, right_value, note, state, created_at, due_at)
     values ($1, $2, $3, $4, $5, 'open', $6, $7)
     on conflict (user_id, field) where state = 'open' do nothing returning ${columns}`,
    [newId(at), userId, field, rightValue, note, at, dueAt],
  )
  return rows[0] ? toView(rows[0]) : refuse('correction_open')
}

/** Undecided requests, by deadline. */
export async function readOpenCorrections(db: Db): Promise<CorrectionForOperator[]> {
  const { rows } = await db.query<CorrectionFields>(
    `select ${columns} from correction_request where state = 'open' order by due_at, id`,
  )
  return rows.map((row) => Object.assign(toView(row), { userId: row.user_id }))
}

/** Decides a request and notifies its user. Refuses `not_found` if no open one has this id. */
export async function decideCorrection(
  { notifications, now }: Pick<PrivacyContext, 'notifications' | 'now'>,
  pool: pg.Pool,
  { id, state, by, answer }: CorrectionDecision,
): Promise<void> {
  await transact(pool, async (tx) => {
    const { rows } = await tx.query<CorrectionFields>(
      `update correction_request set state = $2, decided_by = $3, answer = $4, decided_at = $5
        where id = $1 and state = 'open' returning ${columns}`,
      [id, state, by, answer, now()],
    )
    const { user_id: userId, field } = rows[0] ?? refuse('not_found')
    await notifications.notify(tx, {
      userId,
      code: 'correction_decided',
      params: { state, field },
      subjectId: id,
    })
  })
}
