import type { createRequest, PaymentRequest } from '@tern/contract/requests/requests'
import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { only, transact, type Tx } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { newId } from '../../platform/ids.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { RequestContext } from './context.ts'
import type { RequestRow } from './records/request-rows.ts'
import { requestView, toldPerson } from './records/request-views.ts'
import { type Other, tellAsked, touchRequest } from './telling.ts'
import { findWallet } from '../wallets/wallets.ts'

const mostOpen = 200
const defaultDays = 30
const dayMs = 86_400_000

type Asked = z.output<(typeof createRequest)['body']>

/** Asks for money, once per key. Refuses what the contract's `createRequest` lists. */
export async function createPaymentRequest(
  context: RequestContext,
  caller: Caller,
  asked: Asked,
  idempotencyKey: string,
): Promise<PaymentRequest> {
  const { pool } = context
  const hash = requestHash({ ...asked })
  const row = await rowOf(context, caller, asked)
  const requester = await toldPerson(context, caller.userId, row, caller.userId)
  const id = await transact(pool, async (tx) => {
    await lockRequestsOf(tx, caller.userId)
    const earlier = await tx.query<Pick<RequestRow, 'id' | 'request_hash'>>(
      'select id, request_hash from payment_request where requester_id = $1 and idempotency_key = $2',
      [caller.userId, idempotencyKey],
    )
    const [made] = earlier.rows
    if (made) {
      return made.request_hash.equals(hash) ? made.id : refuseField('idempotency_key_reused', 'Idempotency-Key')
    }
    await requireRoom(context, tx, caller.userId, 1)
    await storeRequest(context, tx, row, { requester, idempotencyKey, hash })
    return row.id
  })
  return requestView(context, caller.userId, id)
}

/** Nobody else asks for this user until the transaction ends, so that they never have more open requests than they may. */
export const lockRequestsOf = (tx: Tx, userId: bigint): Promise<void> => lockName(tx, `requests of ${userId}`)

/** Refuses `rate_limited` when `more` requests would be more than the user may have open. Comes after `lockRequestsOf`. */
export async function requireRoom({ now }: RequestContext, tx: Tx, userId: bigint, more: number): Promise<void> {
  const { rows } = await tx.query<{ open: number }>(
    `select count(*)::int as open from payment_request where requester_id = $1 and status = 'open' and expires_at > $2`,
    [userId, now()],
  )
  if (only(rows).open + more > mostOpen) {
    refuse('rate_limited', { reason: { code: 'too_many_open_requests', params: { max: mostOpen } } })
  }
}

interface Stored {
  readonly requester: Other
  readonly idempotencyKey: string
  readonly hash: Buffer
}

/** Stores a request, and tells the person it is addressed to. */
export async function storeRequest(
  context: RequestContext,
  tx: Tx,
  row: RequestRow,
  { requester, idempotencyKey, hash }: Stored,
): Promise<void> {
  const { opened: _opened, ...columns } = row
  await insertRow(tx, 'payment_request', { ...columns, idempotency_key: idempotencyKey, request_hash: hash })
  await tellAsked(context, tx, row, requester)
  await touchRequest(context, tx, row)
}

/** The currency in which a user asks, that of their wallet. Refuses `verification_required`, `currency_not_held`. */
export async function askingCurrency(
  { pool }: RequestContext,
  { userId, verified }: Caller,
  wanted: CurrencyCode | undefined,
): Promise<CurrencyCode> {
  if (!verified) refuse('verification_required')
  const wallet = (await findWallet(pool, userId)) ?? refuse('unauthenticated')
  const currency = wanted ?? wallet.baseCurrency
  if (currency !== wallet.baseCurrency) refuseField('currency_not_held', 'currency')
  return currency
}

/** The request as it will be stored. */
async function rowOf(context: RequestContext, caller: Caller, asked: Asked): Promise<RequestRow> {
  const { userId } = caller
  const currency = await askingCurrency(context, caller, asked.currency)
  const amount = parseAmount('amount', currency, asked.amount)
  const payerId = asked.payer_id === undefined ? null : BigInt(asked.payer_id)
  if (payerId === userId) refuseField('recipient_is_sender', 'payer_id')
  if (payerId !== null && !(await context.wallets.findParty(context.pool, payerId))?.verified) {
    refuseField('recipient_not_found', 'payer_id')
  }
  return newRequestRow(context.now(), {
    ...{ requesterId: userId, payerId, amount, description: asked.description, name: asked.name },
    ...{ allowsParts: asked.allows_parts, days: asked.expires_in_days },
  })
}

interface NewRequest {
  readonly requesterId: bigint
  readonly payerId: bigint | null
  readonly amount: Money
  readonly description?: string | undefined
  readonly name?: string | undefined
  readonly allowsParts?: boolean | undefined
  readonly days?: number | undefined
}

/** A request that nobody has seen yet. */
export function newRequestRow(at: Date, given: NewRequest): RequestRow {
  return {
    id: newId(at),
    requester_id: given.requesterId,
    payer_id: given.payerId,
    amount_minor: given.amount.minor,
    currency: given.amount.currency,
    description: given.description || null,
    name: given.name || null,
    allows_parts: given.allowsParts ?? false,
    status: 'open',
    paid_minor: 0n,
    reserved_minor: 0n,
    request_hash: Buffer.alloc(0),
    created_at: at,
    expires_at: new Date(at.getTime() + (given.days ?? defaultDays) * dayMs),
    closed_at: null,
    seen_at: null,
    opened: 0,
    accepted_for: null,
    decline_reason: null,
    reminded_at: null,
  }
}
