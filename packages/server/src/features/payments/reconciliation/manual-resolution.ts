import { type Money, money } from '@tern/money/money'
import { isIncoming, type LineKind, type ReportLine } from '@tern/providers/report/port'
import { amountText } from '../../../platform/http/amount.ts'
import { isUuid } from '../../../platform/ids.ts'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import {
  type CaseFacts,
  closeCases,
  closeMisattributed,
  resolveExceptionsOf,
  openCase,
} from './reconciliation-exceptions.ts'
import type { PaymentContext, Transition } from '../context.ts'
import { findPayment, type PaymentRow, type PayoutRow } from '../records/payment-rows.ts'
import { findPayout } from '../payouts/payout-outcomes.ts'
import type { Payouts } from '../payouts/payouts.ts'
import { ownerOfLine } from '../records/settlement-lines.ts'
import type { Settlement } from '../pay-ins/settlement.ts'

/** It cannot be decided so; the message is a sentence for the person who decides. */
export class CannotResolve extends Error {}

/** What a person decides about a payment or a payout that nothing else would ever end: one with an open case. */
export interface ManualResolution {
  /**
   * Ends it as failed: what is held goes back to the wallet, and its owner is told as of any other that failed. Its cases
   * are closed with `because`. Throws CannotResolve unless the provider's books say that no money is there or gone.
   */
  release(id: string, because: string): Promise<void>
  /**
   * Ends it as settled by one movement in the provider's books, which must be of the very amount: the one named, or else
   * the only one that its cases or the provider connect with it. Throws CannotResolve when there is none.
   */
  settle(id: string, because: string, lineId?: string): Promise<void>
}

export interface DecisionsParts {
  readonly settlement: Pick<Settlement, 'taking'>
  readonly payouts: Pick<Payouts, 'taking'>
}

type Held =
  | { readonly table: 'payment'; readonly row: PaymentRow; readonly kind: LineKind }
  | { readonly table: 'payout'; readonly row: PayoutRow; readonly kind: LineKind }

const clockSkewMs = 3_600_000
const dayMs = 86_400_000

export function createManualResolution(
  context: PaymentContext,
  { settlement, payouts }: DecisionsParts,
): ManualResolution {
  const { pool, provider, notifications, now } = context

  /** Carries a taking out as if nobody had to look at it any more; it must come to the outcome that was decided on. */
  async function end(
    held: Held,
    work: Transition | undefined,
    outcomes: readonly string[],
    close: Transition,
  ): Promise<void> {
    if (!work) throw new CannotResolve(`Nothing can follow for ${held.row.id}.`)
    await retryOnConflict(pool, async (tx) => {
      await reopen(tx, held)
      await close(tx)
      const outcome = await work(tx)
      if (!outcomes.includes(outcome)) throw new CannotResolve(`It came to something else: ${outcome}.`)
    })
    notifications.deliverSoon()
  }

  return {
    async release(id, because) {
      const held = await findHeld(context, id)
      const lines = await linesThatWentBack(context, held)
      const work =
        held.table === 'payment'
          ? await settlement.taking(held.row.session_id, { status: 'declined', paymentId: id, reason: 'failed' })
          : await payouts.taking({ status: 'failed', payoutId: id, reason: 'could_not_process' })
      await end(held, work, ['failed'], async (tx) => {
        if ((await resolveExceptionsOf(tx, id, because, now())) === 0)
          throw new CannotResolve(`No case is open about ${id}.`)
        // What came and went at the provider is decided with it, so that nothing told of it later is a new case.
        for (const line of lines) await openCase(tx, cameAndWent(held, line), now())
        await resolveExceptionsOf(tx, id, because, now())
        return 'decided'
      })
    },
    async settle(id, because, lineId) {
      const held = await findHeld(context, id)
      const line = await lineFor(context, held, lineId)
      const { amount } = line
      const work =
        held.table === 'payment'
          ? await settlement.taking(held.row.session_id, {
              status: 'settled',
              paymentId: id,
              amount,
              captureId: line.id,
            })
          : await payouts.taking({ status: 'settled', payoutId: id, amount, paidId: line.id })
      await end(held, work, ['completed', 'kept_for_the_payer'], async (tx) => {
        // What was captured before does not count: this movement does.
        if (held.table === 'payment') await tx.query('update payment set capture_id = null where id = $1', [id])
        const owner = await ownerOfLine(tx, provider.name, line.id)
        if (owner !== undefined) throw new CannotResolve(`${line.id} has been posted already, for ${owner}.`)
        let closed = await closeMisattributed(tx, id, { because }, now())
        for (const kind of ['unmatched', 'missing_internal'] as const) {
          for (const subject of [line.id, id]) closed += await closeCases(tx, { kind, subject }, { because }, now())
        }
        if (closed === 0) throw new CannotResolve(`No case is open about ${id}, or about ${line.id}.`)
        return 'decided'
      })
    },
  }
}

