import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Creates Prometheus metrics with a registry of their own, so that tests share no counters. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, labelNames: string[], collect: (to: Gauge) => Promise<void>): void => {
    const made: Gauge = new Gauge({ name, help, labelNames, registers: [registry], collect: () => collect(made) })
  }
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
    providerErrors: new Counter({
      name: 'tern_provider_errors_total',
      help: 'Calls to providers that failed or had no certain answer',
      labelNames: ['kind', 'provider', 'call'],
      registers: [registry],
    }),
    providerFaults: new Gauge({
      name: 'tern_provider_faults',
      help: 'Whether a provider does not accept our key, or what we ask',
      labelNames: ['kind', 'provider'],
      registers: [registry],
    }),
    /** Registers a gauge that is read on each scrape; NaN if that fails. */
    watch(name: string, help: string, read: () => number | Promise<number>): void {
      gauge(name, help, [], async (to) => to.set(await Promise.resolve(read()).catch(() => Number.NaN)))
    },
    /** Registers a gauge that is read for each value of a label; empty if that fails. */
    watchEach(
      name: string,
      help: string,
      label: string,
      read: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>,
    ): void {
      gauge(name, help, [label], async (to) => {
        to.reset()
        const figures = await Promise.resolve(read()).catch(() => ({}))
        for (const [value, figure] of Object.entries(figures)) to.set({ [label]: value }, figure)
      })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
