// Lists, creates, edits and removes the rules that exchange money automatically.

import type {
  ProtectionRuleEdit,
  NewProtectionRule,
  ProtectionRule,
  protectionRules,
} from '@tern/contract/orders/protection-rules'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { isFiatCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { derivedId } from '../../../platform/ids.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { orderReason } from '../../../platform/order-reasons.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { OrdersContext } from '../context.ts'
import { readBalances } from './rule-rows.ts'
import { computeShare, tolerancePercent } from './share.ts'
import type { ProtectionActionRow, ProtectionRuleRow } from '../row-types.ts'
import type { TransactionRow } from '../../wallets/row-types.ts'

const maxRules = 20

type StoredRule = ProtectionRuleRow &
  Pick<ProtectionActionRow, 'transaction_id'> &
  Pick<TransactionRow, 'source_currency' | 'source_amount' | 'target_currency' | 'target_amount' | 'fee_amount'> & {
    readonly acted_at: Date | null
    readonly incoming_id: string | null
    readonly incoming_amount: bigint | null
    readonly incoming_name: string | null
  }

const select = `select r.*, a.closed_at as acted_at, a.transaction_id, t.source_currency, t.source_amount, t.target_currency,
    t.target_amount, t.fee_amount, i.id as incoming_id, i.target_amount as incoming_amount,
    coalesce(u.name, u.username) as incoming_name
  from protection_rule r
  left join lateral (
    select * from protection_action where rule_id = r.id and state = 'done' order by closed_at desc limit 1) a on true
  left join transaction t on t.user_id = r.user_id and t.id = a.transaction_id
  left join transaction i on i.user_id = r.user_id and i.id = a.incoming_id
  left join app_user u on i.kind = 'RECEIVE' and u.id = i.sender_id`

function readLastAction(row: StoredRule): ProtectionRule['last_action'] {
  const { acted_at: at, transaction_id: transactionId, incoming_id: incomingId, incoming_amount: incoming } = row
  if (at === null || transactionId === null) return null
  return {
    at: at.toISOString(),
    source_currency: row.source_currency,
    source_amount: toDecimal(money(row.source_currency, row.source_amount)),
    target_currency: row.target_currency,
    target_amount: toDecimal(money(row.target_currency, row.target_amount)),
    fee: toDecimal(money(row.source_currency, row.fee_amount)),
    transaction_id: transactionId,
    incoming:
      incomingId === null || incoming === null
        ? null
        : {
            transaction_id: incomingId,
            amount: toDecimal(money(row.base_currency, incoming)),
            name: row.incoming_name,
          },
  }
}

/** Returns the current share of a `keep_share` rule; null for other rules and without rates. */
function findCurrentShare(
  { exchange }: OrdersContext,
  row: ProtectionRuleRow,
  balances: readonly Money[],
): string | null {
  if (row.kind !== 'keep_share') return null
  try {
    return computeShare(row.currency, balances, exchange.usdValueOf)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

const ruleView = (ctx: OrdersContext, row: StoredRule, balances: readonly Money[]): ProtectionRule => ({
  id: row.id,
  kind: row.kind,
  on: row.is_on,
  currency: row.currency,
  base_currency: row.base_currency,
  share_percent: row.share_percent,
  tolerance_percent: row.kind === 'keep_share' ? tolerancePercent : null,
  share_now_percent: findCurrentShare(ctx, row, balances),
  threshold: row.threshold_minor === null ? null : toDecimal(money(row.base_currency, row.threshold_minor)),
  acts_from: row.acts_from === null || row.acts_from <= ctx.now() ? null : row.acts_from.toISOString(),
  last_action: readLastAction(row),
  waiting:
    row.waiting_reason === null || row.waiting_since === null
      ? null
      : {
          reason: row.waiting_reason,
          reason_text: orderReason(currentRequestMessages(), row.waiting_reason),
          since: row.waiting_since.toISOString(),
        },
  created_at: row.created_at.toISOString(),
})

function resolveTerms(kind: ProtectionRule['kind'], wallet: Wallet, change: ProtectionRuleEdit) {
  const { currency, share_percent: share, threshold } = change
  if (currency === wallet.baseCurrency) refuseField('invalid_request', 'currency', 'base_currency_kept')
  if (isFiatCode(currency)) refuseField('currency_not_held', 'currency')
  if (kind === 'keep_share') {
    if (threshold !== undefined) refuseField('invalid_request', 'threshold', 'threshold_of_other_kind')
    if (share === undefined) refuseField('invalid_request', 'share_percent', 'missing')
    return { currency, base_currency: wallet.baseCurrency, share_percent: share, threshold_minor: null }
  }
  if (share !== undefined) refuseField('invalid_request', 'share_percent', 'share_of_other_kind')
  const amount =
    threshold === undefined
      ? refuseField('invalid_request', 'threshold', 'missing')
      : parseAmount('threshold', wallet.baseCurrency, threshold)
  return { currency, base_currency: wallet.baseCurrency, share_percent: null, threshold_minor: amount.minor }
}

/** Returns the caller's wallet. Refuses `verification_required`, `not_found`. */
async function requireWallet(db: Db, { userId, verified }: Pick<Caller, 'userId' | 'verified'>): Promise<Wallet> {
  if (!verified) refuse('verification_required')
  return (await findWallet(db, userId)) ?? refuse('not_found')
}

export interface OwnRule {
  readonly userId: bigint
  readonly id: string
}

/** Reads the rules of a user; with `id`, only that one. Refuses `not_found` without a wallet. */
async function readRules(
  ctx: OrdersContext,
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id?: string },
): Promise<ProtectionRule[]> {
  const wallet = (await findWallet(db, userId)) ?? refuse('not_found')
  const balances = await readBalances(db, wallet)
  const { rows } = await db.query<StoredRule>(
    `${select} where r.user_id = $1 and ($2::uuid is null or r.id = $2) order by r.created_at, r.id`,
    [userId, id ?? null],
  )
  return rows.map((row) => ruleView(ctx, row, balances))
}

/** Lists the rules of a user. Refuses `not_found` without a wallet. */
export const listRules = async (
  ctx: OrdersContext,
  db: Db,
  userId: bigint,
): Promise<Reply<typeof protectionRules>> => ({
  rules: await readRules(ctx, db, { userId }),
  most: maxRules,
})

async function readRule(ctx: OrdersContext, db: Db, ownRule: OwnRule): Promise<ProtectionRule> {
  const [rule] = await readRules(ctx, db, ownRule)
  return rule ?? refuse('not_found')
}

/** Creates a rule, once per key. Refusals: see `createProtectionRule` in the contract. */
export async function createRule(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, body, idempotencyKey }: { caller: Caller; body: NewProtectionRule; idempotencyKey: string },
): Promise<ProtectionRule> {
  const { notifications, now } = ctx
  const { userId } = caller
  const wallet = await requireWallet(pool, caller)
  const id = derivedId('protection rule', userId, idempotencyKey)
  const hash = requestHash(body)
  const terms = resolveTerms(body.kind, wallet, body)
  await transact(pool, async (tx) => {
    await lockName(tx, `protection rules of ${userId}`)
    const { rows } = await tx.query<ProtectionRuleRow>('select * from protection_rule where user_id = $1', [userId])
    const previousRule = rows.find((row) => row.id === id)
    if (previousRule && !previousRule.request_hash.equals(hash))
      refuseField('idempotency_key_reused', 'Idempotency-Key')
    if (previousRule) return
    if (rows.length >= maxRules) refuse('too_many_protection_rules')
    const at = now()
    await insertRow(tx, 'protection_rule', {
      id,
      user_id: userId,
      kind: body.kind,
      is_on: body.on ?? true,
      ...terms,
      check_at: body.kind === 'keep_share' ? at : null,
      on_since: at,
      request_hash: hash,
      created_at: at,
      updated_at: at,
    })
    await notifications.touch(tx, { userIds: [userId], topic: 'protection' })
  })
  return readRule(ctx, pool, { userId, id })
}

/** Edits a rule, or turns it on or off. Refusals: see `editProtectionRule` in the contract. */
export async function editRule(
  ctx: OrdersContext,
  pool: pg.Pool,
  { caller, id, body }: { caller: Caller; id: string; body: ProtectionRuleEdit },
): Promise<ProtectionRule> {
  const { notifications, now } = ctx
  const { userId } = caller
  const wallet = await requireWallet(pool, caller)
  await transact(pool, async (tx) => {
    const { rows } = await tx.query<ProtectionRuleRow>(
      'select * from protection_rule where id = $1 and user_id = $2 for update',
      [id, userId],
    )
    const row = rows[0] ?? refuse('not_found')
    const terms = resolveTerms(row.kind, wallet, body)
    const at = now()
    const isOn = body.on ?? true
    await updateRow(tx, 'protection_rule', id, {
      ...terms,
      is_on: isOn,
      updated_at: at,
      waiting_reason: null,
      waiting_since: null,
      ...(isOn && !row.is_on ? { on_since: at } : {}),
      check_at: row.kind === 'keep_share' ? new Date(Math.max(at.getTime(), row.acts_from?.getTime() ?? 0)) : null,
    })
    if (!isOn) await closeWaitingActions(tx, id, at)
    await notifications.touch(tx, { userIds: [userId], topic: 'protection' })
  })
  return readRule(ctx, pool, { userId, id })
}

/** Removes a rule; a repeated call changes nothing. */
export const removeRule = ({ notifications }: OrdersContext, pool: pg.Pool, { userId, id }: OwnRule): Promise<void> =>
  transact(pool, async (tx) => {
    // Waits for a worker that is acting, because the worker locks the rule.
    await tx.query('delete from protection_rule where id = $1 and user_id = $2', [id, userId])
    await notifications.touch(tx, { userIds: [userId], topic: 'protection' })
  })

/** Ends the waiting actions of a rule that was turned off. */
async function closeWaitingActions(tx: Tx, ruleId: string, at: Date): Promise<void> {
  await tx.query(
    `update protection_action set state = 'not_needed', reason = 'switched_off', try_at = null, closed_at = $2
      where rule_id = $1 and state = 'waiting'`,
    [ruleId, at],
  )
}
