import { randomUUID } from 'node:crypto'
import {
  bankAccounts,
  bankLinkStatus,
  checkPayee,
  finishBankLink,
  linkBankAccount,
  payoutStatus,
  withdraw,
} from '@tern/contract/banking'
import { afterAll, expect, test } from 'vitest'
import { startTestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, readRequirement, settleCall } from '@tern/testkit/banking'
import { startStripeDouble, testSecret } from '@tern/testkit/providers/stripe'
import { allowUnconfirmed } from '@tern/testkit/risk'

// Stripe links and pays accounts in Japan; the sandbox only funds wallets.
const stripeDouble = await startStripeDouble()
const world = await startTestApp({
  environment: {
    STRIPE_SECRET_KEY: 'sk_test_double',
    STRIPE_WEBHOOK_SECRET: testSecret,
    STRIPE_FINANCIAL_ACCOUNT: 'fa_1',
    STRIPE_API_URL: stripeDouble.url,
    MONEY_PROVIDERS: 'sandbox method=card; stripe',
  },
})
afterAll(async () => {
  await world.close()
  await stripeDouble.close()
})

interface PayoutAccount {
  readonly recipient: string
  readonly method: string
  readonly last4: string
}

/** Links an account that is only paid out to, as on Stripe's page; returns the link's final state. */
async function link(person: TestPerson, { recipient, method, last4 }: PayoutAccount) {
  stripeDouble.on('POST /v2/core/accounts', { body: { id: recipient, object: 'v2.core.account' } })
  stripeDouble.on('POST /v2/core/account_links', { body: { account: recipient, url: 'https://connect.stripe.com/r' } })
  const { id: confirmation } = readRequirement(await settleCall(person.call(linkBankAccount, { body: {} })))
  await person.confirmAtOnce?.(confirmation)
  const { link_id: linkId } = await person.call(linkBankAccount, { body: {}, confirmation })
  const page = stripeDouble.calls.findLast(({ path }) => path === '/v2/core/account_links')?.json
  const { return_url: returnUrl } = (page as { use_case: { account_onboarding: { return_url: string } } }).use_case
    .account_onboarding
  stripeDouble.on(`GET /v2/core/accounts/${recipient}`, {
    body: { id: recipient, created: new Date().toISOString(), metadata: { link_id: linkId } },
  })
  const bank = { last4, country: 'JP', bank_name: 'Sakura Bank', supported_currencies: ['jpy'] }
  stripeDouble.on('GET /v2/money_management/payout_methods', {
    body: {
      data: [{ id: method, archived: false, bank_account: bank, usage_status: { payments: 'eligible' } }],
      next_page_url: null,
    },
  })
  const secret = new URL(returnUrl).searchParams.get('link_secret') ?? ''
  await person.call(finishBankLink, { params: { id: linkId }, body: { secret } })
  return person.call(bankLinkStatus, { params: { id: linkId } })
}

test('yen are paid from held dollars, and a second link of the same account is recognised', async () => {
  await allowUnconfirmed(world.database.pool)
  const yuki = await world.enroll('yuki', 'Japan')
  await world.fund(yuki, 10_000)
  const linked = await link(yuki, { recipient: 'acct_1', method: 'jpba_1', last4: '0001' })
  expect(linked).toMatchObject({ status: 'linked', bank_account: { currency: 'JPY', last4: '0001' } })
  const bankAccountId = linked.bank_account?.id ?? ''
  expect(await yuki.call(checkPayee, { params: { userId: String(yuki.id), id: bankAccountId } })).toMatchObject({
    result: 'not_possible',
  })

  stripeDouble.on('POST /v2/money_management/outbound_payments', { body: { id: 'obp_1', status: 'processing' } })
  const { payout_id: id } = await yuki.call(withdraw, {
    body: { amount: '7000', currency: 'JPY', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  await world.app.product.payments.submitPayout(id)
  expect(stripeDouble.call('POST /v2/money_management/outbound_payments').json).toMatchObject({
    amount: { value: 7000, currency: 'jpy' },
    from: { financial_account: 'fa_1', currency: 'usd' },
    to: { recipient: 'acct_1', payout_method: 'jpba_1', currency: 'jpy' },
  })
  stripeDouble.on('GET /v2/money_management/outbound_payments/obp_1', {
    body: {
      id: 'obp_1',
      status: 'posted',
      amount: { value: 7000, currency: 'jpy' },
      from: { financial_account: 'fa_1', debited: { value: 4711, currency: 'usd' } },
      metadata: { payout_id: id },
    },
  })
  await world.app.product.payments.askProvider(id)
  expect(await yuki.call(payoutStatus, { params: { id } })).toMatchObject({ status: 'completed' })
  const { rows } = await world.database.pool.query(
    `select amount_minor::int as amount, currency, cost_minor::int as cost, cost_currency from payout_conversion where payout_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ amount: 7000, currency: 'JPY', cost: 4711, cost_currency: 'USD' }])
  expect(await loadFailedChecks(world)).toEqual([])

  const again = await link(yuki, { recipient: 'acct_2', method: 'jpba_2', last4: '0001' })
  expect(again).toMatchObject({ status: 'failed', reason: 'linked_already' })
  expect(await link(yuki, { recipient: 'acct_3', method: 'jpba_3', last4: '0002' })).toMatchObject({ status: 'linked' })
  const accounts = await yuki.call(bankAccounts, { params: { userId: String(yuki.id) } })
  expect(accounts.map(({ last4 }) => last4).toSorted()).toEqual(['0001', '0002'])
})
