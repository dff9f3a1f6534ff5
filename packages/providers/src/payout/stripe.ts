import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import type { Stripe } from 'stripe'
import type { KnownOutcome } from '../outcome.ts'
import { readBankToken } from '../stripe-bank-token.ts'
import {
  callStripe,
  toFailure,
  fromStripeAmount,
  amountRefused,
  order,
  type StripeConnection,
  toStripe,
  unreadable,
} from '../stripe-connection.ts'
import type { PayoutProvider, PayoutState } from './port.ts'

type OutboundPayment = Stripe.V2.MoneyManagement.OutboundPayment

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
    const code = target?.currency ?? bank.supported_currencies[0]?.toUpperCase() ?? ''
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

/** Parses an outbound payment of one of our payouts; undefined if it is not ours or unreadable. */
export function readOutbound(payment: OutboundPayment): KnownOutcome<PayoutState> | undefined {
  const { id, status, status_details: details, metadata } = payment
  const payoutId = metadata?.payout_id
  if (payoutId === undefined) return undefined
  if (status === 'failed' || status === 'canceled') {
    return { status: 'failed', payoutId, reason: details?.failed?.reason ?? status }
  }
  if (status === 'processing') return { status: 'open', payoutId }
  const amount = fromStripeAmount(payment.amount.value, payment.amount.currency)
  if (!amount) return undefined
  if (status === 'posted') return { status: 'settled', payoutId, amount, paidId: id }
  const reason = details?.returned?.reason ?? 'returned'
  return { status: 'returned', payoutId, amount, paidId: id, returnId: deriveReturnId(payment), reason }
}

/** Builds an id for a payment's return, because Stripe assigns none. */
export const deriveReturnId = ({ id }: OutboundPayment): string => `${id}:returned`

/** Returns the statement text: 3 to 22 plain characters, or the default of our Stripe account if too few remain. */
function buildStatement(description: string): { statement_descriptor?: string } {
  const plain = description
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9 .-]/g, '')
    .trim()
    .slice(0, 22)
    .trim()
  return plain.length >= 3 ? { statement_descriptor: plain } : {}
}

/** Returns the state of a payout, by Stripe's id of it. */
export const lookupOutbound = (connection: StripeConnection, id: string): Promise<PayoutState> =>
  callStripe(connection, async () => {
    const payment = await connection.stripe.v2.moneyManagement.outboundPayments.retrieve(id)
    return readOutbound(payment) ?? unreadable('a payout')
  })

// Shorter than Stripe's promise of 30 days.
export const stripePayoutKeysKeptMs = 25 * 24 * 3_600_000

/** Payouts through Stripe's Global Payouts: from our financial account directly to a person's bank account. */
export function createStripePayoutProvider(connection: StripeConnection): PayoutProvider {
  const { stripe, financialAccount } = connection
  return {
    keysKeptMs: stripePayoutKeysKeptMs,
    async pay({ payoutId, amount: payoutAmount, accountToken, description, idempotencyKey }) {
      const amount = toStripe(payoutAmount)
      const to = readBankToken(accountToken)
      if (!amount) return amountRefused
      if (financialAccount === undefined || to?.payoutMethod === undefined) {
        return { status: 'refused', reason: 'The payment provider cannot pay out to this account.' }
      }
      const { currency } = amount
      const params: Stripe.V2.MoneyManagement.OutboundPaymentCreateParams = {
        amount,
        from: { financial_account: financialAccount, currency },
        to: { recipient: to.holder, payout_method: to.payoutMethod, currency },
        description,
        metadata: { payout_id: payoutId },
        recipient_notification: { setting: 'none' },
        ...buildStatement(description),
      }
      return order(connection, async () => {
        const { id } = await stripe.v2.moneyManagement.outboundPayments.create(params, { idempotencyKey })
        return { status: 'accepted', providerPayoutId: id }
      })
    },
    lookup: (providerPayoutId) => lookupOutbound(connection, providerPayoutId),
  }
}
