// Warnings before a payment: shown when it is prepared, and enforced where it is decided, by the facts of the send.

import type { findPayeeWarning } from '@tern/contract/transfers/payee-warnings'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { walletAccount } from '@tern/ledger/chart'
import { loadBalances } from '@tern/ledger/ledger'
import type { Money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { holdsCurrency } from '../../wallets/wallets.ts'
import type { TransfersContext } from '../context.ts'
import { readPayeeFacts, readWarningPolicy } from './payee-facts.ts'
import { findPatterns, type PayeeFacts } from './patterns.ts'

export interface PreparedPayment {
  readonly caller: Caller
  readonly recipientId: bigint
  readonly amount: Money
  readonly description: string
}

type WarningsContext = Pick<TransfersContext, 'wallets' | 'exchange' | 'now'>

const minuteMs = 60_000

/**
 * Returns the warning about a payment, and stores it with its facts; null for an ordinary payment. Replaces earlier
 * warnings about the same payee. Refuses like a send.
 */
export async function checkPayment(
  ctx: WarningsContext,
  pool: pg.Pool,
  { caller, recipientId, amount, description }: PreparedPayment,
): Promise<Reply<typeof findPayeeWarning>> {
  const { wallets, exchange, now } = ctx
  if (!caller.verified) refuse('verification_required')
  if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
  const [sender, payee] = [await wallets.findParty(pool, caller.userId), await wallets.findParty(pool, recipientId)]
  if (!sender) return refuse('unauthenticated')
  if (!payee?.verified) return refuseField('recipient_not_found', 'recipient_id')
  if (!holdsCurrency(sender.wallet, amount.currency)) refuseField('currency_not_held', 'source_currency')
  const account = walletAccount(sender.wallet.id, amount.currency).name
  const balanceMinor = (await loadBalances(pool, [account])).get(account)?.balance ?? 0n
  const policy = await readWarningPolicy(pool)
  const usdMinor = exchange.usdMinorOf(amount)
  const facts = await readPayeeFacts(pool, {
    ...{ policy, senderId: caller.userId, payee, amount, usdMinor, balanceMinor, description },
    at: now(),
  })
  const found = facts ? findPatterns(policy, facts) : []
  const patterns = found.map(({ pattern }) => pattern)
  const shownAt = new Date()
  const expiresAt = new Date(shownAt.getTime() + policy.validMinutes * minuteMs)
  const id = newId(shownAt)
  const pair = { userId: caller.userId, payeeId: recipientId }
  await transact(pool, async (tx) => {
    await tx.query(
      `update payee_warning set superseded_at = $3
        where user_id = $1 and payee_id = $2 and superseded_at is null and expires_at > $3`,
      [pair.userId, pair.payeeId, shownAt],
    )
    if (!facts || patterns.length === 0) return
    await insertRow(tx, 'payee_warning', {
      ...{ id, user_id: pair.userId, payee_id: pair.payeeId, amount_minor: amount.minor, currency: amount.currency },
      ...{
        patterns,
        policy_version: policy.version,
        facts: toEvidence(facts),
        shown_at: shownAt,
        expires_at: expiresAt,
      },
    })
  })
  if (patterns.length === 0) return { warning: null }
  const similarTo = found.find((entry) => entry.similarTo !== undefined)?.similarTo ?? null
  const version = policy.version
  return { warning: { id, patterns, similar_to: similarTo, version, expires_at: expiresAt.toISOString() } }
}

/** Facts as evidence, without the names of other payees and the sender's text. */
const toEvidence = ({ knownPayees, description, ...facts }: PayeeFacts): string =>
  JSON.stringify(
    { ...facts, known_payees: knownPayees.length, description_length: description.length },
    (_key, value) => (typeof value === 'bigint' ? value.toString() : (value as unknown)),
  )

/** Records that the sender has read a warning and wants to pay. Refuses `not_found` unless it applies. */
export async function acknowledgeWarning(
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string },
): Promise<void> {
  const { rowCount } = await db.query(
    `update payee_warning set acknowledged_at = coalesce(acknowledged_at, now())
      where id = $1 and user_id = $2 and superseded_at is null and expires_at > now()`,
    [id, userId],
  )
  if (rowCount === 0) refuse('not_found')
}

/** Warning about a payment that applies now, as the facts of a send contain it. */
export interface OpenWarning {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly acknowledged: boolean
  readonly used_by: string | null
}

/** SQL: the warning that applies to a send from `sender` to `payee`, as JSON; null without one. */
export const openWarningSql = (sender: string, payee: string): string =>
  `(select jsonb_build_object('id', w.id, 'amount', w.amount_minor::text, 'currency', w.currency,
       'acknowledged', w.acknowledged_at is not null, 'used_by', w.used_by)
      from payee_warning w where w.user_id = ${sender} and w.payee_id = ${payee} and w.superseded_at is null
       and w.expires_at > now() order by w.id desc limit 1)`

/** SQL condition: a warning applies to some payee of the sender, so that no room may be stored. */
export const hasOpenWarningSql = (sender: string): string =>
  `exists (select from payee_warning w where w.user_id = ${sender} and w.superseded_at is null and w.expires_at > now())`

/** Returns whether the acknowledgement of a warning covers a payment: this amount, once. */
export const isAcknowledged = (
  { amount, currency, acknowledged, used_by: usedBy }: OpenWarning,
  { source, movementId }: { readonly source: Money; readonly movementId: string },
): boolean =>
  acknowledged &&
  amount === source.minor.toString() &&
  currency === source.currency &&
  (usedBy === null || usedBy === movementId)

interface WarnedOrder {
  readonly senderId: bigint
  readonly payeeId: bigint
  readonly source: Money
  /** Movement, or schedule, that the acknowledgement is for. */
  readonly movementId: string
}

/** Refuses `warning_open` unless no warning about the payee applies, or it was acknowledged for this order. */
export async function requireAcknowledgement(
  db: Db,
  { senderId, payeeId, source, movementId }: WarnedOrder,
): Promise<OpenWarning | undefined> {
  const { rows } = await db.query<{ readonly warning: OpenWarning | null }>(
    `select ${openWarningSql('$1::bigint', '$2::bigint')} as warning`,
    [senderId, payeeId],
  )
  const warning = rows[0]?.warning ?? undefined
  if (warning && !isAcknowledged(warning, { source, movementId })) refuse('warning_open')
  return warning
}

/** Requires the acknowledgement and uses it up, for an order that is stored now and pays later. */
export async function useAcknowledgement(tx: Tx, order: WarnedOrder): Promise<void> {
  const warning = await requireAcknowledgement(tx, order)
  if (warning) await spendAcknowledgement(tx, { id: warning.id, movementId: order.movementId })
}

/** Uses up an acknowledgement for a movement. Refuses `warning_open` if another movement has used it. */
export async function spendAcknowledgement(
  db: Db,
  { id, movementId }: { readonly id: string; readonly movementId: string },
): Promise<void> {
  const { rowCount } = await db.query(
    'update payee_warning set used_by = $2 where id = $1 and (used_by is null or used_by = $2)',
    [id, movementId],
  )
  if (rowCount === 0) refuse('warning_open')
}
