import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { money, toDecimal } from '@tern/money/money'
import { wireId } from '../../../platform/ids.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { countryCode, haveTransacted, initialsOf, nameOfDeleted } from '../../identity/identity.ts'
import type { RequestContext } from '../context.ts'
import { findRequest, inCurrencyOf, paymentsOf, type RequestRow, type ShownPayment } from './request-rows.ts'
import { leftOf, stateAt } from './request-states.ts'

const remindAgainMs = 3 * 86_400_000

/** A person as somebody else may see them: by initials alone until a payment between the two has arrived. */
async function personFor({ pool, wallets }: RequestContext, viewerId: bigint, userId: bigint) {
  const party = await wallets.findParty(pool, userId)
  if (!party) throw new Error(`user ${userId} of a payment request is not there`)
  const name = party.verified ? party.name : null
  if (name === null)
    return { id: wireId(userId), username: party.username, name: nameOfDeleted(party.username) ?? null }
  const isWhole = viewerId === userId || (await haveTransacted(pool, { userId: viewerId, otherId: userId }))
  return { id: wireId(userId), username: party.username, name: isWhole ? name : initialsOf(name) }
}

/** A requester shows their verified name to everybody they ask. */
async function requesterOf({ pool, wallets }: RequestContext, { requester_id: userId }: RequestRow) {
  const party = await wallets.findParty(pool, userId)
  if (!party) throw new Error(`user ${userId} asks without a wallet`)
  return {
    id: wireId(userId),
    username: party.username,
    name: nameOfDeleted(party.username) ?? (party.verified ? party.name : null),
    party,
  }
}

/** Who is told of something by the other side of a request, in a notification. */
export async function toldPerson(context: RequestContext, toldId: bigint, request: RequestRow, userId: bigint) {
  const { id, username, name } =
    userId === request.requester_id ? await requesterOf(context, request) : await personFor(context, toldId, userId)
  return { id, username, name: name ?? username }
}

/** When the requester may remind the payer again; null when there is nobody to remind, or nothing to pay. */
export function remindFrom({ payer_id: payerId, status, reminded_at: remindedAt, created_at: at }: RequestRow) {
  if (payerId === null || status !== 'open') return null
  return remindedAt === null ? at : new Date(remindedAt.getTime() + remindAgainMs)
}

async function paymentView(context: RequestContext, viewerId: bigint, payment: ShownPayment, request: RequestRow) {
  return {
    transaction_id: payment.transaction_id,
    amount: toDecimal(inCurrencyOf(request, payment.amount_minor)),
    paid_amount: toDecimal(money(payment.paid_currency, payment.paid_minor)),
    paid_currency: payment.paid_currency,
    payer: payment.payer_id === null ? null : await personFor(context, viewerId, payment.payer_id),
    guest_name: payment.guest_name,
    state: payment.status === 'processing' ? ('processing' as const) : ('settled' as const),
    at: payment.created_at.toISOString(),
  }
}

/** The link of a request. */
export const urlOf = ({ links, publicUrl }: RequestContext, { id }: RequestRow): string =>
  `${publicUrl}/pay?data=${links.dataOf(id)}`

/** Requests as the requester, or whoever they are addressed to, sees them. */
export async function requestViews(
  context: RequestContext,
  viewerId: bigint,
  rows: readonly RequestRow[],
): Promise<PaymentRequest[]> {
  const payments = await paymentsOf(
    context.pool,
    rows.map(({ id }) => id),
  )
  return Promise.all(
    rows.map(async (row): Promise<PaymentRequest> => {
      const { party: _party, ...requester } = await requesterOf(context, row)
      const isOwn = row.requester_id === viewerId
      const decimal = (minor: bigint) => toDecimal(inCurrencyOf(row, minor))
      return {
        id: row.id,
        state: stateAt(row, context.now()),
        direction: isOwn ? 'outgoing' : 'incoming',
        amount: decimal(row.amount_minor),
        currency: row.currency,
        paid_amount: decimal(row.paid_minor),
        remaining_amount: decimal(leftOf(row)),
        description: descriptionOf(row),
        name: row.name,
        requester,
        recipient: requester.username,
        payer: row.payer_id === null ? null : await personFor(context, viewerId, row.payer_id),
        allows_parts: row.allows_parts,
        data: context.links.dataOf(row.id),
        url: urlOf(context, row),
        ...momentsOf(row),
        opened: row.opened,
        accepted_for: row.accepted_for,
        decline_reason: row.decline_reason,
        payments: await Promise.all(
          (payments.get(row.id) ?? []).map((payment) => paymentView(context, viewerId, payment, row)),
        ),
      }
    }),
  )
}

/** What a request is for, in words. */
const descriptionOf = ({ description }: RequestRow): string =>
  description ?? messagesHere().activity.requests.payment_request

const momentsOf = (row: RequestRow) => ({
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  seen_at: row.seen_at?.toISOString() ?? null,
  closed_at: row.closed_at?.toISOString() ?? null,
  reminded_at: row.reminded_at?.toISOString() ?? null,
  remind_from: remindFrom(row)?.toISOString() ?? null,
})

/** One request, read anew. */
export async function requestView(context: RequestContext, viewerId: bigint, id: string): Promise<PaymentRequest> {
  const row = await findRequest(context.pool, id)
  const [view] = row ? await requestViews(context, viewerId, [row]) : []
  if (!view) throw new Error(`the payment request ${id} is gone`)
  return view
}

/** A request as anybody with its link sees it. */
export async function linkView(context: RequestContext, row: RequestRow): Promise<PaymentLink> {
  const { username, name, party } = await requesterOf(context, row)
  return {
    state: stateAt(row, context.now()),
    amount: toDecimal(inCurrencyOf(row, row.amount_minor)),
    remaining_amount: toDecimal(inCurrencyOf(row, leftOf(row))),
    currency: row.currency,
    description: descriptionOf(row),
    name: row.name,
    requester: {
      username,
      name,
      local_name: party.verified ? (party.localName ?? null) : null,
      is_verified: party.verified,
      country: countryCode(party.verified ? party.country : null),
    },
    is_addressed: row.payer_id !== null,
    allows_parts: row.allows_parts,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  }
}
