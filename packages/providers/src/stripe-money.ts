import { createStripeCardProvider } from './collect/stripe-card.ts'
import { createStripeDebitProvider } from './collect/stripe-debit.ts'
import { createStripeEvents } from './events/stripe.ts'
import { createStripeLinkProvider } from './link/stripe.ts'
import type { MoneyProvider } from './money.ts'
import { createStripePayeeProvider } from './payee/stripe.ts'
import { createStripePayoutProvider } from './payout/stripe.ts'
import { createStripeReportProvider } from './report/stripe.ts'
import { createStripeSetup } from './stripe-setup/stripe-setup.ts'
import { callStripe, connectStripe, type StripeConnection, type StripeSettings } from './stripe-connection.ts'

// Shorter than Stripe's promise of 24 hours.
export const stripeKeysKeptMs = 23 * 3_600_000

export async function createStripeMoneyProvider(settings: StripeSettings): Promise<MoneyProvider> {
  const connection = await connectStripe(settings)
  return {
    name: 'stripe',
    collect: {
      keysKeptMs: stripeKeysKeptMs,
      card: createStripeCardProvider(connection),
      debit: createStripeDebitProvider(connection),
    },
    link: createStripeLinkProvider(connection),
    payout: createStripePayoutProvider(connection),
    ...(settings.financialAccount !== undefined && { payee: createStripePayeeProvider(connection) }),
    events: createStripeEvents(connection),
    report: createStripeReportProvider(connection),
    setup: createStripeSetup(connection),
    check: () => checkKey(connection),
  }
}

/** Checks the key by reading the balance, which every usable key may. A missing reply proves nothing about the key. */
async function checkKey(connection: StripeConnection): Promise<string | undefined> {
  const answer = await callStripe(
    connection,
    async () => ({ status: 'known', balance: await connection.stripe.balance.retrieve() }) as const,
  )
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}
