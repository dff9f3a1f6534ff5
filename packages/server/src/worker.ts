import type { TaskList } from 'graphile-worker'
import type pg from 'pg'
import { type Logger, pino } from 'pino'
import type { Config } from './platform/runtime/config.ts'
import { completeAllDays } from './features/wallets/history/balance-days.ts'
import { followOrders } from './features/orders/orders.ts'
import { followDeadlines } from './features/transfers/transfers.ts'
import { followTransactions } from './features/wallets/list/transaction-index.ts'
import { followMoney } from './features/wallets/notices/money-notices.ts'
import { serveOperators } from './platform/operations/admin.ts'
import { type NotReady, readWarnings, whyDatabaseIsNotReady } from './platform/operations/health.ts'
import { tables } from './features/list.ts'
import { clearOldRows } from './platform/housekeeping.ts'
import { logDestination } from './platform/runtime/logging.ts'
import { createMetrics } from './platform/runtime/metrics.ts'
import { createProduct, type Product } from './product.ts'
import { watchProduct } from './product-metrics.ts'
import { connectQueue } from './platform/database/queue/queue-pool.ts'
import { keepRunning, type RunnerLog } from './platform/database/queue/queue-runner.ts'
import { type QueueWatch, watchQueue, watchTimes } from './platform/database/queue/queue-watch.ts'

// More than there are tasks by the clock, none of which overlaps itself, so none waits for another; the rest hands over forms.
const concurrency = 28
const payoutsAtOnce = 4
const mailsAtOnce = 8
const forwardedAtOnce = 2
/** The tasks of a minute end together: what they used need not stay open for most of the next. */
const idleMs = 3000

/** When each task runs. */
const crontab = [
  '* * * * * check_pending_payments',
  '* * * * * check_pending_payouts',
  '* * * * * check_pending_links',
  '* * * * * end_due_transfers',
  '* * * * * follow_cases',
  '* * * * * record_travel_rule',
  '* * * * * watch_moved',
  '* * * * * run_schedules',
  '* * * * * end_due_requests',
  '* * * * * run_disputes',
  '* * * * * delete_accounts',
  '* * * * * flatten_positions',
  '* * * * * resume_kyc',
  '* * * * * redact_kyc',
  '* * * * * screen_people',
  '* * * * * resume_mails',
  '7 * * * * resume_waitlist',
  '12 * * * * complete_balance_days',
  '33 * * * * fill_rate_history',
  '19 * * * * fetch_lists',
  '48 * * * * warn_of_stale_lists',
  '10 0 * * * count_fees',
  '23 3 * * * retire_old_key',
  '17 3 * * * clear_old_rows',
  '41 3 * * * reconcile',
].join('\n')

/** Runs background work: polls providers and deletes old data. `stuck` resolves when the process must be restarted. */
export async function startWorker(
  config: Config,
  databaseUrl: string,
  times = watchTimes,
): Promise<Pick<QueueWatch, 'stuck'> & { close(): Promise<void> }> {
  const log = pino({ level: config.logLevel, name: 'worker' }, logDestination())
  const metrics = createMetrics()
  const product = await createProduct({ config, databaseUrl, metrics, log, idleMs })
  watchProduct(metrics, product)
  const { identity, notifications, payments, waitlist, pool, now } = product
  let phase: Phase = 'starting'
  let watch: QueueWatch | undefined
  const stopServing = await serveOperators(config, {
    metrics,
    log,
    health: {
      whyNotReady: async () => (phase === 'running' ? whyWorkerIsNotReady(product, watch, times) : phase),
      warnings: () => readWarnings(metrics, product.compliance.lists),
    },
  })
  const queue = connectQueue(databaseUrl)
  const runner = await keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency,
    crontab,
    taskList: clockTasks(product, log),
  })
  // Their own runners, so that jobs waiting for a slow provider block nothing else.
  const payouts = await keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: payoutsAtOnce,
    parsedCronItems: [],
    taskList: { submit_payout: (payload) => payments.submitPayout(idIn(payload, 'payoutId')) },
  })
  const [mails, waiting] = [await runMails(log, queue, notifications), await runWaitlist(log, queue, waitlist)]
  const noticesContext = { notifications, people: identity, publicUrl: config.publicUrl, log }
  const followers = [
    followTransactions({ log }, pool),
    followDeadlines(product.heldTransfers, now, log),
    followMoney(noticesContext, pool),
    followOrders({ orders: product.orders, exchange: product.exchange, log }),
  ]
  // Charts have a past from the first start on, not only from the next full hour.
  await queue.query(`select graphile_worker.add_job('fill_rate_history', job_key => 'fill_rate_history')`)
  if (config.mode === 'production') await fetchListsNow(product, queue, log)
  const runners = [runner, payouts, mails, waiting]
  watch = watchQueue(log, { pool: queue, runners, times })
  const { stuck, close: stopWatching } = watch
  phase = 'running'
  return {
    stuck,
    async close() {
      phase = 'stopping'
      await stopWatching()
      for (const follower of followers) await follower.close()
      await Promise.all(runners.map((one) => one.stop()))
      await queue.end()
      await stopServing()
      await product.close()
    },
  }
}

