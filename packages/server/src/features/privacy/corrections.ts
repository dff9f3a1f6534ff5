import type { CorrectableField } from '@tern/contract/privacy/correctable-field'
import type { Correction } from '@tern/contract/privacy/privacy'
import type pg from 'pg'
import { only, type Db, transact } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Notifications } from '../notifications/notifications.ts'

/** A month, as GDPR, article 12(3), gives; in days, so that nobody has to count. */
const decidedWithinDays = 30
const dayMs = 86_400_000

interface Row {
  readonly id: string
  readonly user_id: bigint
  readonly field: CorrectableField
  readonly right_value: string
  readonly note: string
  readonly state: Correction['state']
  readonly created_at: Date
  readonly due_at: Date
  readonly decided_at: Date | null
  readonly answer: string | null
}

/** A correction as an operator sees it. */
export type CorrectionToDecide = Correction & { readonly userId: bigint }

const columns = 'id, user_id, field, right_value, note, state, created_at, due_at, decided_at, answer'

const viewOf = ({ id, field, right_value, note, state, created_at, due_at, decided_at, answer }: Row): Correction => ({
  ...{ id, field, right_value, note, state, answer },
  created_at: created_at.toISOString(),
  due_at: due_at.toISOString(),
  decided_at: decided_at?.toISOString() ?? null,
})

interface Options {
  readonly pool: pg.Pool
  readonly notifications: Pick<Notifications, 'notify'>
  readonly now: () => Date
}

interface Asked {
  readonly field: CorrectableField
  readonly right_value: string
  readonly note?: string | undefined
}

/** Requests to correct verified details, which people cannot change themselves. */
export function createCorrections({ pool, notifications, now }: Options) {
  return {
    /** What somebody asked for, newest first. */
    async of(db: Db, userId: bigint): Promise<Correction[]> {
      const { rows } = await db.query<Row>(
        `select ${columns} from correction_request where user_id = $1 order by created_at desc, id desc limit 50`,
        [userId],
      )
      return rows.map(viewOf)
    },

    /** Asks for one. Refuses `correction_open` while another about the same field is undecided. */
    async ask(userId: bigint, { field, right_value: rightValue, note = '' }: Asked): Promise<Correction> {
      const at = now()
      const due = new Date(at.getTime() + decidedWithinDays * dayMs)
      const { rows } = await pool.query<Row>(
        `insert into correction_request (id, user_id, field, right_value, note, state, created_at, due_at)
         values ($1, $2, $3, $4, $5, 'open', $6, $7)
         on conflict (user_id, field) where state = 'open' do nothing returning ${columns}`,
        [newId(at), userId, field, rightValue, note, at, due],
      )
      return rows[0] ? viewOf(rows[0]) : refuse('correction_open')
    },

    /** Those that wait, the next deadline first. */
    async open(): Promise<CorrectionToDecide[]> {
      const { rows } = await pool.query<Row>(
        `select ${columns} from correction_request where state = 'open' order by due_at, id`,
      )
      return rows.map((row) => Object.assign(viewOf(row), { userId: row.user_id }))
    },

    /** Decides one and tells the person. Refuses `not_found` when none with this id is open. */
    async decide(id: string, { state, by, answer }: { state: 'corrected' | 'declined'; by: string; answer: string }) {
      return transact(pool, async (tx) => {
        const { rows } = await tx.query<Row>(
          `update correction_request set state = $2, decided_by = $3, answer = $4, decided_at = $5
            where id = $1 and state = 'open' returning ${columns}`,
          [id, state, by, answer, now()],
        )
        if (rows.length === 0) refuse('not_found')
        const { user_id: userId, ...decided } = only(rows)
        await notifications.notify(tx, {
          userId,
          code: 'correction_decided',
          params: { state, field: decided.field },
          subjectId: id,
        })
        return { userId, ...viewOf({ ...decided, user_id: userId }) }
      })
    },
  }
}
