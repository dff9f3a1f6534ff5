import { isCurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { Stripe } from 'stripe'
import { fault, type Installation, ok, type SetupFinding, warning } from '../setup.ts'
import type { StripeConnection } from '../stripe-connection.ts'
import { look, lookOptions, unseenFinding } from './stripe-failure.ts'

/** Reads the balance, which every usable key may, and compares the mode of the account with that of the product. */
export async function checkKey(
  connection: StripeConnection,
  { isProduction }: Installation,
): Promise<readonly SetupFinding[]> {
  const { keyName = 'STRIPE_SECRET_KEY', stripe } = connection
  const seen = await look(connection, () => stripe.balance.retrieve({}, lookOptions))
  if (seen.status !== 'seen') return [unseenFinding(seen, connection, { resource: 'the balance' })]
  const { livemode, available } = seen.result
  const mode = livemode ? 'live' : 'test'
  if (livemode !== isProduction) {
    const needed = isProduction ? 'live' : 'test'
    return [fault(`It is a key of ${mode} mode.`, `Set ${keyName} to a key of ${needed} mode.`)]
  }
  const negative = available.filter(({ amount }) => amount < 0).map(({ currency }) => currency.toUpperCase())
  if (negative.length > 0) {
    const found = `The key is of ${mode} mode. The balance is negative in ${negative.join(', ')}.`
    return [warning(found, 'Add money to these balances at Stripe: refunds and disputes are taken from them.')]
  }
  return [ok(`The key is of ${mode} mode and reads the balance.`)]
}

/** Reads the financial account that pays withdrawals: its state, the currencies it can hold, and its balances. */
export async function checkFinancialAccount(
  connection: StripeConnection,
  { payoutCurrencies }: Installation,
): Promise<readonly SetupFinding[]> {
  const { financialAccount, stripe } = connection
  if (financialAccount === undefined) {
    const todo = 'Set STRIPE_FINANCIAL_ACCOUNT, or pay withdrawals with another provider.'
    return [warning('STRIPE_FINANCIAL_ACCOUNT is not set: Stripe pays no withdrawals.', todo)]
  }
  const seen = await look(connection, () =>
    stripe.v2.moneyManagement.financialAccounts.retrieve(financialAccount, {}, lookOptions),
  )
  if (seen.status !== 'seen') {
    const found = `Stripe has no financial account ${financialAccount} for this key.`
    const absent = fault(found, 'Set STRIPE_FINANCIAL_ACCOUNT to the id that Stripe shows.')
    return [unseenFinding(seen, connection, { resource: 'Financial Accounts', absent })]
  }
  const { status, storage, balance } = seen.result
  if (status !== 'open') {
    return [fault(`${financialAccount} is ${status}.`, 'Ask Stripe to open it: no withdrawal is paid from it.')]
  }
  const held = new Set((storage?.holds_currencies ?? []).map((code) => code.toUpperCase()))
  return [judgeBalances(financialAccount, held, balance), ...judgeMissing(payoutCurrencies, held)]
}

function judgeBalances(
  account: string,
  held: ReadonlySet<string>,
  { available }: Stripe.V2.MoneyManagement.FinancialAccount.Balance,
): SetupFinding {
  const texts = [...held].map((code) => {
    const value = available[code.toLowerCase()]?.value ?? 0
    return { code, isEmpty: value <= 0, text: formatAmount(code, value) }
  })
  const list = texts.map(({ text }) => text).join(', ') || 'no currency'
  const empty = texts.filter(({ isEmpty }) => isEmpty).map(({ code }) => code)
  if (empty.length === 0 && texts.length > 0) return ok(`${account} is open and has ${list}.`)
  const found = `${account} is open and has ${list}.`
  return warning(found, `Fund it in ${empty.join(', ') || 'a currency'}: withdrawals wait until it can pay them.`)
}

function formatAmount(code: string, value: number): string {
  if (!isCurrencyCode(code) || !Number.isSafeInteger(value)) return `${value} minor units of ${code}`
  return `${toDecimal(money(code, BigInt(value)))} ${code}`
}

function judgeMissing(payoutCurrencies: readonly string[], held: ReadonlySet<string>): SetupFinding[] {
  const missing = payoutCurrencies.filter((code) => !held.has(code))
  if (missing.length === 0) return []
  const todo = 'Ask Stripe to add them, or name another provider for them in PAYOUT_PROVIDERS.'
  return [warning(`It does not hold ${missing.join(', ')}.`, todo)]
}

/** Reads whether Stripe pays the balance out to our bank by itself, which would leave none for refunds and transfers. */
export async function checkPayoutSchedule(connection: StripeConnection): Promise<readonly SetupFinding[]> {
  const { stripe } = connection
  const seen = await look(connection, () => stripe.balanceSettings.retrieve({}, lookOptions))
  if (seen.status !== 'seen') return [unseenFinding(seen, connection, { resource: 'Balance Settings' })]
  const { payouts } = seen.result.payments
  if (payouts?.status === 'disabled') {
    const todo = "Look for Stripe's requests in its dashboard, and answer them."
    return [fault('Stripe does not let this account pay out its balance.', todo)]
  }
  const interval = payouts?.schedule?.interval ?? undefined
  if (interval === undefined) {
    return [unseenFinding({ status: 'absent' }, connection, { resource: 'the payout schedule' })]
  }
  if (interval === 'manual') return [ok('Payouts to the bank account are manual.')]
  return [
    fault(
      `Stripe pays the balance out to the bank account by itself (${interval}).`,
      'Set the payout schedule to manual in the settings of balances at Stripe, and let transfer rules fill the financial account: the balance must cover refunds, disputes and withdrawals.',
    ),
  ]
}