/** Cron tasks, and the one that submits forms. */
const clockTasks = (product: Product, log: Logger): TaskList => ({
  check_pending_payments: notTwiceAtOnce(() => product.payments.checkPendingPayments()),
  check_pending_payouts: notTwiceAtOnce(() => product.payments.checkPendingPayouts()),
  check_pending_links: notTwiceAtOnce(() => product.payments.checkPendingLinks()),
  end_due_transfers: notTwiceAtOnce(() => followHolds(product)),
  follow_cases: notTwiceAtOnce(() => followCases(product)),
  ...movedTasks(product),
  ...dueTasks(product),
  flatten_positions: notTwiceAtOnce(() => runTreasury(product)),
  complete_balance_days: notTwiceAtOnce(() => completeAllDays(product.pool, product.now())),
  fill_rate_history: notTwiceAtOnce(() => product.exchange.fillRateHistory()),
  screen_people: notTwiceAtOnce(() => product.compliance.screenDue()),
  fetch_lists: notTwiceAtOnce(() => product.compliance.fetchLists()),
  warn_of_stale_lists: notTwiceAtOnce(() => warnOfStaleLists(product, log)),
  count_fees: notTwiceAtOnce(() => product.prices.countMonths()),
  reconcile: notTwiceAtOnce(() => product.payments.reconcile()),
  ...verificationTasks(product.kyc),
  clear_old_rows: notTwiceAtOnce(() => clearRows(product, log)),
  retire_old_key: notTwiceAtOnce(() => product.identity.retireOldKey()),
  resume_waitlist: notTwiceAtOnce(() => product.waitlist.resumeForwarding()),
  resume_mails: notTwiceAtOnce(() => product.notifications.resumeSending()),
})

/** Reason why a running worker is not ready. */
async function whyWorkerIsNotReady(
  { databaseWatch, pool }: Pick<Product, 'databaseWatch' | 'pool'>,
  watch: QueueWatch | undefined,
  { notReadyMs }: typeof watchTimes,
): Promise<NotReady | undefined> {
  const reason = await whyDatabaseIsNotReady(databaseWatch, pool)
  return reason ?? ((watch?.stuckMs() ?? 0) >= notReadyMs ? 'jobs_stuck' : undefined)
}

type Phase = 'starting' | 'running' | 'stopping'

/** Fetches lists at the start, not only at the next full hour; until then the log names missing lists. */
async function fetchListsNow(product: Product, queue: pg.Pool, log: RunnerLog): Promise<void> {
  await queue.query(`select graphile_worker.add_job('fetch_lists', job_key => 'fetch_lists')`)
  await warnOfStaleLists(product, log)
}

/** Sends mails as they are written. */
export const runMails = (log: RunnerLog, queue: pg.Pool, { send }: Pick<Product['notifications'], 'send'>) =>
  keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: mailsAtOnce,
    parsedCronItems: [],
    taskList: { send_mail: (payload) => send(idIn(payload, 'mailId')) },
  })

