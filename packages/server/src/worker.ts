import { type Runner, run } from 'graphile-worker'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { createMetrics } from './metrics.ts'
import { createProduct } from './product.ts'

const checkAfterMs = 60_000
const keepQuotesDays = 90

/** Does what happens later: asks providers about what they have not said, and clears what nobody needs any more. */
export async function startWorker(config: Config, databaseUrl: string): Promise<{ close(): Promise<void> }> {
  const log = pino({ level: config.logLevel, name: 'worker' })
  const product = await createProduct({ config, databaseUrl, metrics: createMetrics(), log })
  const { payments, kyc, pool, now } = product
  const runner: Runner = await run({
    pgPool: pool,
    noHandleSignals: true,
    crontab: ['* * * * * check_pending_payments', '* * * * * resume_kyc', '17 3 * * * delete_old_quotes'].join('\n'),
    taskList: {
      async check_pending_payments() {
        for (const id of await payments.pendingSince(new Date(now().getTime() - checkAfterMs))) {
          await payments.check(id)
        }
      },
      async resume_kyc() {
        await kyc.resumePending()
      },
      async delete_old_quotes() {
        await pool.query(`delete from quote where expires_at < $1::timestamptz - make_interval(days => $2)`, [
          now(),
          keepQuotesDays,
        ])
      },
    },
  })
  return {
    async close() {
      await runner.stop()
      await product.close()
    },
  }
}
