import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { isAccountStopped, findAccountStop } from '../../risk/risk.ts'
import { holdPolicies, type HoldReason } from '../decision/transitions.ts'
import type { HeldContext, OwnTransfer } from './context.ts'
import { extendDeadlines, readDecided } from './decided-cases.ts'
import { endHeld } from './end-held.ts'
import { type HoldDecider, findHeld, type HeldTransfer } from './held-rows.ts'
import { requireSecondProof } from './street/second-proof.ts'

const maxDue = 500
const atOnce = 4

/** Hold reasons that operators decide directly; `compliance` holds end with their cases. */
const operatorReasons: readonly HoldReason[] = ['review']

const senderDecider: HoldDecider = { name: 'sender' }
const selectHeldSql = `select * from transfer where state = 'held'`

async function findOwn(db: Db, { userId, id }: OwnTransfer): Promise<HeldTransfer> {
  const heldTransfer = await findHeld(db, id)
  return heldTransfer?.sender_id === userId ? heldTransfer : refuse('not_found')
}

/** Refuses `account_frozen` or `loss_open` if the sender's account is stopped. */
async function requireNotStopped(db: Db, { sender_id: senderId }: HeldTransfer): Promise<void> {
  const stop = await findAccountStop(db, senderId)
  if (stop) refuse(stop.code, stop.details)
}

/** Cancels a transfer for its sender. Refuses `not_found`, `not_cancelable`. */
export async function cancelHeld(ctx: HeldContext, pool: pg.Pool, ownTransfer: OwnTransfer): Promise<void> {
  const held = await findOwn(pool, ownTransfer)
  if (await endHeld(ctx, pool, { held, verdict: 'cancel', by: senderDecider })) return
  await endIfDue(ctx, pool, held)
  // A repeated or concurrent cancellation counts as successful.
  if ((await findOwn(pool, ownTransfer)).release_reason !== 'cancelled') refuse('not_cancelable')
}

/**
 * Settles a transfer now, for its sender. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`,
 * `account_frozen`, `loss_open`; in street mode also `not_confirmable_yet`, `price_moved`, `rates_unavailable`, and
 * `step_up_required` without a fresh confirmation of this transfer.
 */
export async function settleHeldNow(
  ctx: HeldContext,
  pool: pg.Pool,
  {
    caller,
    id,
    confirmation,
  }: { readonly caller: Caller; readonly id: string; readonly confirmation?: string | undefined },
): Promise<void> {
  const held = await findOwn(pool, { userId: caller.userId, id })
  await requireNotStopped(pool, held)
  if (held.state === 'held' && held.hold_reason === 'street_mode') {
    await requireSecondProof(ctx, pool, { held, caller, confirmation })
  }
  const isDecidedBySender = holdPolicies[held.hold_reason].decidedBy === 'sender'
  if (!isDecidedBySender || !(await settle(ctx, pool, held, senderDecider))) refuse('transfer_not_held')
}

/**
 * Settles or rejects a transfer for an operator. Refuses `not_found`, `transfer_not_held`, `recipient_not_found`; to
 * settle also `account_frozen`, `loss_open`.
 */
export async function decideForOperator(
  ctx: HeldContext,
  pool: pg.Pool,
  { operator, id, decision }: { operator: Required<HoldDecider>; id: string; decision: 'settle' | 'reject' },
): Promise<void> {
  const held = (await findHeld(pool, id)) ?? refuse('not_found')
  if (decision === 'settle') await requireNotStopped(pool, held)
  if (!operatorReasons.includes(held.hold_reason)) refuse('transfer_not_held')
  const isDecided =
    decision === 'settle'
      ? await settle(ctx, pool, held, operator)
      : await endHeld(ctx, pool, { held, verdict: decision, by: operator })
  if (!isDecided) refuse('transfer_not_held')
}

/** Settles a transfer; false like `endHeld`. Refuses `recipient_not_found`, `account_frozen`, `loss_open`. */
async function settle(ctx: HeldContext, pool: pg.Pool, held: HeldTransfer, by: HoldDecider): Promise<boolean> {
  try {
    return await endHeld(ctx, pool, { held, verdict: 'settle', by })
  } catch (error) {
    if (isAccountStopped(error)) await requireNotStopped(pool, held)
    throw error
  }
}