/** Passes the waitlist on to the form service. */
export const runWaitlist = (log: RunnerLog, queue: pg.Pool, { forward }: Pick<Product['waitlist'], 'forward'>) =>
  keepRunning(log, {
    pgPool: queue,
    noHandleSignals: true,
    concurrency: forwardedAtOnce,
    parsedCronItems: [],
    taskList: { forward_waitlist: (payload) => forward(idIn(payload, 'waitlistId')) },
  })

const verificationTasks = (kyc: Product['kyc']): TaskList => ({
  resume_kyc: notTwiceAtOnce(() => kyc.resumePending()),
  redact_kyc: notTwiceAtOnce(() => kyc.redactDue()),
  begin_verification: async (payload) => void (await kyc.begin(idIn(payload, 'submissionId'))),
})

/** Scheduled sends, expiring requests, dispute deadlines and account deletions. */
const dueTasks = ({ schedules, requests, disputes, privacy }: Product): TaskList => ({
  run_schedules: notTwiceAtOnce(() => schedules.runDue()),
  end_due_requests: notTwiceAtOnce(() => requests.endDue()),
  run_disputes: notTwiceAtOnce(() => disputes.runDue()),
  delete_accounts: notTwiceAtOnce(() => privacy.deletion.finishDue()),
})

/** A worker serves no requests, so it loads rates only when it needs them. */
async function runTreasury({ exchange, treasury }: Pick<Product, 'exchange' | 'treasury'>): Promise<void> {
  await exchange.refreshDueRates()
  await treasury.run()
}

/** Ends due transfers, and notifies senders of transfers that need a second proof. */
async function followHolds({ heldTransfers, transferLinks }: Pick<Product, 'heldTransfers' | 'transferLinks'>) {
  await heldTransfers.endDue()
  await transferLinks.notifyStreetHolds()
}

/** Travel rule records and monitoring of posted movements, with thresholds valued at current rates. */
const movedTasks = ({ exchange, travelRule, monitoring }: Pick<Product, 'exchange' | 'travelRule' | 'monitoring'>) => ({
  record_travel_rule: notTwiceAtOnce(async () => {
    await exchange.refreshDueRates()
    await travelRule.recordDue()
  }),
  watch_moved: notTwiceAtOnce(async () => {
    await exchange.refreshDueRates()
    await monitoring.watchMoved()
  }),
})

async function clearRows({ pool, now }: Pick<Product, 'pool' | 'now'>, log: Logger): Promise<void> {
  log.info({ rows: await clearOldRows(pool, tables, { now }) }, 'cleared old rows')
}

/**
 * Applies case deadlines and decisions, and notifies the people concerned. A failed step does not stop the others;
 * failures are thrown together at the end.
 */
export async function followCases({ cases, desk, heldTransfers }: Pick<Product, 'cases' | 'desk' | 'heldTransfers'>) {
  const failures: unknown[] = []
  for (const step of [cases.endUnanswered, desk.passDeadlines, () => heldTransfers.followCases(), cases.notifyHeld]) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not all that follows from cases was done')
}

/** One line for each list that is missing or too old, for as long as it is. */
async function warnOfStaleLists({ compliance }: Pick<Product, 'compliance'>, log: RunnerLog): Promise<void> {
  for (const { source, isStale, checkedAt } of await compliance.listStatus()) {
    if (isStale) log.warn({ source, checkedAt: checkedAt ?? null }, 'a screening list is missing or too old')
  }
}

function idIn(payload: unknown, name: 'mailId' | 'payoutId' | 'submissionId' | 'waitlistId'): string {
  const id = (payload as Partial<Record<typeof name, unknown>> | null)?.[name]
  if (typeof id !== 'string') throw new Error(`a job has no ${name}`)
  return id
}

/**
 * A task that skips overlapping runs: otherwise a slow provider would occupy another slot each minute. A named queue
 * would also do, but stays locked for hours after a crash.
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
