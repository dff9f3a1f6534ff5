import type { createRequest, PaymentRequest } from '@tern/contract/requests/requests'
import type * as z from 'zod/mini'
import { only, transact } from '../../platform/database/db.ts'
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
import { tellAsked, touchRequest } from './telling.ts'

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
  const { pool, now } = context
  const hash = requestHash({ ...asked })
  const row = await rowOf(context, caller, asked)
  const requester = await toldPerson(context, caller.userId, row, caller.userId)
  const id = await transact(pool, async (tx) => {
    await lockName(tx, `requests of ${caller.userId}`)
    const earlier = await tx.query<Pick<RequestRow, 'id' | 'request_hash'>>(
      'select id, request_hash from payment_request where requester_id = $1 and idempotency_key = $2',
      [caller.userId, idempotencyKey],
    )
    const [made] = earlier.rows
    if (made) {
      return made.request_hash.equals(hash) ? made.id : refuseField('idempotency_key_reused', 'Idempotency-Key')
    }
    const { rows } = await tx.query<{ open: number }>(
      `select count(*)::int as open from payment_request where requester_id = $1 and status = 'open' and expires_at > $2`,
      [caller.userId, now()],
    )
    if (only(rows).open >= mostOpen) {
      refuse('rate_limited', { reason: { code: 'too_many_open_requests', params: { max: mostOpen } } })
    }
    const { opened: _opened, ...columns } = row
    await insertRow(tx, 'payment_request', { ...columns, idempotency_key: idempotencyKey, request_hash: hash })
    await tellAsked(context, tx, row, requester)
    await touchRequest(context, tx, row)
    return row.id
  })
  return requestView(context, caller.userId, id)
}

/** The request as it will be stored. */
async function rowOf(
  { wallets, now }: RequestContext,
  { userId, verified }: Caller,
  asked: Asked,
): Promise<RequestRow> {
  if (!verified) refuse('verification_required')
  const wallet = (await wallets.walletOf(userId)) ?? refuse('unauthenticated')
  const currency = asked.currency ?? wallet.baseCurrency
  if (currency !== wallet.baseCurrency) refuseField('currency_not_held', 'currency')
  const amount = parseAmount('amount', currency, asked.amount)
  const payerId = asked.payer_id === undefined ? null : BigInt(asked.payer_id)
  if (payerId === userId) refuseField('recipient_is_sender', 'payer_id')
  if (payerId !== null && !(await wallets.partyOf(payerId))?.verified) refuseField('recipient_not_found', 'payer_id')
  const at = now()
  return {
    id: newId(at),
    requester_id: userId,
    payer_id: payerId,
    amount_minor: amount.minor,
    currency,
    description: asked.description || null,
    name: asked.name || null,
    allows_parts: asked.allows_parts ?? false,
    status: 'open',
    paid_minor: 0n,
    reserved_minor: 0n,
    request_hash: Buffer.alloc(0),
    created_at: at,
    expires_at: new Date(at.getTime() + (asked.expires_in_days ?? defaultDays) * dayMs),
    closed_at: null,
    seen_at: null,
    opened: 0,
    accepted_for: null,
    decline_reason: null,
    reminded_at: null,
  }
}