/** Held transfers, by deadline. */
export const listHeld = async (db: Db): Promise<HeldTransfer[]> =>
  (await db.query<HeldTransfer>(`${selectHeldSql} order by held_until`)).rows

/** Held transfers that operators decide, by deadline; with `id` only that one. */
export async function listForOperators(db: Db, id?: string): Promise<HeldTransfer[]> {
  const sql = `${selectHeldSql} and hold_reason = any($1) and ($2::uuid is null or id = $2) order by held_until`
  return (await db.query<HeldTransfer>(sql, [operatorReasons, id ?? null])).rows
}

/** Ends transfers whose deadline passed between `since` and now, by the policy of their hold. Logs failures. */
export async function endDue(ctx: HeldContext, pool: pg.Pool, since = new Date(0)): Promise<void> {
  const dueSql = `${selectHeldSql} and hold_reason <> 'compliance' and held_until <= $1 and held_until >= $2 order by held_until limit $3`
  const { rows } = await pool.query<HeldTransfer>(dueSql, [ctx.now(), since, maxDue])
  await runConcurrently(rows, (heldTransfer) => endIfDue(ctx, pool, heldTransfer))
}

/** Ends a transfer if its deadline has passed. Logs a failure. */
export async function endIfDue(ctx: HeldContext, pool: pg.Pool, heldTransfer: HeldTransfer): Promise<void> {
  if (heldTransfer.state !== 'held' || heldTransfer.held_until > ctx.now()) return
  if (holdPolicies[heldTransfer.hold_reason].atDeadline === 'escalate') return
  try {
    await endAtDeadline(ctx, pool, heldTransfer)
  } catch (error) {
    ctx.log.error({ err: error, transferId: heldTransfer.id }, 'a held transfer could not be ended')
  }
}

async function endAtDeadline(ctx: HeldContext, pool: pg.Pool, held: HeldTransfer): Promise<void> {
  const expired = { held, verdict: 'expire', by: { name: 'deadline' } } as const
  const isReleased = holdPolicies[held.hold_reason].atDeadline === 'release'
  if (isReleased || (await findAccountStop(pool, held.sender_id))) {
    await endHeld(ctx, pool, expired)
    return
  }
  try {
    await endHeld(ctx, pool, { ...expired, verdict: 'settle' })
  } catch (error) {
    // The recipient can no longer receive money.
    if (error instanceof Refusal) await endHeld(ctx, pool, { ...expired, isUndeliverable: true })
    // The sender's account was stopped while settling.
    else if (isAccountStopped(error)) await endHeld(ctx, pool, expired)
    else throw error
  }
}

/**
 * Ends the `compliance` holds whose cases are decided; with `caseId` only those of this case. If cleared, a transfer
 * settles, waits for street mode's second proof, or is released if its sender's account is stopped. For a confirmed
 * case see `readDecided`. Logs failures.
 */
export async function followCases(ctx: HeldContext, pool: pg.Pool, caseId?: string): Promise<void> {
  const areListsTooOld = await ctx.lists.areTooOld(pool)
  if (areListsTooOld) await extendDeadlines(pool, { at: ctx.now(), until: ctx.lists.expectedBy() })
  const decidedTransfers = await readDecided(pool, { caseId, areListsTooOld })
  await runConcurrently(decidedTransfers, async ({ fate, by: name, note, ...held }) => {
    const by = { name, note }
    try {
      const leaves = fate === 'settle' && held.kind !== 'deposit'
      const isStopped = leaves && (await findAccountStop(pool, held.sender_id)) !== undefined
      await endHeld(ctx, pool, { held, verdict: isStopped ? 'expire' : fate, by })
    } catch (error) {
      // The recipient can no longer receive money.
      if (error instanceof Refusal) await endHeld(ctx, pool, { held, verdict: 'reject', by, isUndeliverable: true })
      // The sender's account was stopped while settling.
      else if (isAccountStopped(error)) await endHeld(ctx, pool, { held, verdict: 'expire', by })
      else ctx.log.error({ err: error, transferId: held.id }, 'a transfer was not ended with its cases')
    }
  })
}

/** Runs `work` for several items concurrently, so that one waiting for a lock does not delay the others. */
async function runConcurrently<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values()
  const runNext = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
}
