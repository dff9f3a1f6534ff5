import type pg from 'pg'
import { priceView } from '../exchange/exchange.ts'
import type { priceOfLink } from '@tern/contract/requests/payment-links'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import type { Db, WorkInput, Tx } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { findTransaction } from '../wallets/wallets.ts'
import { type OutsideContext, type RequestContext, requestContext, type RequestDeps } from './context.ts'
import { createPaymentRequest } from './create-request.ts'
import { beginGuestPayment, cancelGuestPayment, readGuestPayment } from './guests/guest-payments.ts'
import { findOpenPayment, payFromExternalAccount } from './outside/member-payments.ts'
import { endHeldPayment, payRequest, quoteLink, requireLinkedRequest, requirePossible } from './pay-request.ts'
import {
  acceptRequest,
  requestNewLink,
  cancelRequest,
  declineRequest,
  expireDue,
  openLink,
  remindAccepted,
  remindPayer,
  requireExpired,
} from './request-decisions.ts'
import { listRequests } from './records/request-list.ts'
import { findRequest, toRequestMoney } from './records/request-rows.ts'
import { computeRemaining } from './records/request-states.ts'
import { linkView, requestView } from './records/request-views.ts'
import { findExistingSplit, planSplit, requireVerifiedPayer, storeSplit } from './split/create-split.ts'
import { cancelSplit, remindSplit } from './split/split-decisions.ts'
import { listSplits, readSplit } from './split/split-views.ts'
import type { RequestPaymentRow } from './row-types.ts'

export { createRequestPurpose } from './request-purpose.ts'

interface Deps extends RequestDeps {
  readonly pool: pg.Pool
  readonly payments: OutsideContext['payments']
}

/** Payment requests and their links. A link only identifies a request; all terms come from the stored row. */
export function createRequests({ pool, payments, ...deps }: Deps) {
  const ctx: OutsideContext = { ...requestContext(deps), payments }
  return {
    create: (order: WorkInput<typeof createPaymentRequest>) => createPaymentRequest(ctx, pool, order),
    list: (db: Db, input: WorkInput<typeof listRequests>) => listRequests(ctx, db, input),
    details: (db: Db, requestKey: RequestKey) => readRequest(ctx, db, requestKey),
    cancel: (requestKey: RequestKey) => cancelRequest(ctx, pool, requestKey),
    remind: (requestKey: RequestKey) => remindPayer(ctx, pool, requestKey),

    link: (data: string) => readLink(ctx, pool, data),
    open: (data: string) => openLink(ctx, pool, data),
    price: (input: WorkInput<typeof priceLink>) => priceLink(ctx, pool, input),
    asPayer: (input: WorkInput<typeof readAsPayer>) => readAsPayer(ctx, pool, input),
    quote: (order: WorkInput<typeof quoteLink>) => quoteLink(ctx, pool, order),
    pay: (order: WorkInput<typeof payRequest>) => payRequest(ctx, pool, order),
    payFromExternalAccount: (order: WorkInput<typeof payFromExternalAccount>) =>
      payFromExternalAccount(ctx, pool, order),
    decline: (answer: WorkInput<typeof declineRequest>) => declineRequest(ctx, pool, answer),
    accept: (answer: WorkInput<typeof acceptRequest>) => acceptRequest(ctx, pool, answer),
    requireExpired: (answer: WorkInput<typeof requireExpired>) => requireExpired(ctx, pool, answer),
    askAgain: (answer: WorkInput<typeof requestNewLink>) => requestNewLink(ctx, pool, answer),

    splits: {
      plan: (order: Parameters<typeof planSplit>[1]) => planSplit(pool, order),
      findExisting: (planned: Parameters<typeof findExistingSplit>[1]) => findExistingSplit(pool, planned),
      requirePayer: (payer: WorkInput<typeof requireVerifiedPayer>) => requireVerifiedPayer(ctx, pool, payer),
      create: (planned: WorkInput<typeof storeSplit>) => storeSplit(ctx, pool, planned),
      list: (db: Db, input: WorkInput<typeof listSplits>) => listSplits(ctx, db, input),
      details: (db: Db, requestKey: RequestKey) => readSplit(ctx, db, requestKey),
      remind: (requestKey: RequestKey) => remindSplit(ctx, pool, requestKey),
      cancel: (requestKey: RequestKey) => cancelSplit(ctx, pool, requestKey),
    },

    payAsGuest: (order: WorkInput<typeof beginGuestPayment>) => beginGuestPayment(ctx, pool, order),
    guestPayment: (receipt: string) => readGuestPayment(ctx, pool, receipt),
    cancelGuestPayment: (receipt: string) => cancelGuestPayment(ctx, pool, receipt),

    endHeld: (tx: Tx, end: WorkInput<typeof endHeldPayment>) => endHeldPayment(ctx, tx, end),
    endDue: () => expireDueRequests(ctx, pool),
  }
}

