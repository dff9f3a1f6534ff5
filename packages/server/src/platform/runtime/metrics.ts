import { refusalReasons } from '@tern/ledger/movement'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type pg from 'pg'
import { readBuildInfo } from './build-info.ts'

/** From a cached read to the longest request: clients time out after 20 seconds, uploads after 60. */
const secondsBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60]

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const movementOutcomes = ['posted', 'replayed', ...refusalReasons]
const retryCauses = ['conflict', 'connection', 'lock'] as const
const givenUpReasons = ['refused', 'outlived'] as const

/** Connections of a pool that a gauge reports. */
type WatchedPool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>

export interface GaugeOptions {
  readonly name: string
  readonly help: string
  /** True for a figure of the whole installation, which only one process serves. */
  readonly isShared?: boolean
}

/**
 * Creates Prometheus metrics with registries of their own, so that tests share no counters. `registry` has the metrics
 * of this process; `sharedRegistry` those of the installation, which one process serves for all. Counters start at
 * zero, so that the first increase is visible.
 */
export function createMetrics() {
  const registry = new Registry()
  const sharedRegistry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'tern_build_info',
    help: 'Version, commit and Node.js version of this process; always 1',
    labelNames: ['version', 'commit', 'node'],
    registers,
  }).set({ ...readBuildInfo() }, 1)
  return {
    registry,
    sharedRegistry,
    requestSeconds: new Histogram({
      name: 'tern_http_request_duration_seconds',
      help: 'Time to answer a request, by route and status; without event streams',
      labelNames: ['method', 'route', 'status'],
      buckets: secondsBuckets,
      registers,
    }),
    requests: startAtZero(
      new Counter({ name: 'tern_http_requests_total', help: 'Answered requests', labelNames: ['class'], registers }),
      statusClasses.map((name) => ({ class: name })),
    ),
    movements: startAtZero(
      new Counter({
        name: 'tern_movements_total',
        help: 'Movements of money by outcome',
        labelNames: ['outcome'],
        registers,
      }),
      movementOutcomes.map((outcome) => ({ outcome })),
    ),
    batchSize: new Histogram({
      name: 'tern_ledger_batch_movements',
      help: 'Movements in one group commit',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'tern_ledger_batch_duration_seconds',
      help: 'Time to post and commit one batch of movements',
      buckets: secondsBuckets,
      registers,
    }),
    batchRetries: startAtZero(
      new Counter({
        name: 'tern_ledger_batch_retries_total',
        help: 'Batches, or some of their movements, that were sent again',
        labelNames: ['cause'],
        registers,
      }),
      retryCauses.map((cause) => ({ cause })),
    ),
    providerErrors: new Counter({
      name: 'tern_provider_errors_total',
      help: 'Calls to providers that failed or had no certain answer',
      labelNames: ['kind', 'provider', 'call'],
      registers,
    }),
    providerFaults: new Gauge({
      name: 'tern_provider_faults',
      help: 'Whether a provider does not accept our key, or what we ask',
      labelNames: ['kind', 'provider'],
      registers,
    }),
    refusedWebhooks: new Counter({
      name: 'tern_webhooks_refused_total',
      help: 'Events of providers that were not accepted',
      labelNames: ['provider', 'reason'],
      registers,
    }),
    loginFailures: new Counter({
      name: 'tern_login_failures_total',
      help: 'Refused logins by method and refusal code',
      labelNames: ['method', 'reason'],
      registers,
    }),
    stepUpFailures: new Counter({
      name: 'tern_step_up_failures_total',
      help: 'Refused step-up confirmations by method and refusal code',
      labelNames: ['method', 'reason'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'tern_rate_limited_total',
      help: 'Requests that exceeded a rate limit',
      labelNames: ['limit'],
      registers,
    }),
    mailsGivenUp: startAtZero(
      new Counter({
        name: 'tern_mails_given_up_total',
        help: 'Mails that the mail provider refused, or that were no longer useful when they could be sent',
        labelNames: ['reason'],
        registers,
      }),
      givenUpReasons.map((reason) => ({ reason })),
    ),
    jobRuns: new Counter({
      name: 'tern_job_runs_total',
      help: 'Runs of background tasks and jobs of this worker',
      labelNames: ['task', 'outcome'],
      registers,
    }),
    replicaReads: new Counter({
      name: 'tern_replica_reads_total',
      help: 'Reads that a replica may answer: by a replica, by the primary, or repeated there after a failure',
      labelNames: ['outcome'],
      registers,
    }),
    /** Registers a gauge that is read on each scrape; NaN if that fails. */
    watch({ name, help, isShared }: GaugeOptions, read: () => number | Promise<number>): void {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [isShared ? sharedRegistry : registry],
        collect: async () => gauge.set(await Promise.resolve(read()).catch(() => Number.NaN)),
      })
    },
    /** Registers a gauge that is read for each value of a label; empty if that fails. */
    watchEach(
      { name, help, isShared, label }: GaugeOptions & { readonly label: string },
      read: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>,
    ): void {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [isShared ? sharedRegistry : registry],
        async collect() {
          gauge.reset()
          const figures = await Promise.resolve(read()).catch(() => ({}))
          for (const [value, figure] of Object.entries(figures)) gauge.set({ [label]: value }, figure)
        },
      })
    },
    watchPool: createPoolGauges(registry),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the series of these labels with the value 0. */
export function startAtZero<T extends string>(
  counter: Counter<T>,
  labels: readonly Readonly<Partial<Record<T, string>>>[],
): Counter<T> {
  for (const values of labels) counter.inc(values, 0)
  return counter
}

interface PoolFigure {
  readonly state?: string
  readonly value: number
}

/** Registers the gauges of connection pools; returns the function that adds a pool under its name. */
function createPoolGauges(registry: Registry): (name: string, pool: WatchedPool) => void {
  const pools = new Map<string, WatchedPool>()
  const add = (name: string, help: string, labels: string[], read: (pool: WatchedPool) => PoolFigure[]) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['pool', ...labels],
      registers: [registry],
      collect() {
        for (const [pool, watched] of pools) {
          for (const { value, ...labels } of read(watched)) gauge.set({ pool, ...labels }, value)
        }
      },
    })
  }
  add(
    'tern_database_pool_connections',
    'Open connections of this process to the database',
    ['state'],
    ({ totalCount, idleCount }) => [
      { state: 'used', value: totalCount - idleCount },
      { state: 'idle', value: idleCount },
    ],
  )
  add('tern_database_pool_connections_max', 'Largest number of connections of a pool', [], ({ options }) => [
    { value: options.max },
  ])
  add('tern_database_pool_waiting', 'Calls that wait for a free connection', [], ({ waitingCount }) => [
    { value: waitingCount },
  ])
  return (name, pool) => void pools.set(name, pool)
}
