import { createStripeBank } from './bank/stripe.ts'
import { createStripeCard } from './card/stripe.ts'
import { createStripeEvents } from './events/stripe.ts'
import type { MoneyProvider } from './money.ts'
import { createStripePayout } from './payout/stripe.ts'
import { createStripeReport } from './report/stripe.ts'
import { ask, connectStripe, type StripeConnection, type StripeSettings } from './stripe-connection.ts'

const hourMs = 3_600_000

/** Shorter than Stripe's promises: 24 hours for keys, 30 days for those of payouts. */
export const stripeKeysKeptMs = { collections: 23 * hourMs, payouts: 25 * 24 * hourMs } as const

export async function createStripeMoney(settings: StripeSettings): Promise<MoneyProvider> {
  const connection = await connectStripe(settings)
  return {
    name: 'stripe',
    keysKeptMs: stripeKeysKeptMs,
    card: createStripeCard(connection),
    bank: createStripeBank(connection),
    payout: createStripePayout(connection),
    events: createStripeEvents(connection),
    report: createStripeReport(connection),
    check: () => checkKey(connection),
  }
}

/** Checks the key by reading the balance, which every usable key may. A missing reply says nothing about the key. */
async function checkKey(connection: StripeConnection): Promise<string | undefined> {
  const answer = await ask(
    connection,
    async () => ({ status: 'known', balance: await connection.stripe.balance.retrieve() }) as const,
  )
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}
