const checkoutLifetimeMs = 3_600_000
// Stripe requires an expiry at least half an hour ahead.
const maxAgeMs = 25 * 60_000

/**
 * Returns the expiry of a payment's page: an hour after the payment was created, according to its id (UUIDv7).
 * Undefined for ids that differ from the real time by more than 25 minutes, as after a clock change.
 */
export function findCheckoutExpiry(paymentId: string): Date | undefined {
  const begunAt = Number.parseInt(paymentId.replaceAll('-', '').slice(0, 12), 16)
  if (paymentId[14] !== '7' || Math.abs(Date.now() - begunAt) > maxAgeMs) return undefined // not money: a time
  return new Date(begunAt + checkoutLifetimeMs)
}
