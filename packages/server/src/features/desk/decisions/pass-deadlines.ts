import { transact } from '../../../platform/database/db.ts'
import type { DeskContext } from '../context.ts'
import { writeLine } from '../log.ts'
import type { Queue } from '../queues/queue.ts'

/** In the log, of what happens by itself. */
const deadline = { id: null, name: 'deadline' }

/** Leaves to a lead what nobody decided in time, each queue in a transaction. Somebody may be carrying it out: that goes on. */
export async function passDeadlines({ pool, realNow }: DeskContext, queues: readonly Queue[]): Promise<void> {
  for (const queue of queues) {
    if (!queue.passDeadlines) continue
    await transact(pool, async (tx) => {
      const passed = (await queue.passDeadlines?.(tx)) ?? []
      for (const subject of passed) {
        await tx.query(
          `insert into desk_item (queue, subject, for_lead) values ($1, $2, true)
             on conflict (queue, subject) do update set for_lead = true, claimed_by = null where desk_item.verdict is null`,
          [queue.name, subject],
        )
        await writeLine(
          tx,
          deadline,
          { act: 'escalated', queue: queue.name, subject, reason: 'deadline passed' },
          realNow(),
        )
      }
    })
  }
}
