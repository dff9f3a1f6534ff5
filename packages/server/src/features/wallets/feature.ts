import type { Feature } from '../../manifests/feature.ts'
import { reopenWallet } from './accounts/closing.ts'
import { openWallet, setBaseCurrency } from './accounts/wallet-rows.ts'
import { rowRules } from './audit-rules.ts'
import { restrictedRules } from './restricted/audit-rules.ts'
import { completeBalanceDays } from './history/balance-days.ts'
import { indexTransactions } from './list/transaction-index.ts'
import { notifyMoneyMovements } from './notices/money-notices.ts'
import { walletsRoutes } from './wallets.routes.ts'

export const feature: Feature = {
  name: 'wallets',
  routes: (api, { wallets, prices, transparency, config, pool, now }) =>
    walletsRoutes(api, {
      wallets,
      pool,
      now,
      publicUrl: config.publicUrl,
      issuer: config.issuer,
      prices,
      logProofs: transparency,
    }),
  accountEvents: {
    registered: openWallet,
    kept: (tx, { userId }) => reopenWallet(tx, userId),
    verified: (tx, { userId, baseCurrency }) => setBaseCurrency(tx, { userId, currency: baseCurrency }),
  },
  tasks: [
    { name: 'complete_balance_days', at: '12 * * * *', run: ({ pool, now }) => completeBalanceDays(pool, now()) },
  ],
  followers: [
    {
      in: ['worker'],
      pauseMs: 2000,
      failure: 'transactions were not indexed',
      run: ({ pool }) => indexTransactions(pool),
    },
    {
      in: ['worker'],
      pauseMs: 1000,
      failure: 'recipients were not notified',
      run: ({ identity, notifications, config, pool }) =>
        notifyMoneyMovements({ people: identity, notifications, publicUrl: config.publicUrl }, pool),
    },
  ],
  auditRules: [...rowRules, ...restrictedRules],
}
