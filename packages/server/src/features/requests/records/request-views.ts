import type { Db } from '../../../platform/database/db.ts'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { money, toDecimal } from '@tern/money/money'
import { wireId } from '../../../platform/ids.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { countryCode, haveTransacted, abbreviateName, findDeletedName } from '../../identity/identity.ts'
import type { RequestContext } from '../context.ts'
import { findRequest, toRequestMoney, loadPayments, type ShownPayment } from './request-rows.ts'
import { computeRemaining, determineRequestState } from './request-states.ts'
import type { PaymentRequestRow } from '../row-types.ts'

const remindAgainMs = 3 * 86_400_000

interface RequestViewer {
  readonly viewerId: bigint
  readonly userId: bigint
}

/** User as `viewerId` may see them: with an abbreviated name until the two have transacted. */
async function findOtherPerson({ wallets }: RequestContext, db: Db, { viewerId, userId }: RequestViewer) {
  const party = await wallets.findParty(db, userId)
  if (!party) throw new Error(`user ${userId} of a payment request is not there`)
  const name = party.verified ? party.name : null
  if (name === null)
    return { id: wireId(userId), username: party.username, name: findDeletedName(party.username) ?? null }
  const isWhole = viewerId === userId || (await haveTransacted(db, { userId: viewerId, otherId: userId }))
  return { id: wireId(userId), username: party.username, name: isWhole ? name : abbreviateName(name) }
}

type RequestOwner = Pick<PaymentRequestRow, 'requester_id'>

/** Requester with the verified name, which payers always see. */
async function findRequester({ wallets }: RequestContext, db: Db, { requester_id: userId }: RequestOwner) {
  const party = await wallets.findParty(db, userId)
  if (!party) throw new Error(`user ${userId} asks without a wallet`)
  return {
    id: wireId(userId),
    username: party.username,
    name: findDeletedName(party.username) ?? (party.verified ? party.name : null),
    party,
  }
}

/** Party `userId` of a request, as shown to `viewerId` in notifications. */
export async function findCounterparty(
  ctx: RequestContext,
  db: Db,
  { request, ...viewer }: RequestViewer & { readonly request: RequestOwner },
) {
  const { id, username, name } =
    viewer.userId === request.requester_id
      ? await findRequester(ctx, db, request)
      : await findOtherPerson(ctx, db, viewer)
  return { id, username, name: name ?? username }
}

/** Earliest time of the next reminder; null for a closed request, or one that is addressed to no user. */
export function computeReminderTime({
  payer_id: payerId,
  status,
  reminded_at: remindedAt,
  created_at: at,
}: PaymentRequestRow) {
  if (payerId === null || status !== 'open') return null
  return remindedAt === null ? at : new Date(remindedAt.getTime() + remindAgainMs)
}

interface ViewedPayment {
  readonly viewerId: bigint
  readonly payment: ShownPayment
  readonly request: PaymentRequestRow
}

async function paymentView(ctx: RequestContext, db: Db, { viewerId, payment, request }: ViewedPayment) {
  const { payer_id: payerId } = payment
  return {
    transaction_id: payment.transaction_id,
    amount: toDecimal(toRequestMoney(request, payment.amount_minor)),
    paid_amount: toDecimal(money(payment.paid_currency, payment.paid_minor)),
    paid_currency: payment.paid_currency,
    payer: payerId === null ? null : await findOtherPerson(ctx, db, { viewerId, userId: payerId }),
    guest_name: payment.guest_name,
    state: payment.status === 'processing' ? ('processing' as const) : ('settled' as const),
    at: payment.created_at.toISOString(),
  }
}

export const buildUrl = ({ links, publicUrl }: RequestContext, { id }: PaymentRequestRow): string =>
  `${publicUrl}/pay?data=${links.issue(id)}`

/** Requests as the requester or addressee sees them. */
export async function requestViews(
  ctx: RequestContext,
  db: Db,
  { viewerId, rows }: { readonly viewerId: bigint; readonly rows: readonly PaymentRequestRow[] },
): Promise<PaymentRequest[]> {
  const payments = await loadPayments(
    db,
    rows.map(({ id }) => id),
  )
  return Promise.all(
    rows.map(async (row): Promise<PaymentRequest> => {
      const { party: _party, ...requester } = await findRequester(ctx, db, row)
      const isOwn = row.requester_id === viewerId
      const decimal = (minor: bigint) => toDecimal(toRequestMoney(row, minor))
      return {
        id: row.id,
        state: determineRequestState(row, ctx.now()),
        direction: isOwn ? 'outgoing' : 'incoming',
        amount: decimal(row.amount_minor),
        currency: row.currency,
        paid_amount: decimal(row.paid_minor),
        remaining_amount: decimal(computeRemaining(row)),
        description: describeRequest(row),
        name: row.name,
        requester,
        recipient: requester.username,
        payer: row.payer_id === null ? null : await findOtherPerson(ctx, db, { viewerId, userId: row.payer_id }),
        allows_parts: row.allows_parts,
        data: ctx.links.issue(row.id),
        url: buildUrl(ctx, row),
        ...toMoments(row),
        opened: row.opened,
        accepted_for: row.accepted_for,
        decline_reason: row.decline_reason,
        payments: await Promise.all(
          (payments.get(row.id) ?? []).map((payment) => paymentView(ctx, db, { viewerId, payment, request: row })),
        ),
      }
    }),
  )
}

/** Description of a request, or the default in the reader's language. */
const describeRequest = ({ description }: PaymentRequestRow): string =>
  description ?? currentRequestMessages().activity.requests.payment_request

const toMoments = (row: PaymentRequestRow) => ({
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  seen_at: row.seen_at?.toISOString() ?? null,
  closed_at: row.closed_at?.toISOString() ?? null,
  reminded_at: row.reminded_at?.toISOString() ?? null,
  remind_from: computeReminderTime(row)?.toISOString() ?? null,
})

export async function requestView(
  ctx: RequestContext,
  db: Db,
  { userId: viewerId, id }: { readonly userId: bigint; readonly id: string },
): Promise<PaymentRequest> {
  const row = await findRequest(db, id)
  const [view] = row ? await requestViews(ctx, db, { viewerId, rows: [row] }) : []
  if (!view) throw new Error(`the payment request ${id} is gone`)
  return view
}

/** View of a request for anyone with its link. */
export async function linkView(ctx: RequestContext, db: Db, row: PaymentRequestRow): Promise<PaymentLink> {
  const { username, name, party } = await findRequester(ctx, db, row)
  return {
    state: determineRequestState(row, ctx.now()),
    amount: toDecimal(toRequestMoney(row, row.amount_minor)),
    remaining_amount: toDecimal(toRequestMoney(row, computeRemaining(row))),
    currency: row.currency,
    description: describeRequest(row),
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
