import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { lossRules } from './losses/audit-rules.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import { createLookUp } from '../wallets/wallets.ts'
import { exceptionsQueue } from './desk/exceptions-queue.ts'
import { payoutsQueue } from './desk/payouts-queue.ts'
import { paymentGauges } from './gauges.ts'
import { bankingRoutes, paymentsRoutes } from './payments.routes.ts'
import { readCardMoneyRule } from './payouts/card-money-rule.ts'

export const feature: Feature = {
  name: 'payments',
  routes(api, product) {
    paymentsRoutes(api, product, createLookUp(api, product))
    bankingRoutes(api, product.payments)
  },
  tasks: [
    { name: 'check_pending_payments', at: '* * * * *', run: ({ payments }) => payments.checkPendingPayments() },
    { name: 'check_pending_payouts', at: '* * * * *', run: ({ payments }) => payments.checkPendingPayouts() },
    { name: 'check_pending_links', at: '* * * * *', run: ({ payments }) => payments.checkPendingLinks() },
    { name: 'release_warned_money', at: '* * * * *', run: ({ payments }) => payments.releaseWarnedMoney() },
    { name: 'reconcile', at: '41 3 * * *', run: ({ payments }) => payments.reconcile() },
  ],
  jobs: [
    {
      name: 'submit_payout',
      atOnce: 4,
      hasOwnRunner: true,
      run: ({ payments }, payload) => payments.submitPayout(readJobId(payload, 'payoutId')),
    },
  ],
  gauges: paymentGauges,
  deskQueues: [exceptionsQueue, payoutsQueue],
  publishedRules: async ({ pool }) => ({ cardMoney: await readCardMoneyRule(pool) }),
  auditRules: [...auditRules, ...lossRules],
}
