import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import { toDecimal } from '@tern/money/money'
import type { Tx } from '../../platform/database/db.ts'
import type { RequestContext } from './context.ts'
import { toRequestMoney } from './records/request-rows.ts'
import { computeRemaining } from './records/request-states.ts'
import type { PaymentRequestRow } from './row-types.ts'

type RequestNoticeContext = Pick<RequestContext, 'notifications'>

/** Other party of a request, as shown to the notified user. */
export type OtherPerson = NotificationParams['request_paid']['person']

const buildNoticeParams = <P extends OtherPerson | null>(request: PaymentRequestRow, person: P, minor: bigint) => ({
  person,
  amount: toDecimal(toRequestMoney(request, minor)),
  currency: request.currency,
  description: request.description ?? '',
})
const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

/** Refreshes the open pages of requester and payer that show a request. */
export async function notifyRequestPages(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  request: PaymentRequestRow,
): Promise<void> {
  const { requester_id: requesterId, payer_id: payerId } = request
  const userIds = payerId === null ? [requesterId] : [requesterId, payerId]
  await notifications.touch(tx, { userIds, topic: 'requests' })
}

interface Notice {
  readonly request: PaymentRequestRow
  readonly person: OtherPerson
}

/** Notifies the user from whom money is requested. */
export async function notifyRequested(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person }: Notice,
): Promise<void> {
  const { id: subjectId, payer_id: userId, amount_minor: minor, expires_at: until } = request
  if (userId === null) return
  const params = { ...buildNoticeParams(request, person, minor), date: formatDay(until) }
  await notifications.notify(tx, { userId, code: 'request_received', params, subjectId })
}

/** Notifies the requester of a payment of `minor`. */
export async function notifyPaid(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person, minor, dedupe }: Notice & { readonly minor: bigint; readonly dedupe: string },
): Promise<void> {
  const { id: subjectId, requester_id: userId, status } = request
  const code = status === 'paid' ? 'request_paid' : 'request_part_paid'
  await notifications.notify(tx, { userId, code, params: buildNoticeParams(request, person, minor), subjectId, dedupe })
}

export async function notifyDeclined(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person }: Notice,
): Promise<void> {
  const { id: subjectId, requester_id: userId, decline_reason: reason } = request
  const params = {
    ...buildNoticeParams(request, person, computeRemaining(request)),
    ...(reason === null ? {} : { reason }),
  }
  await notifications.notify(tx, { userId, code: 'request_declined', params, subjectId })
}

export async function notifyExpired(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person }: { readonly request: PaymentRequestRow; readonly person: OtherPerson | null },
): Promise<void> {
  const { id: subjectId, requester_id: userId } = request
  const params = buildNoticeParams(request, person, computeRemaining(request))
  await notifications.notify(tx, { userId, code: 'request_expired', params, subjectId })
}

/** Reminds the payer, on behalf of the requester or on the day that the payer chose. `dedupe`: unique per reminder. */
export async function notifyReminder(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person, dedupe }: Notice & { readonly dedupe: string },
): Promise<void> {
  const { id: subjectId, payer_id: userId, expires_at: until } = request
  if (userId === null) return
  const params = { ...buildNoticeParams(request, person, computeRemaining(request)), date: formatDay(until) }
  await notifications.notify(tx, {
    userId,
    code: 'request_reminder',
    params,
    subjectId,
    dedupe: `${subjectId} ${dedupe}`,
  })
}

/** Notifies the requester that a payer wants a new link instead of an expired one. */
export async function notifyLinkWanted(
  { notifications }: RequestNoticeContext,
  tx: Tx,
  { request, person, dedupe }: Notice & { readonly dedupe: string },
): Promise<void> {
  const { id: subjectId, requester_id: userId } = request
  const params = buildNoticeParams(request, person, computeRemaining(request))
  await notifications.notify(tx, { userId, code: 'request_link_wanted', params, subjectId, dedupe })
}
