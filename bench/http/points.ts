// Measures HTTP sends by number of callers and people, compared with pgbench and with movements without HTTP.

import { createMover } from '../../packages/server/src/features/wallets/move.ts'
import { timePerOperation } from '../costs/processor-time.ts'
import { measure, type LoadMeasurement } from '../load.ts'
import { moveOne } from '../movements/move-all.ts'
import { type PgbenchReference, type PgbenchResult, runPgbenches } from '../movements/pgbench.ts'
import { type Desk, openDesk, sendBetween } from '../movements/traffic.ts'
import { options } from '../options.ts'
import { type Member, type SendKind, prepareSenders } from './crowd.ts'
import { runClient, type SendMeasurement } from './orders.ts'
import type { Stack } from './stack.ts'

export interface MovementMeasurement extends LoadMeasurement {
  readonly databaseMs: number | undefined
}

export interface HttpPoint {
  readonly callers: number
  readonly people: number
  readonly pgbench: readonly PgbenchResult[]
  readonly sends: Readonly<Record<SendKind, SendMeasurement>>
  readonly movements: Readonly<Record<SendKind, MovementMeasurement>>
}

interface Load {
  readonly callers: number
  readonly people: number
}

/** Measures a point: pgbench, then sends and movements within a currency, then across currencies. */
export async function measureHttp(
  stack: Stack,
  reference: PgbenchReference,
  { callers, people }: Load,
): Promise<HttpPoint> {
  const members = stack.crowds.get(people)
  if (members === undefined) throw new Error(`there is no crowd of ${people}`)
  const { seconds } = reference
  const pgbench = await runPgbenches(reference)
  const desk = await openDesk(stack.app.app.product.pool)
  const run = { callers, seconds }
  const plain = await measureSendsAndMovements(stack, { ...run, members, desk, kind: 'plain' })
  const cross = await measureSendsAndMovements(stack, { ...run, members, desk, kind: 'cross' })
  return {
    callers,
    people,
    pgbench,
    sends: { plain: plain.sends, cross: cross.sends },
    movements: { plain: plain.movements, cross: cross.movements },
  }
}

interface Run {
  readonly callers: number
  readonly seconds: number
  readonly members: readonly Member[]
  readonly desk: Desk
  readonly kind: SendKind
}

async function measureSendsAndMovements(
  stack: Stack,
  run: Run,
): Promise<{ sends: SendMeasurement; movements: MovementMeasurement }> {
  const senders = await prepareSenders(stack.app, run.members, run.kind)
  const { callers, seconds } = run
  const { warmUpSeconds } = options
  const order = { kind: 'random sends', url: stack.app.url, callers, seconds, warmUpSeconds, senders } as const
  const sends = await runClient(order, stack.clock)
  return { sends, movements: await measureMovements(stack, run) }
}

const pickRandom = <T>(items: readonly T[]): T => {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

async function measureMovements(
  { app, clock }: Stack,
  { callers, seconds, members, desk, kind }: Run,
): Promise<MovementMeasurement> {
  const mover = createMover({ databaseUrl: app.database.url })
  let before = clock.read()
  let cpuAfter = before
  const onBegin = () => void (before = clock.read())
  const onEnd = () => void (cpuAfter = clock.read())
  const measured = await measure({ callers, durationMs: seconds * 1000, onBegin, onEnd }, async () => {
    const sender = pickRandom(members)
    await moveOne(mover, sendBetween(sender, pickRandom(sender.payees[kind]), { desk, at: new Date() }))
  })
  const { database } = timePerOperation(await before, await cpuAfter, measured.responseCount)
  await mover.close()
  return { ...measured, databaseMs: database }
}
