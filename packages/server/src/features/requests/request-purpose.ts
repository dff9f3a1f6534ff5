import type { RequestPurpose } from '../payments/payments.ts'
import { type RequestDeps, requestContext } from './context.ts'
import { priceGuestPayment, recordGuestPayment } from './guests/guest-payments.ts'
import {
  authorizeGuestPayment,
  failGuestPayment,
  findGuestReturnUrl,
  settleGuestPayment,
} from './guests/guest-settlement.ts'
import { findMemberReturnUrl, requireOpen, reserveForPayment } from './outside/member-payments.ts'
import { endPayment } from './pay-request.ts'

/**
 * Operations of requests that the payments feature calls. Created before that feature, so it has no access to its
 * operations.
 */
export function createRequestPurpose(deps: RequestDeps): RequestPurpose {
  const ctx = requestContext(deps)
  return {
    findReturnUrl: (db, payment) =>
      payment.purpose === 'request' ? findGuestReturnUrl(ctx, db, payment) : findMemberReturnUrl(ctx, db, payment),
    requireOpen: (db, requestId) => requireOpen(ctx, db, requestId),
    reserve: (tx, reservation) => reserveForPayment(ctx, tx, reservation),
    endMember: async (tx, { payment: { id }, event, at }) => {
      await endPayment(ctx, tx, { column: 'payment_id', id, event, at })
    },
    priceGuest: (pool, order) => priceGuestPayment(ctx, pool, order),
    recordGuest: (tx, order) => recordGuestPayment(ctx, tx, order),
    authorizeGuest: (tx, authorized) => authorizeGuestPayment(ctx, tx, authorized),
    settleGuest: (tx, settled) => settleGuestPayment(ctx, tx, settled),
    failGuest: (tx, failure) => failGuestPayment(ctx, tx, failure),
  }
}
