import type { Gauge } from '../../manifests/feature.ts'
import { countExceptions } from './records/reconciliation-exceptions.ts'
import { countUnendedPayouts, readOldestPayoutSeconds } from './payouts/unended-payouts.ts'

export const paymentGauges: readonly Gauge[] = [
  {
    name: 'tern_payouts',
    help: 'Payouts that have not ended',
    label: 'status',
    read: ({ pool }) => countUnendedPayouts(pool),
  },
  {
    name: 'tern_payout_oldest_seconds',
    help: 'Age of the oldest payout that has not ended',
    read: ({ pool, now }) => readOldestPayoutSeconds(pool, now()),
  },
  {
    name: 'tern_reconciliation_exceptions',
    help: 'Open reconciliation exceptions',
    label: 'state',
    read: ({ pool, now }) => countExceptions(pool, now()),
  },
]
