import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { money } from '@tern/money/money'
import type { PayoutState } from '@tern/providers/payout/port'
import { expect, test } from 'vitest'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createPaymentsWith, linkAccount } from '@tern/testkit/payments'
import { allowUnconfirmed } from '@tern/testkit/risk'
import { ledgerDifferences } from '../reconciliation/discrepancies.ts'

const world = await openTestApp()

/** Sums per kind and currency: positive for what we owe. */
const loadBalances = async () =>
  (
    await world.database.pool.query<{ kind: string; currency: string; balance: bigint }>(
      `select kind, currency, sum(balance) as balance from ledger.account
        where kind in ('payout_settlement', 'bridge') group by 1, 2 having sum(balance) <> 0 order by 1, 2`,
    )
  ).rows.map(({ kind, currency, balance }) => `${kind} ${currency} ${balance}`)

test('a payout that the provider converts takes the held currency from its balance, and a return gives it back', async () => {
  await allowUnconfirmed(world.database.pool)
  const mia = await world.enroll('mia', 'Japan')
  await world.fund(mia, 10_000)
  const bankAccountId = await linkAccount(world, mia, { currency: 'JPY', country: 'JP' })
  const { payout_id: payoutId } = await mia.call(withdraw, {
    body: { amount: '7000', currency: 'JPY', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  const paid = { payoutId, amount: money('JPY', 7000n), paidId: 'obp_1', cost: money('USD', 4711n) }
  const settled: PayoutState = { status: 'settled', ...paid }
  const returned: PayoutState = {
    ...{ status: 'returned', ...paid, returnId: 'obp_1:returned', reason: 'account_closed' },
    refund: money('USD', 4650n),
  }
  let state: PayoutState = settled
  const payments = createPaymentsWith(world, {
    payout: {
      pay: () => Promise.resolve({ status: 'accepted', providerPayoutId: 'obp_1' }),
      lookup: () => Promise.resolve(state),
    },
  })
  await payments.submitPayout(payoutId)
  const later = () => new Date(world.app.product.now().getTime() + 60_000)
  await payments.checkPendingPayouts(later())
  await payments.checkPendingPayouts(later())
  expect(await loadBalances()).toEqual(['bridge JPY 7000', 'bridge USD -4711', 'payout_settlement USD 4711'])
  expect(await loadFailedChecks(world)).toEqual([])
  expect(await ledgerDifferences(world.database.pool, 'sandbox')).toEqual([])

  state = returned
  await payments.askProvider(payoutId)
  expect(await loadBalances()).toEqual(['bridge USD -61', 'payout_settlement USD 61'])
  expect((await mia.wallet()).fiat_balance).toBe('10000')
  expect(await loadFailedChecks(world)).toEqual([])
  expect(await ledgerDifferences(world.database.pool, 'sandbox')).toEqual([])
})
