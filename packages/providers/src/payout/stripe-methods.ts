import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import type { Stripe } from 'stripe'
import { toFailure, type StripeConnection } from '../stripe-connection.ts'

/** Bank account to find among a recipient's payout methods. */
interface TargetAccount {
  readonly last4: string
  readonly country: string
  readonly currency: CurrencyCode
  /** Stripe's id of the bank connection, if the account was selected at the bank itself. */
  readonly connection?: string | undefined
}

type MethodResult =
  | { status: 'found'; id: string; bankName: string; last4: string; currency: CurrencyCode; country: string }
  /** No usable payout method has been provided so far. */
  | { status: 'none' }
  /** Only another account has been provided. */
  | { status: 'other' }

function isSame(bank: Stripe.V2.MoneyManagement.PayoutMethod.BankAccount, target: TargetAccount): boolean {
  const linkedAccount = bank.financial_connections_account
  if (target.connection !== undefined && linkedAccount !== undefined) return linkedAccount === target.connection
  return bank.last4 === target.last4 && bank.country.toUpperCase() === target.country.toUpperCase()
}

/**
 * Finds a bank account that a person has provided for payouts: `target`, if given, or any. An account provided only for
 * debits is enabled for payouts first.
 */
export async function findPayoutMethod(
  { stripe }: StripeConnection,
  account: string,
  target?: TargetAccount,
): Promise<MethodResult> {
  const requestOptions = { stripeContext: account }
  let hasOtherAccount = false
  for await (const listed of stripe.v2.moneyManagement.payoutMethods.list({ limit: 20 }, requestOptions)) {
    const { bank_account: bank, archived, restricted } = listed
    if (!bank || archived || restricted) continue
    if (target && !isSame(bank, target)) {
      hasOtherAccount = true
      continue
    }
    const isReady =
      listed.usage_status.payments === 'eligible' ||
      (listed.usage_status.payments === 'disabled' && (await preparePayoutMethod(stripe, listed.id, account)))
    const code = target?.currency ?? chooseCurrency(bank)
    if (!isReady || !isCurrencyCode(code)) continue
    return {
      status: 'found',
      id: listed.id,
      bankName: bank.bank_name,
      last4: bank.last4,
      currency: code,
      country: bank.country.toUpperCase(),
    }
  }
  return { status: hasOtherAccount ? 'other' : 'none' }
}

/** Currencies of countries whose accounts may take several. */
const localCurrencies: Readonly<Record<string, CurrencyCode>> = {
  AU: 'AUD',
  BR: 'BRL',
  CA: 'CAD',
  DE: 'EUR',
  FR: 'EUR',
  GB: 'GBP',
  IN: 'INR',
  JP: 'JPY',
  SG: 'SGD',
  US: 'USD',
}

/** The country's own currency if the account takes it, else the first that it takes. */
function chooseCurrency({ country, supported_currencies }: Stripe.V2.MoneyManagement.PayoutMethod.BankAccount): string {
  const currencies = supported_currencies.map((currency) => currency.toUpperCase())
  const local = localCurrencies[country.toUpperCase()] ?? ''
  return (currencies.includes(local) ? local : currencies[0]) ?? ''
}

async function preparePayoutMethod(stripe: Stripe, payoutMethod: string, account: string): Promise<boolean> {
  const intent = await stripe.v2.moneyManagement.outboundSetupIntents.create(
    { payout_method: payoutMethod, usage_intent: 'payment' },
    { stripeContext: account, idempotencyKey: `ready:${payoutMethod}` },
  )
  return intent.status === 'succeeded'
}

/** Disables payouts to a linked account. Returns true if they are disabled now. */
export async function archivePayoutMethod(
  connection: StripeConnection,
  { holder, payoutMethod }: { holder: string; payoutMethod: string | undefined },
): Promise<boolean> {
  if (payoutMethod === undefined) return true
  try {
    const { archived } = await connection.stripe.v2.moneyManagement.payoutMethods.archive(
      payoutMethod,
      {},
      { stripeContext: holder, idempotencyKey: `archive:${payoutMethod}` },
    )
    return archived
  } catch (error) {
    const { code } = toFailure(connection, error)
    return code === 'not_found' || code === 'resource_missing'
  }
}
