// Checks of the Stripe account for money: key, permissions, event destinations, financial account, payout schedule.

import { payoutEventTypes, snapshotEventTypes } from '../events/stripe-event-types.ts'
import type { Installation, ProviderSetup, SetupFinding } from '../setup.ts'
import type { StripeConnection } from '../stripe-connection.ts'
import { checkFinancialAccount, checkKey, checkPayoutSchedule } from './accounts.ts'
import { checkDestinations } from './destinations.ts'
import { checkPermissions, listMoneyPermissions } from './permissions.ts'
import { readStripeClock } from './stripe-clock.ts'

export function createStripeSetup(connection: StripeConnection): ProviderSetup {
  const expected = [
    { payload: 'snapshot', types: snapshotEventTypes },
    ...(connection.financialAccount === undefined ? [] : [{ payload: 'thin', types: payoutEventTypes } as const]),
  ] as const
  const checks: Readonly<Record<string, (installation: Installation) => Promise<readonly SetupFinding[]>>> = {
    key: (installation) => checkKey(connection, installation),
    permissions: () => checkPermissions(connection, listMoneyPermissions(connection)),
    webhooks: (installation) =>
      checkDestinations(connection, installation, { expected, secretName: 'STRIPE_WEBHOOK_SECRET' }),
    financial_account: (installation) => checkFinancialAccount(connection, installation),
    payout_schedule: () => checkPayoutSchedule(connection),
  }
  return {
    topics: [
      { name: 'key', tried: "Reads the account's balance with STRIPE_SECRET_KEY." },
      { name: 'permissions', tried: 'Tries each permission of STRIPE_SECRET_KEY.' },
      { name: 'webhooks', tried: "Lists Stripe's event destinations." },
      { name: 'financial_account', tried: 'Reads the financial account that pays withdrawals.' },
      { name: 'payout_schedule', tried: "Reads Stripe's schedule of payouts to the bank account." },
    ],
    check: async (topic, installation) => (await checks[topic]?.(installation)) ?? [],
    readClock: () => readStripeClock(connection),
  }
}