async function findHeld({ pool, provider }: PaymentContext, id: string): Promise<Held> {
  const payment = isUuid(id) ? await findPayment(pool, id) : undefined
  const payout = payment ? undefined : await findPayout(pool, id)
  const row = payment ?? payout
  if (!row || row.provider !== provider.name) throw new CannotResolve(`There is no payment or payout ${id}.`)
  if (payout) return { table: 'payout', row: payout, kind: 'payout' }
  return { table: 'payment', row: row as PaymentRow, kind: payment?.method === 'bank' ? 'debit' : 'capture' }
}

/** Makes one that somebody had to look at pending again, for the taking that follows in the same transaction. */
async function reopen(tx: Tx, { table, row }: Held): Promise<void> {
  const { rowCount } = await tx.query(
    `update ${table} set status = 'pending' where id = $1 and status in ('pending', 'needs_review')
      and not exists (select from settlement_line where reference = $1)`,
    [row.id],
  )
  if (rowCount === 0) throw new CannotResolve(`${row.id} has ended, or money has been posted for it.`)
}

/** What the provider's books have had since the payment or payout was begun. */
async function linesSince({ provider, now }: PaymentContext, { row }: Held): Promise<ReportLine[]> {
  const from = new Date(row.created_at.getTime() - clockSkewMs)
  const answer = await provider.report.lines(from, new Date(now().getTime() + dayMs))
  if (answer.status === 'unknown') throw new CannotResolve(`The provider did not give its books: ${answer.reason}`)
  return answer.lines
}

async function lineFor(context: PaymentContext, held: Held, lineId: string | undefined): Promise<ReportLine> {
  const { id, amount_minor: minor, currency } = held.row
  const { rows } = await context.pool.query<{ subject: string }>(
    'select subject from reconciliation_exception where reference = $1 and closed_at is null',
    [id],
  )
  const named = new Set(lineId === undefined ? rows.map(({ subject }) => subject) : [lineId])
  const isMeant = (line: ReportLine) =>
    named.has(line.id) || (lineId === undefined && line.reference === id && line.kind === held.kind)
  const found = (await linesSince(context, held)).filter(isMeant)
  const [line] = found
  if (!line || found.length > 1) {
    throw new CannotResolve(`The provider's books have ${found.length} such movements since ${id} was begun; name one.`)
  }
  const ordered = money(currency, minor)
  if (line.kind !== held.kind || line.amount.currency !== currency || line.amount.minor !== minor) {
    throw new CannotResolve(
      `${line.id} is a ${line.kind} of ${amountText(line.amount)}; what was ordered is a ${held.kind} of ${amountText(ordered)}.`,
    )
  }
  if (line.reference !== null && line.reference !== id) throw new CannotResolve(`${line.id} is of ${line.reference}.`)
  return line
}

const cameAndWent = ({ row }: Held, line: ReportLine): CaseFacts => ({
  kind: 'unmatched',
  provider: row.provider,
  subject: line.id,
  reference: row.id,
  amount: line.amount,
  happenedAt: line.occurredAt,
  detail: { code: 'came_and_went', params: { kind: line.kind, amount: amountText(line.amount) } },
})

/**
 * What moved at the provider for it, all of which must have gone back there. The provider must not be about to carry it
 * out either.
 */
async function linesThatWentBack(context: PaymentContext, held: Held): Promise<ReportLine[]> {
  const { id } = held.row
  const state = await stateAtProvider(context, held)
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

/** Whether the movement that the provider names has been posted for something else: then it says nothing about this one. */
async function isOfAnother(
  { pool, provider }: PaymentContext,
  { row }: Held,
  state: SettledAtProvider,
): Promise<boolean> {
  const owner = await ownerOfLine(pool, provider.name, 'paidId' in state ? state.paidId : state.captureId)
  return owner !== undefined && owner !== row.id
}

type StateAtProvider = NonNullable<Awaited<ReturnType<typeof stateAtProvider>>>
type SettledAtProvider = Extract<StateAtProvider, { status: 'settled' }>

function stateAtProvider({ provider }: PaymentContext, held: Held) {
  if (held.table === 'payout') {
    const name = held.row.provider_payout_id
    return name === null ? undefined : provider.payout.lookup(name)
  }
  const { session_id: sessionId, method } = held.row
  if (sessionId === null) return undefined
  return method === 'bank' ? provider.bank.lookupDebit(sessionId) : provider.card.lookup(sessionId)
}
