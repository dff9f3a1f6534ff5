import type { StripeConnection } from '../stripe-connection.ts'
import { look, lookOptions } from './stripe-failure.ts'

/** Returns Stripe's clock from the `Date` header of an answer, which errors have too. */
export async function readStripeClock(connection: StripeConnection): Promise<Date | undefined> {
  const seen = await look(connection, () => connection.stripe.balance.retrieve({}, lookOptions))
  const text = seen.status === 'seen' ? seen.result.lastResponse.headers['date'] : undefined
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at
}
