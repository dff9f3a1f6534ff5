import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { toDecimal } from '@tern/money/money'
import type { Tx } from '../../platform/database/db.ts'
import type { RequestContext } from './context.ts'
import { inCurrencyOf, type RequestRow } from './records/request-rows.ts'
import { leftOf } from './records/request-states.ts'

// What requester and payer are told of a request. The people are looked up before the transaction begins.

/** The person at the other end, as whoever is told may see them. */
export type Other = NotificationParams['request_paid']['person']

const facts = <P extends Other | null>(request: RequestRow, person: P, minor: bigint) => ({
  person,
  amount: toDecimal(inCurrencyOf(request, minor)),
  currency: request.currency,
  description: request.description ?? '',
})
const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The lists that a request is in changed. */
export async function touchRequest(
  { notifications }: RequestContext,
  tx: Tx,
  { requester_id: requesterId, payer_id: payerId }: RequestRow,
): Promise<void> {
  await notifications.touch(tx, {
    userIds: payerId === null ? [requesterId] : [requesterId, payerId],
    topic: 'requests',
  })
}

/** The person a request is addressed to is asked. */
export async function tellAsked(context: RequestContext, tx: Tx, request: RequestRow, requester: Other): Promise<void> {
  if (request.payer_id === null) return
  const params = { ...facts(request, requester, request.amount_minor), date: dayOf(request.expires_at) }
  await context.notifications.notify(tx, {
    userId: request.payer_id,
    code: 'request_received',
    params,
    subjectId: request.id,
  })
}

/** The requester is told of a payment of `minor`. */
export async function tellPaid(
  context: RequestContext,
  tx: Tx,
  request: RequestRow,
  paid: { readonly payer: Other; readonly minor: bigint; readonly postingId: string },
): Promise<void> {
  const code = request.status === 'paid' ? 'request_paid' : 'request_part_paid'
  const params = facts(request, paid.payer, paid.minor)
  const notice = { code, params, subjectId: request.id, dedupe: paid.postingId } as const
  await context.notifications.notify(tx, { userId: request.requester_id, ...notice })
}

export async function tellDeclined(context: RequestContext, tx: Tx, request: RequestRow, payer: Other): Promise<void> {
  const reason = request.decline_reason === null ? {} : { reason: request.decline_reason }
  const params = { ...facts(request, payer, leftOf(request)), ...reason }
  await context.notifications.notify(tx, {
    userId: request.requester_id,
    code: 'request_declined',
    params,
    subjectId: request.id,
  })
}

export async function tellExpired(
  context: RequestContext,
  tx: Tx,
  request: RequestRow,
  payer: Other | null,
): Promise<void> {
  const params = facts(request, payer, leftOf(request))
  await context.notifications.notify(tx, {
    userId: request.requester_id,
    code: 'request_expired',
    params,
    subjectId: request.id,
  })
}

/** The payer is reminded, by the requester or on the day they chose. `dedupe` tells one reminder from the next. */
export async function tellReminder(
  context: RequestContext,
  tx: Tx,
  request: RequestRow,
  { requester, dedupe }: { readonly requester: Other; readonly dedupe: string },
): Promise<void> {
  if (request.payer_id === null) return
  const params = { ...facts(request, requester, leftOf(request)), date: dayOf(request.expires_at) }
  const notice = { code: 'request_reminder', params, subjectId: request.id, dedupe: `${request.id} ${dedupe}` } as const
  await context.notifications.notify(tx, { userId: request.payer_id, ...notice })
}

/** Somebody would still pay an expired request. */
export async function tellLinkWanted(
  context: RequestContext,
  tx: Tx,
  request: RequestRow,
  { person, dedupe }: { readonly person: Other; readonly dedupe: string },
): Promise<void> {
  const params = facts(request, person, leftOf(request))
  const notice = { code: 'request_link_wanted', params, subjectId: request.id, dedupe } as const
  await context.notifications.notify(tx, { userId: request.requester_id, ...notice })
}
