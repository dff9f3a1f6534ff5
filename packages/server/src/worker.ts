import { pino } from 'pino'
import type { Config } from './platform/runtime/config.ts'
import { completeAllDays } from './features/wallets/history/balance-days.ts'
import { followTransactions } from './features/wallets/list/transaction-index.ts'
import { clearOldRows } from './platform/housekeeping.ts'
import { createMetrics } from './platform/runtime/metrics.ts'
import { createProduct } from './product.ts'
import { connectQueue, keepRunning } from './platform/database/queue-runner.ts'

// More than there are tasks, of which none runs twice at once: so none waits behind another.
const concurrency = 12
const payoutsAtOnce = 4

/** Does what happens later: asks providers about what they have not said, and clears what nobody needs any more. */
export async function startWorker(config: Config, databaseUrl: string): Promise<{ close(): Promise<void> }> {
  const log = pino({ level: config.logLevel, name: 'worker' })
  const product = await createProduct({ config, databaseUrl, metrics: createMetrics(), log })
  const { identity, notifications, payments, kyc, pool, now } = product
  const queue = connectQueue(databaseUrl)
  const runner = await keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency,
    crontab: [
      '* * * * * check_pending_payments',
      '* * * * * check_pending_payouts',
      '* * * * * check_pending_links',
      '* * * * * resume_kyc',
      '* * * * * send_mail',
      '12 * * * * complete_balance_days',
      '23 3 * * * retire_old_key',
      '17 3 * * * clear_old_rows',
      '29 3 * * * delete_old_mails',
      '41 3 * * * reconcile',
    ].join('\n'),
    taskList: {
      check_pending_payments: notTwiceAtOnce(() => payments.checkPendingPayments()),
      check_pending_payouts: notTwiceAtOnce(() => payments.checkPendingPayouts()),
      check_pending_links: notTwiceAtOnce(() => payments.checkPendingLinks()),
      complete_balance_days: notTwiceAtOnce(() => completeAllDays(pool, now())),
      reconcile: notTwiceAtOnce(() => payments.reconcile()),
      resume_kyc: notTwiceAtOnce(() => kyc.resumePending()),
      clear_old_rows: notTwiceAtOnce(async () => {
        log.info({ rows: await clearOldRows(pool, { now }) }, 'cleared old rows')
      }),
      retire_old_key: notTwiceAtOnce(() => identity.retireOldKey()),
      send_mail: notTwiceAtOnce(() => notifications.sendDue()),
      delete_old_mails: notTwiceAtOnce(() => notifications.forgetOld()),
    },
  })
  // By a runner of their own: any number of payouts may wait for a slow provider and take no place from the rest.
  const payouts = await keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: payoutsAtOnce,
    parsedCronItems: [],
    taskList: { submit_payout: (payload) => payments.submitPayout(payoutIdOf(payload)) },
  })
  const indexing = followTransactions(pool, log)
  return {
    async close() {
      await indexing.close()
      // Stopping waits for the tasks; this one would go on as long as any mail is due.
      await Promise.all([notifications.close(), runner.stop(), payouts.stop()])
      await queue.end()
      await product.close()
    },
  }
}

function payoutIdOf(payload: unknown): string {
  const id = typeof payload === 'object' && payload !== null && 'payoutId' in payload ? payload.payoutId : undefined
  if (typeof id !== 'string') throw new Error('a job names no payout')
  return id
}

/**
 * A task that does nothing while it is still running: a provider that answers slowly would otherwise take one place a
 * minute until no other task has any. A named queue would do the same, but stays locked for hours after a crash.
 */
function notTwiceAtOnce(work: () => Promise<unknown>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } finally {
      isRunning = false
    }
  }
}
