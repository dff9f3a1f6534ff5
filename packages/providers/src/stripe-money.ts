import { createStripeBank } from './bank/stripe.ts'
import { createStripeCard } from './card/stripe.ts'
import { createStripeEvents } from './events/stripe.ts'
import type { MoneyProvider } from './money.ts'
import { createStripePayout } from './payout/stripe.ts'
import { createStripeReport } from './report/stripe.ts'
import { ask, connectStripe, type StripeConnection, type StripeSettings } from './stripe-connection.ts'

const hourMs = 3_600_000

/** It promises to keep keys for 24 hours, and those of payouts for 30 days. */
export const stripeKeysKeptMs = { collections: 23 * hourMs, payouts: 25 * 24 * hourMs } as const

/** Moves money at Stripe. */
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

/** Reads the balance, which every usable key may. An answer that never came says nothing about the key. */
async function checkKey(connection: StripeConnection): Promise<string | undefined> {
  const answer = await ask(
    connection,
    async () => ({ status: 'known', balance: await connection.stripe.balance.retrieve() }) as const,
  )
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}
