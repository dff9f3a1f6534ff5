import type pg from 'pg'
import { minPeople, maxPeople } from '@tern/contract/requests/split-limits'
import type { createSplit, Split } from '@tern/contract/requests/splits'
import { type Money, money } from '@tern/money/money'
import { splitByShares } from '@tern/money/shares'
import type * as z from 'zod/mini'
import { type Db, transact } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { RequestContext } from '../context.ts'
import { requestCurrency, lockRequests, newRequestRow, requireRoom, storeRequest } from '../create-request.ts'
import { findCounterparty } from '../records/request-views.ts'
import { readSplit } from './split-views.ts'
import type { SplitRow } from '../row-types.ts'

type SplitInput = z.output<(typeof createSplit)['body']>

/** Validated part of a bill. */
interface SplitPart {
  /** Null for the caller's own part. */
  readonly payerId: bigint | null
  readonly amount: Money
  readonly shares: number | null
}

/** Validated bill that is not stored yet. */
export interface SplitPlan {
  readonly input: SplitInput
  readonly total: Money
  /** In list order; the caller's own comes first, if it is included. */
  readonly parts: readonly SplitPart[]
  /** Payers other than the caller. */
  readonly payerIds: readonly bigint[]
}

/**
 * Validates a bill without looking up users. Refuses `verification_required`, `currency_not_held`,
 * `recipient_is_sender`, and `invalid_request` for a wrong number of people, duplicates, and parts that are malformed
 * or do not add up.
 */
export async function planSplit(
  db: Db,
  { caller, body: input }: { readonly caller: Caller; readonly body: SplitInput },
): Promise<SplitPlan> {
  const currency = await requestCurrency(db, { caller, requestedCurrency: input.currency })
  const { own, people, split_by: by } = input
  const total = parseAmount('total', currency, input.total)
  const payerIds = people.map(({ user_id: id }) => BigInt(id))
  const count = people.length + (own ? 1 : 0)
  if (count < minPeople || count > maxPeople) refuseField('invalid_request', 'people', 'split_people')
  for (const [index, id] of payerIds.entries()) {
    if (id === caller.userId) refuseField('recipient_is_sender', `people.${index}.user_id`)
    if (payerIds.indexOf(id) < index) refuseField('invalid_request', `people.${index}.user_id`, 'person_twice')
  }
  const buildPart = (field: string, payerId: bigint | null, part: { amount: string; shares?: number | undefined }) => ({
    field,
    payerId,
    amount: parseAmount(field, currency, part.amount),
    shares: by === 'shares' ? (part.shares ?? 1) : null,
  })
  const parts = [
    ...(own ? [buildPart('own.amount', null, own)] : []),
    ...people.map((person, index) => buildPart(`people.${index}.amount`, payerIds[index] ?? null, person)),
  ]
  requireExactSplit(by, total, parts)
  return { input, total, parts, payerIds }
}

/** Refuses `invalid_request` unless the parts match the shares and add up to the total. */
function requireExactSplit(
  by: SplitInput['split_by'],
  total: Money,
  parts: readonly (SplitPart & { readonly field: string })[],
): void {
  if (by !== 'amounts') {
    const computed = splitByShares(
      total,
      parts.map(({ shares }) => BigInt(shares ?? 1)),
    )
    const wrongIndex = parts.findIndex(({ amount }, index) => amount.minor !== computed[index]?.minor)
    const [part, right] = [parts[wrongIndex], computed[wrongIndex]]
    if (part && right) {
      const reason = { code: 'part_of_shares', params: { amount: amountText(right) } } as const
      refuseField('invalid_request', part.field, reason)
    }
  }
  const sum = parts.reduce((minor, { amount }) => minor + amount.minor, 0n)
  if (sum === total.minor) return
  const params = { sum: amountText(money(total.currency, sum)), total: amountText(total) }
  refuseField('invalid_request', 'total', { code: 'parts_sum', params })
}

/** Refuses `recipient_not_found` unless the payer at position `index` is verified. */
export async function requireVerifiedPayer(
  { wallets }: RequestContext,
  db: Db,
  { plan, index }: { readonly plan: SplitPlan; readonly index: number },
): Promise<void> {
  const party = await wallets.findParty(db, plan.payerIds[index] ?? 0n)
  if (!party?.verified) refuseField('recipient_not_found', `people.${index}.user_id`)
}

interface PlannedSplit {
  readonly userId: bigint
  readonly plan: SplitPlan
  readonly idempotencyKey: string
}

/** Id of the split made under this key, if any. Refuses `idempotency_key_reused` for another body. */
export async function findExistingSplit(
  db: Db,
  { userId, plan: { input }, idempotencyKey }: PlannedSplit,
): Promise<string | undefined> {
  const { rows } = await db.query<Pick<SplitRow, 'id' | 'request_hash'>>(
    'select id, request_hash from split where user_id = $1 and idempotency_key = $2',
    [userId, idempotencyKey],
  )
  const [existingSplit] = rows
  if (!existingSplit) return undefined
  return existingSplit.request_hash.equals(requestHash({ ...input }))
    ? existingSplit.id
    : refuseField('idempotency_key_reused', 'Idempotency-Key')
}

/**
 * Splits a bill, once per key: stores the split and a request to each payer in one transaction. `requireVerifiedPayer`
 * must have accepted the payers. Refuses `idempotency_key_reused`, and `rate_limited` if the caller would have too many
 * open requests.
 */
export async function storeSplit(ctx: RequestContext, pool: pg.Pool, planned: PlannedSplit): Promise<Split> {
  const { userId, plan } = planned
  const { now } = ctx
  const { input, total, parts } = plan
  const at = now()
  const ownPart = parts.find(({ payerId }) => payerId === null)
  const payerParts = parts.filter(({ payerId }) => payerId !== null)
  const rows = payerParts.map(({ payerId, amount }) =>
    newRequestRow(at, { requesterId: userId, payerId, amount, description: input.description }),
  )
  const [first] = rows
  if (!first) throw new Error('a split without anybody to ask was planned')
  const requester = await findCounterparty(ctx, pool, { request: first, viewerId: userId, userId })
  const id = await transact(pool, async (tx) => {
    await lockRequests(tx, userId)
    const existingSplit = await findExistingSplit(tx, planned)
    if (existingSplit !== undefined) return existingSplit
    await requireRoom(ctx, tx, { userId, more: rows.length })
    const splitId = newId(at)
    await insertRow(tx, 'split', {
      id: splitId,
      user_id: userId,
      total_minor: total.minor,
      currency: total.currency,
      description: input.description || null,
      split_by: input.split_by,
      own_minor: ownPart?.amount.minor ?? null,
      own_shares: ownPart?.shares ?? null,
      people: rows.length,
      idempotency_key: planned.idempotencyKey,
      request_hash: requestHash({ ...input }),
      created_at: at,
    })
    for (const [index, row] of rows.entries()) {
      const key = derivedId('request of a split', splitId, String(index))
      await storeRequest(ctx, tx, {
        row,
        requester,
        idempotencyKey: key,
        hash: requestHash({ split: splitId, index }),
      })
      const part = {
        split_id: splitId,
        position: index + 1,
        request_id: row.id,
        shares: payerParts[index]?.shares ?? null,
      }
      await insertRow(tx, 'split_part', part)
    }
    return splitId
  })
  return readSplit(ctx, pool, { userId, id })
}
