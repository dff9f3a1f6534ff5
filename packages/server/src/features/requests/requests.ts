import { priceView } from '../exchange/exchange.ts'
import type { priceOfLink } from '@tern/contract/requests/payment-links'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { wireId } from '../../platform/ids.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Secret } from '../../platform/seal.ts'
import { createSignedIds } from '../../platform/keys/signed-ids.ts'
import type { Collections } from '../payments/payments.ts'
import type { RequestContext } from './context.ts'
import { createPaymentRequest } from './create-request.ts'
import { beginGuestPayment, cancelGuestPayment, readGuestPayment } from './guests/guest-payments.ts'
import { guestCollections, guestReturnUrl } from './guests/guest-settlement.ts'
import {
  memberReturnUrl,
  openPaymentOf,
  payFromOutside,
  requireOpen,
  reserveForPayment,
} from './outside/member-payments.ts'
import {
  heldPaymentStep,
  payRequest,
  quoteLink,
  requestOfLink,
  requestPaymentStep,
  requirePossible,
} from './pay-request.ts'
import {
  acceptRequest,
  askForNewLink,
  cancelRequest,
  declineRequest,
  expireDue,
  openLink,
  remindAccepted,
  remindPayer,
} from './request-decisions.ts'
import { listRequests } from './records/request-list.ts'
import { findRequest, inCurrencyOf, type RequestPaymentRow } from './records/request-rows.ts'
import { leftOf } from './records/request-states.ts'
import { linkView, requestView } from './records/request-views.ts'
import { madeSplit, planSplit, requirePayerAt, storeSplit } from './split/create-split.ts'
import { cancelSplit, remindSplit } from './split/split-decisions.ts'
import { listSplits, readSplit } from './split/split-views.ts'
import { findTransaction } from '../wallets/wallets.ts'

/** Payment requests and the links that lead to them. The record decides; a link only names it. */
export function createRequests({
  secret,
  ...options
}: Omit<RequestContext, 'links' | 'receipts'> & { readonly secret: Secret }) {
  const [links, receipts] = [
    createSignedIds(secret, 'tern payment link'),
    createSignedIds(secret, 'tern guest payment'),
  ]
  const context: RequestContext = { ...options, links, receipts }
  return {
    create: bind(context, createPaymentRequest),
    list: bind(context, listRequests),
    details: (caller: Caller, id: string) => readRequest(context, caller, id),
    cancel: bind(context, cancelRequest),
    remind: bind(context, remindPayer),

    link: async (data: string) => linkView(context, await requestOfLink(context, data)),
    open: bind(context, openLink),
    price: (data: string, currency: CurrencyCode) => priceLink(context, data, currency),
    asPayer: (caller: Caller, data: string) => readAsPayer(context, caller, data),
    quote: bind(context, quoteLink),
    pay: bind(context, payRequest),
    payFromOutside: bind(context, payFromOutside),
    decline: bind(context, declineRequest),
    accept: bind(context, acceptRequest),
    askAgain: bind(context, askForNewLink),

    splits: {
      plan: bind(context, planSplit),
      made: bind(context, madeSplit),
      requirePayer: bind(context, requirePayerAt),
      create: bind(context, storeSplit),
      list: bind(context, listSplits),
      details: bind(context, readSplit),
      remind: bind(context, remindSplit),
      cancel: bind(context, cancelSplit),
    },

    payAsGuest: bind(context, beginGuestPayment),
    guestPayment: bind(context, readGuestPayment),
    cancelGuestPayment: bind(context, cancelGuestPayment),
    collections: collectionsOf(context),

    heldPaymentStep: bind(context, heldPaymentStep),
    /** Ends those whose time is over, and reminds payers on the day they chose. */
    async endDue(): Promise<void> {
      await expireDue(context)
      await remindAccepted(context)
    },
  }
}

/** What payments from outside ask of requests. */
const collectionsOf = (context: RequestContext): Collections => ({
  ...guestCollections(context),
  returnUrl: (payment) => (payment.purpose === 'request' ? guestReturnUrl : memberReturnUrl)(context, payment),
  requireOpen: bind(context, requireOpen),
  reserve: bind(context, reserveForPayment),
  ended: ({ id }) => requestPaymentStep(context, 'payment_id', id),
})

export type Requests = ReturnType<typeof createRequests>

/** A request of the caller, or one addressed to them. Refuses `not_found`. */
async function readRequest(context: RequestContext, { userId }: Caller, id: string) {
  const request = await findRequest(context.pool, id)
  const isTheirs = request !== undefined && (request.requester_id === userId || request.payer_id === userId)
  return isTheirs ? requestView(context, userId, id) : refuse('not_found')
}

/** What is left of a request costs this at the rates of now. Refuses what the contract's `priceOfLink` lists. */
async function priceLink(
  context: RequestContext,
  data: string,
  sourceCurrency: CurrencyCode,
): Promise<Reply<typeof priceOfLink>> {
  const { exchange, now } = context
  const request = await requestOfLink(context, data)
  requirePossible(request, 'pay', now())
  const amount = inCurrencyOf(request, leftOf(request))
  const wanted = {
    amount,
    side: 'target',
    sourceCurrency,
    targetCurrency: request.currency,
    useStablecoin: true,
  } as const
  return priceView(exchange.price(wanted), exchange.pairRate(sourceCurrency, request.currency))
}

/** What the caller is to a link. Refuses `link_changed`. */
async function readAsPayer(context: RequestContext, { userId }: Caller, data: string) {
  const request = await requestOfLink(context, data)
  const { rows } = await context.pool.query<Pick<RequestPaymentRow, 'transaction_id'>>(
    'select transaction_id from request_payment where payer_id = $1 and request_id = $2 order by created_at desc limit 100',
    [userId, request.id],
  )
  const payments = await Promise.all(
    rows.map(({ transaction_id: id }) => findTransaction(context.pool, { userId, id })),
  )
  const isRequester = request.requester_id === userId
  const isPayer = !isRequester && (request.payer_id === null || request.payer_id === userId)
  return {
    role: isRequester ? ('requester' as const) : isPayer ? ('payer' as const) : ('other' as const),
    recipient_id: isPayer ? wireId(request.requester_id) : null,
    request_id: isRequester || request.payer_id === userId ? request.id : null,
    accepted_for: request.payer_id === userId ? request.accepted_for : null,
    open_payment: await openPaymentOf(context, userId, request.id),
    payments: payments.filter((payment) => payment !== undefined),
  }
}

/** The function with the context already given. */
const bind =
  <Rest extends unknown[], Result>(
    context: RequestContext,
    work: (context: RequestContext, ...rest: Rest) => Result,
  ): ((...rest: Rest) => Result) =>
  (...rest) =>
    work(context, ...rest)
