import type { Money } from '@tern/money/money'
import { isIncoming, type LineKind, type ReportLine } from '@tern/providers/report/port'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { type PaymentContext, providerOf, type Transition } from '../context.ts'
import { paymentTransition, stateAtProvider } from '../pay-ins/settlement.ts'
import { payoutTransition } from '../payouts/payout-outcomes.ts'
import { amountOf, findPayment, findPayout, type PaymentRow, type PayoutRow } from '../records/payment-rows.ts'
import { ownerOfLine } from '../records/settlement-lines.ts'
import { closeCases, closeMisattributed, openCase, resolveExceptionsOf } from '../records/reconciliation-exceptions.ts'

/** It cannot be resolved so; the message is a sentence for the person who decides. */
export class CannotResolve extends Error {}

// What a person decides about a payment or a payout that nothing else would ever end: one with an open case.

type Held =
  | { readonly table: 'payment'; readonly row: PaymentRow; readonly kind: LineKind }
  | { readonly table: 'payout'; readonly row: PayoutRow; readonly kind: LineKind }

const clockSkewMs = 3_600_000
const dayMs = 86_400_000

/**
 * Ends it as failed: what is held goes back to the wallet, and its owner is told. Its cases are closed with `because`.
 * Throws CannotResolve unless the provider's books say that no money is there or gone.
 */
export async function releaseManually(context: PaymentContext, id: string, because: string): Promise<void> {
  const held = await findHeld(context, id)
  const lines = await linesThatWentBack(context, held)
  const { provider } = held.row
  const declined = { status: 'declined', paymentId: id, reason: 'failed' } as const
  const work =
    held.table === 'payment'
      ? await paymentTransition(context, provider, held.row.session_id, declined)
      : await payoutTransition(context, provider, { status: 'failed', payoutId: id, reason: 'could_not_process' })
  await end(context, held, work, ['failed'], async (tx) => {
    const at = context.now()
    if ((await resolveExceptionsOf(tx, id, because, at)) === 0) throw new CannotResolve(`No case is open about ${id}.`)
    // What came and went at the provider is resolved with it, so that hearing of it later opens no new case.
    for (const { id: subject, kind, amount, occurredAt: happenedAt } of lines) {
      const detail = { code: 'came_and_went', params: { kind, amount: amountText(amount) } } as const
      await openCase(tx, { kind: 'unmatched', provider, subject, reference: id, amount, happenedAt, detail }, at)
    }
    await resolveExceptionsOf(tx, id, because, at)
  })
}

/**
 * Ends it as settled by one movement in the provider's books, which must be of the very amount: the one named, or else the
 * only one that its cases or the provider connect with it. Throws CannotResolve when there is none.
 */
export async function settleManually(
  context: PaymentContext,
  id: string,
  because: string,
  lineId?: string,
): Promise<void> {
  const held = await findHeld(context, id)
  const line = await lineFor(context, held, lineId)
  const { provider } = held.row
  const { amount } = line
  const settled = { status: 'settled', paymentId: id, amount, captureId: line.id } as const
  const work =
    held.table === 'payment'
      ? await paymentTransition(context, provider, held.row.session_id, settled)
      : await payoutTransition(context, provider, { status: 'settled', payoutId: id, amount, paidId: line.id })
  await end(context, held, work, ['completed', 'kept_for_the_payer'], async (tx) => {
    const at = context.now()
    // What was captured before does not count: this movement does.
    if (held.table === 'payment') await tx.query('update payment set capture_id = null where id = $1', [id])
    const owner = await ownerOfLine(tx, provider, line.id)
    if (owner !== undefined) throw new CannotResolve(`${line.id} has been posted already, for ${owner}.`)
    let closed = await closeMisattributed(tx, id, { because }, at)
    for (const kind of ['unmatched', 'missing_internal'] as const) {
      for (const subject of [line.id, id]) closed += await closeCases(tx, { kind, subject }, { because }, at)
    }
    if (closed === 0) throw new CannotResolve(`No case is open about ${id}, or about ${line.id}.`)
  })
}

/** Applies a transition as if it needed no review any more. It must come to the outcome that was decided on. */
async function end(
  { pool }: PaymentContext,
  held: Held,
  transition: Transition | undefined,
  outcomes: readonly string[],
  close: (tx: Tx) => Promise<void>,
): Promise<void> {
  if (!transition) throw new CannotResolve(`Nothing can follow for ${held.row.id}.`)
  await retryOnConflict(pool, async (tx) => {
    await reopen(tx, held)
    await close(tx)
    const outcome = await transition(tx)
    if (!outcomes.includes(outcome)) throw new CannotResolve(`It came to something else: ${outcome}.`)
  })
}

