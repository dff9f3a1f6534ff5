import type { CallReason } from '@tern/contract/calls'
import type { CallAlert } from '@tern/contract/desk/calls'
import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { wireId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { isOwnAccount } from '../operators/own-accounts.ts'
import { recordReadings } from '../record-readings.ts'

interface AlertRow {
  readonly id: string
  readonly user_id: bigint
  readonly username: string
  readonly operator: string | null
  readonly operator_id: string | null
  readonly about: CallReason | null
  readonly raised_at: Date
}

const alertsAtOnce = 100

/** Reads unseen alerts, one of them with `id`, but none about an account of the operator. */
async function readAlerts(db: Db, operator: Operator, id?: string): Promise<AlertRow[]> {
  const { rows } = await db.query<AlertRow>(
    `select a.id, a.user_id, u.username, o.name as operator, c.operator_id, c.about, a.raised_at
       from desk_call_alert a join app_user u on u.id = a.user_id
       left join desk_call c on c.id = a.call_id left join desk_operator o on o.id = c.operator_id
      where a.seen_at is null and ($2::uuid is null or a.id = $2)
        and not exists (select from desk_own_account own
                         where own.operator_id = $1 and own.user_id = a.user_id and own.unlinked_at is null)
      order by a.raised_at, a.id limit $3`,
    [operator.id, id, alertsAtOnce],
  )
  return rows
}

/** Returns the unseen alerts, and records in each person's access history that the operator read them. */
export function listCallAlerts(product: Product, pool: pg.Pool, operator: Operator): Promise<CallAlert[]> {
  return transact(pool, async (tx) => {
    const rows = await readAlerts(tx, operator)
    const people = rows.map(({ user_id: userId }) => userId)
    await recordReadings(product, tx, { reader: operator, people, purpose: 'support', what: ['name'] })
    await writeLine(tx, operator, { act: 'call_alerts_listed' }, product.desk.context.realNow())
    return rows.map(({ id, user_id: userId, username, operator: name, about, raised_at: raisedAt }) => ({
      id,
      kind: name === null ? 'impostor' : 'refused',
      person: { id: wireId(userId), username },
      operator: name,
      about,
      raised_at: raisedAt.toISOString(),
    }))
  })
}

interface ClosedAlert {
  readonly operator: Operator
  readonly id: string
  readonly reason: string
}

/** Closes an alert. Refuses `not_found`, and `desk_involved` to its own caller and for an account of the operator. */
export async function closeCallAlert(product: Product, pool: pg.Pool, closed: ClosedAlert): Promise<void> {
  const { operator, id, reason } = closed
  const at = product.desk.context.realNow()
  const isInvolved = await transact(pool, async (tx) => {
    const { rows } = await tx.query<{ user_id: bigint; caller_id: string | null }>(
      `select a.user_id, (select operator_id from desk_call c where c.id = a.call_id) as caller_id
         from desk_call_alert a where a.id = $1 and a.seen_at is null for update`,
      [id],
    )
    const [alert] = rows
    if (!alert) return refuse('not_found')
    const subject = String(alert.user_id)
    const isOwn = await isOwnAccount(tx, { operatorId: operator.id, userId: alert.user_id })
    if (isOwn || alert.caller_id === operator.id) {
      await writeLine(tx, operator, { act: 'refused', subject }, at)
      return true
    }
    await tx.query('update desk_call_alert set seen_by = $2, seen_at = $3 where id = $1', [id, operator.id, at])
    await writeLine(tx, operator, { act: 'call_alert_closed', subject, reason }, at)
    return false
  })
  if (isInvolved) refuse('desk_involved')
}
