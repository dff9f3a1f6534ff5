import type { Split } from '@tern/contract/requests/splits'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { RequestContext } from '../context.ts'
import type { RequestRow } from '../records/request-rows.ts'
import { isPossible, stateAt } from '../records/request-states.ts'
import { remindFrom, toldPerson } from '../records/request-views.ts'
import { changeRequest } from '../request-decisions.ts'
import { tellReminder } from '../telling.ts'
import { findOwnSplit, requestsOfSplit } from './split-rows.ts'
import { readSplit } from './split-views.ts'

/** The requests of a split, on which nobody else decides until the transaction ends; in one order for all who lock them. */
async function lockRequests(tx: Tx, splitId: string): Promise<RequestRow[]> {
  const { rows } = await tx.query<RequestRow>(
    `select r.* from payment_request r join split_part p on p.request_id = r.id
      where p.split_id = $1 order by r.id for no key update of r`,
    [splitId],
  )
  return rows
}

/**
 * Reminds everybody who can still pay and was not reminded in the last three days. Refuses `not_found`, `request_closed`
 * when nobody can pay any more, and `reminder_too_soon` when all of them were reminded.
 */
export async function remindSplit(context: RequestContext, caller: Caller, id: string): Promise<Split> {
  const { pool, now } = context
  if (!(await findOwnSplit(pool, caller.userId, id))) refuse('not_found')
  const [known] = await requestsOfSplit(pool, id)
  if (!known) refuse('not_found')
  const requester = await toldPerson(context, caller.userId, known, known.requester_id)
  await transact(pool, async (tx) => {
    const at = now()
    const open = (await lockRequests(tx, id)).filter((request) => isPossible(stateAt(request, at), 'remind'))
    if (open.length === 0) refuse('request_closed')
    const due = open.filter((request) => {
      const from = remindFrom(request)
      return from !== null && from <= at
    })
    if (due.length === 0) refuse('reminder_too_soon')
    for (const request of due) {
      const changed = await changeRequest(context, tx, request, { reminded_at: at })
      await tellReminder(context, tx, changed, { requester, dedupe: at.toISOString() })
    }
  })
  return readSplit(context, caller, id)
}

/** Cancels what can still be paid; repeated, it changes nothing. Refuses `not_found`. */
export async function cancelSplit(context: RequestContext, caller: Caller, id: string): Promise<Split> {
  const { pool, now } = context
  if (!(await findOwnSplit(pool, caller.userId, id))) refuse('not_found')
  await transact(pool, async (tx) => {
    const at = now()
    for (const request of await lockRequests(tx, id)) {
      if (!isPossible(stateAt(request, at), 'cancel')) continue
      await changeRequest(context, tx, request, { status: 'cancelled', closed_at: at })
    }
  })
  return readSplit(context, caller, id)
}
