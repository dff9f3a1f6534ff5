import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics; one registry per app, so that tests share no counters. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'tern_http_request_seconds',
      help: 'Time to answer a request, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers: [registry],
    }),
    movements: new Counter({
      name: 'tern_movements_total',
      help: 'Movements of money by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    batchSize: new Histogram({
      name: 'tern_ledger_batch_movements',
      help: 'Movements in one group commit',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers: [registry],
    }),
    /** Reads a figure whenever it is asked for; NaN when that fails. */
    watch(name: string, help: string, read: () => number | Promise<number>): void {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => gauge.set(await Promise.resolve(read()).catch(() => Number.NaN)),
      })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
