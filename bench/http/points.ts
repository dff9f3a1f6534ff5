// HTTP sends by callers and people, each point compared with pgbench and with movements without HTTP.

import { createMover } from '../../packages/server/src/features/wallets/move.ts'
import { timePerOperation } from '../costs/processor-time.ts'
import { measure, type Measured } from '../load.ts'
import { moveOne } from '../movements/move-all.ts'
import { type PgbenchReference, type PgbenchResult, runPgbenches } from '../movements/pgbench.ts'
import { type Desk, openDesk, sendBetween } from '../movements/traffic.ts'
import { options } from '../options.ts'
import { type Member, type SendKind, prepareSenders } from './crowd.ts'
import { runClient, type Sent } from './orders.ts'
import type { Stack } from './stack.ts'

export interface Moved extends Measured {
  readonly databaseMs: number | undefined
}

export interface HttpPoint {
  readonly callers: number
  readonly people: number
  readonly pgbench: readonly PgbenchResult[]
  readonly sent: Readonly<Record<SendKind, Sent>>
  readonly moved: Readonly<Record<SendKind, Moved>>
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
  const plain = await sendAndMove(stack, { ...run, members, desk, kind: 'plain' })
  const cross = await sendAndMove(stack, { ...run, members, desk, kind: 'cross' })
  return {
    callers,
    people,
    pgbench,
    sent: { plain: plain.sent, cross: cross.sent },
    moved: { plain: plain.moved, cross: cross.moved },
  }
}

interface Run {
  readonly callers: number
  readonly seconds: number
  readonly members: readonly Member[]
  readonly desk: Desk
  readonly kind: SendKind
}

async function sendAndMove(stack: Stack, run: Run): Promise<{ sent: Sent; moved: Moved }> {
  const senders = await prepareSenders(stack.app, run.members, run.kind)
  const { callers, seconds } = run
  const { warmUpSeconds } = options
  const order = { kind: 'random sends', url: stack.app.url, callers, seconds, warmUpSeconds, senders } as const
  const sent = await runClient(order, stack.clock)
  return { sent, moved: await move(stack, run) }
}

const pickRandom = <T>(items: readonly T[]): T => {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

async function move({ app, clock }: Stack, { callers, seconds, members, desk, kind }: Run): Promise<Moved> {
  const mover = createMover({ databaseUrl: app.database.url })
  let before = clock.read()
  let after = before
  const onBegin = () => void (before = clock.read())
  const onEnd = () => void (after = clock.read())
  const measured = await measure({ callers, durationMs: seconds * 1000, onBegin, onEnd }, async () => {
    const sender = pickRandom(members)
    await moveOne(mover, sendBetween(sender, pickRandom(sender.payees[kind]), { desk, at: new Date() }))
  })
  const { database } = timePerOperation(await before, await after, measured.answered)
  await mover.close()
  return { ...measured, databaseMs: database }
}
