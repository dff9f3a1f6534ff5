// Measures the cost of each kind of movement over HTTP, one caller at a time.

import { type Counts, countPerOperation } from '../costs/count.ts'
import { recordStatements, type StatementLog } from '../costs/statement-log.ts'
import type { WireRequest } from '../http/connection.ts'
import { runClient, type SendMeasurement } from '../http/orders.ts'
import type { Stack } from '../http/stack.ts'
import { createOperationSetup, type OperationSetup } from './actors.ts'
import { type Operation, operations } from './requests.ts'

export interface OperationCost {
  readonly name: string
  readonly counts: Counts
  readonly measurement: SendMeasurement
}

/** Requests of each actor before and during the measurement of an operation. */
const warmUpTurns = 2
const measuredTurns = 10

export async function measureOperations(stack: Stack): Promise<OperationCost[]> {
  const setup = await createOperationSetup(stack)
  const { pool, url } = stack.app.database
  const log = recordStatements(new URL(url).pathname.slice(1), pool)
  const costs: OperationCost[] = []
  try {
    for (const operation of operations) {
      costs.push(await measureOperation(setup, log, operation))
      console.log(`operations: ${operation.name}`)
    }
  } finally {
    log.close()
  }
  return costs
}

async function measureOperation(
  setup: OperationSetup,
  log: StatementLog,
  operation: Operation,
): Promise<OperationCost> {
  const { app, clock } = setup.stack
  const all: WireRequest[] = []
  for (let iteration = 0; iteration < warmUpTurns + measuredTurns; iteration += 1) {
    for (const actor of setup.actors) all.push(await operation.request(setup, actor, iteration))
  }
  const warmUp = warmUpTurns * setup.actors.length
  await runClient({ kind: 'in turn', url: app.url, requests: all.slice(0, warmUp) }, clock)
  const requests = all.slice(warmUp)
  let measurement: SendMeasurement | undefined
  const counts = await countPerOperation({ log, pool: app.database.pool }, requests.length, async () => {
    measurement = await runClient({ kind: 'in turn', url: app.url, requests }, clock)
  })
  if (measurement === undefined) throw new Error(`${operation.name} was not measured`)
  return { name: operation.name, counts, measurement }
}
