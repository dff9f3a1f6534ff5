// Process that repeatedly fills orders by a trial's clock until it is killed.

import { pino } from 'pino'
import { createProduct } from '@tern/server/product'
import { readConfig } from '@tern/server/platform/runtime/config'
import { createMetrics } from '@tern/server/platform/runtime/metrics'
import { createTestWorker, marketSource } from './orders.ts'
import { readTrialClock } from './trial-clock.ts'

const [databaseUrl = '', publicUrl = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const log = pino({ level: 'fatal' })
const product = await createProduct({ config, databaseUrl, metrics: createMetrics(), log })
let time = new Date(0)
const worker = createTestWorker({
  ...{ product, databaseUrl, publicUrl, secret: process.env.TERN_SECRET ?? '', now: () => time },
  // Market rates are stored by the trial.
  source: marketSource(() => ({ values: {}, asOf: time })),
})
for (;;) {
  // Reads rates first: an older time with newer rates would be a moment that never existed.
  await worker.exchange.readRates()
  const { at, mark } = await readTrialClock(worker.pool)
  time = at
  await worker.orders.runDue()
  for (const error of worker.errors.splice(0)) console.error(error)
  await worker.pool.query('insert into trial.pass values ($1)', [mark])
}
