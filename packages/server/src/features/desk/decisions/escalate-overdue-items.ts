import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import type { Product } from '../../../product.ts'
import { writeLine } from '../log.ts'

/** Log actor of escalations at a missed deadline. */
const deadline = { id: null, name: 'deadline' }

/** Escalates overdue entries to a lead, one transaction per queue. Entries with a final verdict stay unchanged. */
export async function escalateOverdueItems(product: Product, pool: pg.Pool): Promise<void> {
  for (const queue of product.desk.queues) {
    if (!queue.passDeadlines) continue
    await transact(pool, async (tx) => {
      const overdueSubjects = (await queue.passDeadlines?.(product, tx)) ?? []
      for (const subject of overdueSubjects) {
        await tx.query(
          `insert into desk_item (queue, subject, for_lead) values ($1, $2, true)
             on conflict (queue, subject) do update set for_lead = true, claimed_by = null where desk_item.verdict is null`,
          [queue.name, subject],
        )
        const line = { act: 'escalated', queue: queue.name, subject, reason: 'deadline passed' } as const
        await writeLine(tx, deadline, line, product.desk.context.realNow())
      }
    })
  }
}