async function findHeld({ pool, providers }: PaymentContext, id: string): Promise<Held> {
  const payment = await findPayment(pool, id)
  const payout = payment ? undefined : await findPayout(pool, id)
  const row = payment ?? payout
  if (!row) throw new CannotResolve(`There is no payment or payout ${id}.`)
  if (!providers.find(row.provider)) throw new CannotResolve(`The provider ${row.provider} of ${id} is not configured.`)
  if (payout) return { table: 'payout', row: payout, kind: 'payout' }
  return { table: 'payment', row: row as PaymentRow, kind: payment?.method === 'bank' ? 'debit' : 'capture' }
}

async function reopen(tx: Tx, { table, row }: Held): Promise<void> {
  const { rowCount } = await tx.query(
    `update ${table} set status = 'pending' where id = $1 and status in ('pending', 'needs_review')
      and not exists (select from settlement_line where reference = $1)`,
    [row.id],
  )
  if (rowCount === 0) throw new CannotResolve(`${row.id} has ended, or money has been posted for it.`)
}

async function linesSince(context: PaymentContext, { row }: Held): Promise<ReportLine[]> {
  const from = new Date(row.created_at.getTime() - clockSkewMs)
  const answer = await providerOf(context, row).report.lines(from, new Date(context.now().getTime() + dayMs))
  if (answer.status === 'unknown') throw new CannotResolve(`The provider did not give its books: ${answer.reason}`)
  return answer.lines
}

async function lineFor(context: PaymentContext, held: Held, lineId: string | undefined): Promise<ReportLine> {
  const { row, kind } = held
  const { rows } = await context.pool.query<{ subject: string }>(
    'select subject from reconciliation_exception where reference = $1 and closed_at is null',
    [row.id],
  )
  const named = new Set(lineId === undefined ? rows.map(({ subject }) => subject) : [lineId])
  const isMeant = (line: ReportLine) =>
    named.has(line.id) || (lineId === undefined && line.reference === row.id && line.kind === kind)
  const found = (await linesSince(context, held)).filter(isMeant)
  const [line] = found
  if (!line || found.length > 1) {
    throw new CannotResolve(
      `The provider's books have ${found.length} such movements since ${row.id} was begun; name one.`,
    )
  }
  const [moved, ordered] = [line.amount, amountOf(row)].map(amountText)
  if (line.kind !== kind || moved !== ordered) {
    throw new CannotResolve(`${line.id} is a ${line.kind} of ${moved}; what was ordered is a ${kind} of ${ordered}.`)
  }
  if (line.reference !== null && line.reference !== row.id) {
    throw new CannotResolve(`${line.id} is of ${line.reference}.`)
  }
  return line
}

/** What moved at the provider for it. All of it must have gone back, and the provider must be done with it. */
async function linesThatWentBack(context: PaymentContext, held: Held): Promise<ReportLine[]> {
  const { id } = held.row
  const state = await heldAtProvider(context, held)
  if (state?.status === 'open') throw new CannotResolve('The provider may still carry it out: end it there first.')
  if (state?.status === 'unknown') throw new CannotResolve(`The provider does not say how it stands: ${state.reason}`)
  const lines = (await linesSince(context, held)).filter(({ reference }) => reference === id)
  const sums = new Map<Money['currency'], bigint>()
  for (const { kind, amount } of lines) {
    const sum = sums.get(amount.currency) ?? 0n
    sums.set(amount.currency, isIncoming[kind] ? sum + amount.minor : sum - amount.minor)
  }
  const isPaid = state?.status === 'settled' && !(await isOfAnother(context, held, state))
  if ((isPaid && lines.length === 0) || [...sums.values()].some((sum) => sum !== 0n)) {
    throw new CannotResolve('Money moved for it at the provider, and has not gone back there: settle it, or undo that.')
  }
  return lines
}

type StateAtProvider = NonNullable<Awaited<ReturnType<typeof heldAtProvider>>>
type SettledAtProvider = Extract<StateAtProvider, { status: 'settled' }>

/** Whether the movement that the provider names was posted for something else: then it says nothing about this one. */
async function isOfAnother({ pool }: PaymentContext, { row }: Held, state: SettledAtProvider): Promise<boolean> {
  const owner = await ownerOfLine(pool, row.provider, 'paidId' in state ? state.paidId : state.captureId)
  return owner !== undefined && owner !== row.id
}

function heldAtProvider(context: PaymentContext, { table, row }: Held) {
  if (table === 'payment') return row.session_id === null ? undefined : stateAtProvider(context, row, row.session_id)
  return row.provider_payout_id === null ? undefined : providerOf(context, row).payout.lookup(row.provider_payout_id)
}
