import { callStripe, type StripeConnection } from '../stripe-connection.ts'
import type { ReportProvider } from './port.ts'
import { readFinancialAccount, readFinancialBalances } from './stripe-financial-account.ts'
import { readPaymentsBalance, readPaymentsBalances } from './stripe-payments-balance.ts'

const byTime = (a: { readonly occurredAt: Date }, b: { readonly occurredAt: Date }): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime()

/** Stripe's payments balance, and our financial account there. */
export function createStripeReportProvider(connection: StripeConnection): ReportProvider {
  return {
    lines: (from, until) =>
      callStripe(connection, async () => {
        const payments = await readPaymentsBalance(connection, { from, until })
        const payouts = await readFinancialAccount(connection, { from, until })
        return {
          status: 'known',
          lines: [...payments.lines, ...payouts.lines].toSorted(byTime),
          own: [...payments.own, ...payouts.own].toSorted(byTime),
          pending: payments.pending,
        }
      }),
    balances: () =>
      callStripe(connection, async () => ({
        status: 'known',
        balances: [...(await readPaymentsBalances(connection)), ...(await readFinancialBalances(connection))],
      })),
  }
}
