// Runs the actions of protection rules. Each exchanges at most once, at the list price, with any number of workers.

import { walletAccount } from '@tern/ledger/chart'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { derivedId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { type Attempt, keyExchange, type AttemptResult, toOrderPosting } from '../../transfers/transfers.ts'
import type { MoveOutcome } from '../../wallets/move.ts'
import type { Party } from '../../wallets/wallets.ts'
import type { OrdersContext } from '../context.ts'
import { readMailbox, rulePage } from '../order-notices.ts'
import { readBalances } from './rule-rows.ts'
import { computeMaxExchange, neededExchange } from './share.ts'
import type { ProtectionActionRow, ProtectionRuleRow } from '../row-types.ts'
import type { AccountRow } from '@tern/ledger/row-types'

const checkEveryMs = 15 * 60_000
const retryMs = 60_000
const cancelAfterMs = 3 * 86_400_000
const maxPerRound = 200
const atOnce = 4
const dayMs = 86_400_000

/** Thrown to skip an action: another worker has it, or its rule or the balance has just changed. */
class ActionSkipped extends Error {}

/** Refusals after which an action is retried. All others but `request_in_progress` end it. */
const transientCodes: ReadonlySet<string> = new Set([
  'rates_unavailable',
  'service_unavailable',
  'idempotency_key_reused',
  'quote_expired',
  'quote_used',
])

const startOfNextDay = (at: Date): Date => new Date((Math.floor(at.getTime() / dayMs) + 1) * dayMs) // not money: a day
const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

interface NeededExchange {
  readonly amount: Money
  readonly targetCurrency: ProtectionRuleRow['currency']
}

interface OwnedRule {
  readonly rule: ProtectionRuleRow
  readonly owner: Party
}

/** Returns the exchange that a rule requires now, if any. Refuses `rates_unavailable`. */
async function findNeededExchange(
  { exchange }: OrdersContext,
  db: Db,
  { rule, owner }: OwnedRule,
): Promise<NeededExchange | undefined> {
  const balances = await readBalances(db, owner.wallet)
  const { currency, base_currency: baseCurrency, share_percent: percent, threshold_minor: threshold } = rule
  if (percent !== null) {
    // Refuses without current rates, even if one of the two balances is empty.
    exchange.pairRate(baseCurrency, currency)
    return neededExchange({ currency, baseCurrency, percent }, balances, exchange.usdValueOf)
  }
  const base = balances.find((balance) => balance.currency === baseCurrency)
  const excess = (base?.minor ?? 0n) - (threshold ?? 0n)
  const amount = excess > 0n ? computeMaxExchange(money(baseCurrency, excess)) : undefined
  return amount && { amount, targetCurrency: currency }
}

async function findOwner({ wallets }: OrdersContext, db: Db, rule: ProtectionRuleRow): Promise<Party> {
  const owner = await wallets.findParty(db, rule.user_id)
  if (!owner) throw new Error(`user ${rule.user_id} has no wallet`)
  return owner
}

/** Checks the shares that are due, and adds an action for each share that must be restored, at most one a day. */
export async function checkShares(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  const { now, log } = ctx
  const { rows } = await pool.query<ProtectionRuleRow>(
    `select * from protection_rule where is_on and kind = 'keep_share' and check_at <= $1
      order by check_at limit ${String(maxPerRound)}`,
    [now()],
  )
  for (const rule of rows) {
    try {
      await checkShare(ctx, pool, rule)
    } catch (error) {
      // Without rates, the share is checked again in the next round.
      if (!(error instanceof Refusal)) log.error({ err: error, ruleId: rule.id }, 'a share was not checked')
    }
  }
}

async function checkShare(ctx: OrdersContext, pool: pg.Pool, rule: ProtectionRuleRow): Promise<void> {
  const needed = await findNeededExchange(ctx, pool, { rule, owner: await findOwner(ctx, pool, rule) })
  const at = ctx.now()
  await transact(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update protection_rule set check_at = $3
        where id in (select id from protection_rule
                      where id = $1 and is_on and updated_at = $2 and check_at <= $4 for update skip locked)`,
      [rule.id, rule.updated_at, new Date(at.getTime() + checkEveryMs), at],
    )
    if (rowCount !== 1 || !needed) return
    await tx.query(
      `insert into protection_action (id, rule_id, state, try_at, created_at) values ($1, $2, 'waiting', $3, $3)
       on conflict do nothing`,
      [derivedId('protection action', rule.id, formatDay(at)), rule.id, at],
    )
  })
}

type DueAction = ProtectionActionRow & { readonly rule: ProtectionRuleRow }

/** Runs the due actions that are `waiting`, at most `maxPerRound`. */
export async function runActions(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<ProtectionActionRow>(
    `select a.* from protection_action a join protection_rule r on r.id = a.rule_id and r.is_on
      where a.state = 'waiting' and a.try_at <= $1 order by a.try_at, a.created_at limit ${String(maxPerRound)}`,
    [ctx.now()],
  )
  const remaining = rows.values()
  const runWorker = async () => {
    for (const row of remaining) await tryAction(ctx, pool, row)
  }
  await Promise.all(Array.from({ length: atOnce }, runWorker))
}

async function tryAction(ctx: OrdersContext, pool: pg.Pool, row: ProtectionActionRow): Promise<void> {
  const { log } = ctx
  const { rows } = await pool.query<ProtectionRuleRow>('select * from protection_rule where id = $1 and is_on', [
    row.rule_id,
  ])
  const [rule] = rows
  if (!rule) return
  const due = { ...row, rule }
  try {
    await executeAction(ctx, pool, due)
  } catch (error) {
    if (error instanceof ActionSkipped || (error instanceof Refusal && error.code === 'request_in_progress')) return
    const reason = error instanceof Refusal ? error.code : 'internal'
    if (reason === 'internal') log.error({ err: error, ruleId: rule.id }, 'a protection rule failed')
    await recordRefusal(ctx, pool, { due, reason }).catch((failure: unknown) =>
      log.error({ err: failure, ruleId: rule.id }, 'a refused exchange of a protection rule was not recorded'),
    )
  }
}

/** Runs an action. Throws ActionSkipped, or the refusal of the exchange. */
async function executeAction(ctx: OrdersContext, pool: pg.Pool, due: DueAction): Promise<void> {
  const { exchange, transfers } = ctx
  const owner = await findOwner(ctx, pool, due.rule)
  const needed = await findNeededExchange(ctx, pool, { rule: due.rule, owner })
  if (!needed) {
    await cancelUnneeded(ctx, pool, due)
    return
  }
  const { amount, targetCurrency } = needed
  const sourceCurrency = amount.currency
  const request = { amount, side: 'source', sourceCurrency, targetCurrency, useStablecoin: true } as const
  const quote = await exchange.quote({ userId: owner.userId, request, recipientId: undefined })
  const exchanged = {
    source: amount,
    target: parseDecimal(targetCurrency, quote.target_amount),
    fee: parseDecimal(sourceCurrency, quote.fee),
  }
  const order = {
    caller: { userId: owner.userId, verified: owner.verified },
    quoteId: quote.quote_id,
    idempotencyKey: derivedId('protection exchange', due.id, String(due.tries)),
    isByRule: true,
  }
  const orderKey = keyExchange(order)
  await transfers.runOrderOnce(orderKey, () =>
    transfers.readResult({ orderKey, pendingResult: makeExchange(ctx, pool, { order, due, owner, exchanged }) }),
  )
}

interface ExchangeAmounts {
  readonly source: Money
  readonly target: Money
  readonly fee: Money
}

interface ActionAttempt {
  readonly due: DueAction
  readonly owner: Party
  readonly exchanged: ExchangeAmounts
}

interface OrderedAction extends ActionAttempt {
  readonly order: Parameters<OrdersContext['transfers']['prepareExchange']>[0]
}

/** Exchanges the money of an action and marks it as done, in one transaction. */
async function makeExchange(
  ctx: OrdersContext,
  pool: pg.Pool,
  { order, ...action }: OrderedAction,
): Promise<AttemptResult> {
  const { transfers } = ctx
  let next: Attempt | AttemptResult = await transfers.begin(await transfers.prepareExchange(order))
  while (!('outcome' in next)) {
    const attempt: Attempt = next
    const pendingMove = retryOnConflict(pool, (tx) => exchangeInTransaction(ctx, tx, { ...action, attempt }))
    next = await transfers.nextAttempt({ attempt, pendingMove })
  }
  return next
}

/**
 * Moves the money of an action and marks it as done. Throws ActionSkipped if the action, its rule or the balance has
 * changed.
 */
async function exchangeInTransaction(
  ctx: OrdersContext,
  tx: Tx,
  { attempt, ...action }: ActionAttempt & { readonly attempt: Attempt },
): Promise<MoveOutcome> {
  await requireStillDue(tx, action)
  const outcome = await ctx.transfers.moveWithin(tx, attempt)
  if (outcome.status === 'posted')
    await recordActionDone(ctx, tx, { ...action, transactionId: toOrderPosting(attempt).transactionId })
  return outcome
}

/** Locks an action. Throws ActionSkipped if it is no longer due, or would take the balance below the threshold. */
async function requireStillDue(tx: Tx, { due, owner, exchanged }: ActionAttempt): Promise<void> {
  const { rule } = due
  await lockName(tx, `protection of ${rule.user_id}`)
  const { rowCount } = await tx.query(
    `select from protection_action a join protection_rule r on r.id = a.rule_id
      where a.id = $1 and a.state = 'waiting' and a.tries = $2 and r.is_on and r.updated_at = $3
        for update of a, r skip locked`,
    [due.id, due.tries, rule.updated_at],
  )
  if (rowCount !== 1 || !(await keepsThreshold(tx, { rule, owner, exchanged }))) throw new ActionSkipped()
}

async function recordActionDone(
  ctx: OrdersContext,
  tx: Tx,
  { due, exchanged, transactionId }: ActionAttempt & { readonly transactionId: string },
): Promise<void> {
  const { rule } = due
  const at = ctx.now()
  await tx.query(
    `update protection_action set state = 'done', transaction_id = $2, try_at = null, closed_at = $3 where id = $1`,
    [due.id, transactionId, at],
  )
  await recordRuleResult(tx, { rule, at, reason: null })
  await ctx.notifications.touch(tx, { userIds: [rule.user_id], topic: 'protection' })
  await notifyProtectionActed(ctx, tx, { ...exchanged, rule, transactionId })
}

/** True if the balance after the exchange is at least the rule's threshold. */
async function keepsThreshold(
  tx: Tx,
  { rule, owner, exchanged }: OwnedRule & { readonly exchanged: ExchangeAmounts },
): Promise<boolean> {
  const { source, fee } = exchanged
  if (rule.threshold_minor === null) return true
  const { rows } = await tx.query<Pick<AccountRow, 'balance'>>('select balance from ledger.account where name = $1', [
    walletAccount(owner.wallet.id, source.currency).name,
  ])
  return (rows[0]?.balance ?? 0n) - source.minor - fee.minor >= rule.threshold_minor
}

/** Records the result on the rule. A `keep_share` rule is checked again only on the next day. */
async function recordRuleResult(
  tx: Tx,
  { rule, at, reason }: { readonly rule: ProtectionRuleRow; readonly at: Date; readonly reason: string | null },
): Promise<void> {
  const from = rule.kind === 'keep_share' ? startOfNextDay(at) : null
  await tx.query(
    `update protection_rule set waiting_reason = $2, check_at = coalesce($4, check_at), acts_from = coalesce($4, acts_from),
        waiting_since = case when $2::text is null then null
          when waiting_reason is distinct from $2 then $3 else waiting_since end
      where id = $1`,
    [rule.id, reason, at, from],
  )
}

/** Ends an action that is no longer necessary. Deletes that of a share, which may be checked again on the same day. */
async function cancelUnneeded(
  { now }: OrdersContext,
  db: Db,
  { id, tries, incoming_id: incomingId }: DueAction,
): Promise<void> {
  if (incomingId === null) {
    await db.query(`delete from protection_action where id = $1 and state = 'waiting' and tries = $2`, [id, tries])
    return
  }
  await db.query(
    `update protection_action set state = 'not_needed', try_at = null, closed_at = $3
      where id = $1 and state = 'waiting' and tries = $2`,
    [id, tries, now()],
  )
}

/**
 * Records the refusal of an action. Transient refusals are retried for three days; all others end the action and notify
 * the account holder.
 */
async function recordRefusal(
  ctx: OrdersContext,
  pool: pg.Pool,
  { due, reason }: { readonly due: DueAction; readonly reason: string },
): Promise<void> {
  const { rule } = due
  const at = ctx.now()
  const isTransient = transientCodes.has(reason) || reason === 'internal'
  const isOver = at.getTime() - due.created_at.getTime() > cancelAfterMs
  // Another worker, possibly one that crashed, has used the key. Retries at once with the next key.
  const isKeyTaken = reason === 'idempotency_key_reused'
  await transact(pool, async (tx) => {
    if (isTransient && !isOver) {
      await tx.query(
        `update protection_action set tries = tries + 1, reason = $3, try_at = $4
          where id = $1 and state = 'waiting' and tries = $2`,
        [due.id, due.tries, reason, isKeyTaken ? at : new Date(at.getTime() + retryMs)],
      )
      return
    }
    const { rows } = await tx.query<ProtectionRuleRow>('select * from protection_rule where id = $1 for update', [
      rule.id,
    ])
    const { rowCount } = await tx.query(
      `update protection_action set state = 'refused', reason = $3, try_at = null, closed_at = $4
        where id = $1 and state = 'waiting' and tries = $2`,
      [due.id, due.tries, reason, at],
    )
    const [lockedRule] = rows
    if (rowCount !== 1 || !lockedRule) return
    await recordRuleResult(tx, { rule, at, reason })
    await ctx.notifications.touch(tx, { userIds: [rule.user_id], topic: 'protection' })
    if (lockedRule.waiting_reason !== reason) await notifyWaiting(ctx, tx, { rule, reason, actionId: due.id })
  })
}

async function notifyProtectionActed(
  ctx: OrdersContext,
  tx: Tx,
  {
    rule,
    source,
    target,
    fee,
    transactionId,
  }: ExchangeAmounts & { readonly rule: ProtectionRuleRow; readonly transactionId: string },
): Promise<void> {
  const { notifications, publicUrl } = ctx
  await notifications.notify(tx, {
    userId: rule.user_id,
    code: 'protection_acted',
    params: {
      kind: rule.kind,
      amount: toDecimal(source),
      currency: source.currency,
      target_amount: toDecimal(target),
      target_currency: target.currency,
    },
    subjectId: rule.id,
    dedupe: transactionId,
  })
  await notifications.mail(tx, {
    to: await readMailbox(ctx, tx, rule.user_id),
    template: 'protection_acted',
    data: {
      amount: amountText(source),
      target: amountText(target),
      fee: amountText(fee),
      link: `${publicUrl}${rulePage}`,
    },
  })
}

async function notifyWaiting(
  ctx: OrdersContext,
  tx: Tx,
  { rule, reason, actionId }: { readonly rule: ProtectionRuleRow; readonly reason: string; readonly actionId: string },
): Promise<void> {
  const { notifications, publicUrl } = ctx
  await notifications.notify(tx, {
    userId: rule.user_id,
    code: 'protection_waits',
    params: { kind: rule.kind, currency: rule.currency, reason },
    subjectId: rule.id,
    dedupe: actionId,
    needsAction: true,
  })
  await notifications.mail(tx, {
    to: await readMailbox(ctx, tx, rule.user_id),
    template: 'protection_waits',
    data: {
      currency: rule.currency,
      reason,
      link: `${publicUrl}${rulePage}`,
    },
  })
}
