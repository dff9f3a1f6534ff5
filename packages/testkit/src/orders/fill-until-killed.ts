// Program that fills orders repeatedly, by the clock of a trial, until it is killed.

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
  // Provides no rates: the trial stores the rates.
  source: marketSource(() => ({ values: {}, asOf: time })),
})
for (;;) {
  // Rates are read first: a new time with old rates can occur, an old time with new rates cannot.
  await worker.exchange.readRates()
  const { at, mark } = await readTrialClock(worker.pool)
  time = at
  await worker.orders.runDue()
  for (const error of worker.errors.splice(0)) console.error(error)
  await worker.pool.query('insert into trial.pass values ($1)', [mark])
}