export type Requests = ReturnType<typeof createRequests>

/** Request or split, and the acting user. */
interface RequestKey {
  readonly userId: bigint
  readonly id: string
}

/** Ends expired requests, and reminds payers on the day they chose. */
async function expireDueRequests(ctx: RequestContext, pool: pg.Pool): Promise<void> {
  await expireDue(ctx, pool)
  await remindAccepted(ctx, pool)
}

/** Request of the user, or one addressed to them. Refuses `not_found`. */
async function readRequest(ctx: RequestContext, db: Db, requestKey: RequestKey) {
  const { userId, id } = requestKey
  const request = await findRequest(db, id)
  const isParty = request !== undefined && (request.requester_id === userId || request.payer_id === userId)
  return isParty ? requestView(ctx, db, requestKey) : refuse('not_found')
}

/** View of a request for anyone with its link. Refuses `link_changed`. */
async function readLink(ctx: RequestContext, db: Db, data: string) {
  return linkView(ctx, db, await requireLinkedRequest(ctx, db, data))
}

/** Price of the remaining amount of a request, at current rates. Refusals: see `priceOfLink` in the contract. */
async function priceLink(
  ctx: RequestContext,
  db: Db,
  { data, currency: sourceCurrency }: { readonly data: string; readonly currency: CurrencyCode },
): Promise<Reply<typeof priceOfLink>> {
  const { exchange, now } = ctx
  const request = await requireLinkedRequest(ctx, db, data)
  requirePossible(request, 'pay', now())
  const amount = toRequestMoney(request, computeRemaining(request))
  const priceQuery = {
    amount,
    side: 'target',
    sourceCurrency,
    targetCurrency: request.currency,
    useStablecoin: true,
  } as const
  return priceView(exchange.price(priceQuery), exchange.pairRate(sourceCurrency, request.currency))
}

/** Role of a user for a link, and the user's payments of its request. Refuses `link_changed`. */
async function readAsPayer(
  ctx: RequestContext,
  db: Db,
  { userId, data }: { readonly userId: bigint; readonly data: string },
) {
  const request = await requireLinkedRequest(ctx, db, data)
  const { rows } = await db.query<Pick<RequestPaymentRow, 'transaction_id'>>(
    'select transaction_id from request_payment where payer_id = $1 and request_id = $2 order by created_at desc limit 100',
    [userId, request.id],
  )
  const payments = await Promise.all(rows.map(({ transaction_id: id }) => findTransaction(db, { userId, id })))
  const isRequester = request.requester_id === userId
  const isPayer = !isRequester && (request.payer_id === null || request.payer_id === userId)
  return {
    role: isRequester ? ('requester' as const) : isPayer ? ('payer' as const) : ('other' as const),
    recipient_id: isPayer ? wireId(request.requester_id) : null,
    request_id: isRequester || request.payer_id === userId ? request.id : null,
    accepted_for: request.payer_id === userId ? request.accepted_for : null,
    open_payment: await findOpenPayment(db, { userId, requestId: request.id }),
    payments: payments.filter((payment) => payment !== undefined),
  }
}
