import type pg from 'pg'
import type { createRequest, PaymentRequest } from '@tern/contract/requests/requests'
import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { type Db, onlyRow, transact, type Tx } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { newId } from '../../platform/ids.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { RequestContext } from './context.ts'
import { findCounterparty, requestView } from './records/request-views.ts'
import { notifyRequested, type OtherPerson, notifyRequestPages } from './request-notices.ts'
import { findWallet } from '../wallets/wallets.ts'
import type { PaymentRequestRow } from './row-types.ts'

const maxOpen = 200
const defaultDays = 30
const dayMs = 86_400_000

type RequestInput = z.output<(typeof createRequest)['body']>

interface NewOrder {
  readonly caller: Caller
  readonly body: RequestInput
  readonly idempotencyKey: string
}

/** Requests money, once per key. Refusals: see `createRequest` in the contract. */
export async function createPaymentRequest(
  ctx: RequestContext,
  pool: pg.Pool,
  { caller, body: input, idempotencyKey }: NewOrder,
): Promise<PaymentRequest> {
  const hash = requestHash({ ...input })
  const row = await buildRequestRow(ctx, pool, { caller, input })
  const requester = await findCounterparty(ctx, pool, { request: row, viewerId: caller.userId, userId: caller.userId })
  const id = await transact(pool, async (tx) => {
    await lockRequests(tx, caller.userId)
    const existingRows = await tx.query<Pick<PaymentRequestRow, 'id' | 'request_hash'>>(
      'select id, request_hash from payment_request where requester_id = $1 and idempotency_key = $2',
      [caller.userId, idempotencyKey],
    )
    const [existingRequest] = existingRows.rows
    if (existingRequest) {
      return existingRequest.request_hash.equals(hash)
        ? existingRequest.id
        : refuseField('idempotency_key_reused', 'Idempotency-Key')
    }
    await requireRoom(ctx, tx, { userId: caller.userId, more: 1 })
    await storeRequest(ctx, tx, { row, requester, idempotencyKey, hash })
    return row.id
  })
  return requestView(ctx, pool, { userId: caller.userId, id })
}

/** Serializes a user's new requests until the transaction ends, so that the limit of open ones holds. */
export const lockRequests = (tx: Tx, userId: bigint): Promise<void> => lockName(tx, `requests of ${userId}`)

/** Refuses `rate_limited` if `more` requests would exceed the user's limit of open ones. Requires `lockRequests`. */
export async function requireRoom(
  { now }: RequestContext,
  tx: Tx,
  { userId, more }: { readonly userId: bigint; readonly more: number },
): Promise<void> {
  const { rows } = await tx.query<{ open: number }>(
    `select count(*)::int as open from payment_request where requester_id = $1 and status = 'open' and expires_at > $2`,
    [userId, now()],
  )
  if (onlyRow(rows).open + more > maxOpen) {
    refuse('rate_limited', { reason: { code: 'too_many_open_requests', params: { max: maxOpen } } })
  }
}

/** New request without the columns of its idempotency key. */
type NewRequestRow = Omit<PaymentRequestRow, 'idempotency_key' | 'request_hash'>

interface StoredRequest {
  readonly row: NewRequestRow
  readonly requester: OtherPerson
  readonly idempotencyKey: string
  readonly hash: Buffer
}

/** Stores a request, and notifies its addressee, if any. */
export async function storeRequest(
  ctx: RequestContext,
  tx: Tx,
  { row, requester, idempotencyKey, hash }: StoredRequest,
): Promise<void> {
  const request = { ...row, idempotency_key: idempotencyKey, request_hash: hash }
  await insertRow(tx, 'payment_request', request)
  await notifyRequested(ctx, tx, { request, person: requester })
  await notifyRequestPages(ctx, tx, request)
}

/**
 * Base currency of the caller's wallet, the only one that requests may use. Refuses `verification_required`,
 * `currency_not_held`, and `unauthenticated` without a wallet.
 */
export async function requestCurrency(
  db: Db,
  {
    caller: { userId, verified },
    requestedCurrency,
  }: { readonly caller: Caller; readonly requestedCurrency: CurrencyCode | undefined },
): Promise<CurrencyCode> {
  if (!verified) refuse('verification_required')
  const wallet = (await findWallet(db, userId)) ?? refuse('unauthenticated')
  const currency = requestedCurrency ?? wallet.baseCurrency
  if (currency !== wallet.baseCurrency) refuseField('currency_not_held', 'currency')
  return currency
}

/** Validates a new request, and returns its row. */
async function buildRequestRow(
  ctx: RequestContext,
  db: Db,
  { caller, input }: { readonly caller: Caller; readonly input: RequestInput },
): Promise<NewRequestRow> {
  const { userId } = caller
  const currency = await requestCurrency(db, { caller, requestedCurrency: input.currency })
  const amount = parseAmount('amount', currency, input.amount)
  const payerId = input.payer_id === undefined ? null : BigInt(input.payer_id)
  if (payerId === userId) refuseField('recipient_is_sender', 'payer_id')
  if (payerId !== null && !(await ctx.wallets.findParty(db, payerId))?.verified) {
    refuseField('recipient_not_found', 'payer_id')
  }
  return newRequestRow(ctx.now(), {
    requesterId: userId,
    payerId,
    amount,
    description: input.description,
    name: input.name,
    allowsParts: input.allows_parts,
    days: input.expires_in_days,
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

/** Initial row of a request: open, unseen and unpaid. */
export function newRequestRow(at: Date, given: NewRequest): NewRequestRow {
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
    created_at: at,
    expires_at: new Date(at.getTime() + (given.days ?? defaultDays) * dayMs),
    closed_at: null,
    seen_at: null,
    opened: 0,
    accepted_for: null,
    decline_reason: null,
    reminded_at: null,
    accepted_reminder_at: null,
  }
}
