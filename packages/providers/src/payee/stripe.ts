import type { Stripe } from 'stripe'
import { readBankToken } from '../stripe-bank-token.ts'
import { order, type StripeConnection, unreadable } from '../stripe-connection.ts'
import type { PayeeOutcome, PayeeProvider, PayeeScheme } from './port.ts'

type Verification = Stripe.V2.MoneyManagement.RecipientVerification

/** Countries whose banks confirm names to Stripe, and the scheme they use. */
const schemes: Readonly<Record<string, PayeeScheme>> = {
  GB: 'confirmation_of_payee',
  DE: 'verification_of_payee',
  FR: 'verification_of_payee',
}

function readVerification(verification: Verification, scheme: PayeeScheme): PayeeOutcome | undefined {
  const { id: reference, match_result: result, match_result_details: details, expires_at: expires } = verification
  const expiresAt = expires === undefined || expires === null ? undefined : new Date(expires)
  const facts = { scheme, reference, comparedName: details.provided_name, expiresAt }
  if (result === 'close_match') return { ...facts, status: result, knownName: details.matched_name }
  if (result === 'match' || result === 'no_match') return { ...facts, status: result }
  return result === 'unavailable' ? { ...facts, status: 'not_possible' } : undefined
}

/**
 * Verifies payees by Stripe's recipient verifications: Confirmation of Payee in the United Kingdom, Verification of
 * Payee in the European Union. Stripe compares the name that the person entered on its page.
 */
export function createStripePayeeProvider(connection: StripeConnection): PayeeProvider {
  const { recipientVerifications } = connection.stripe.v2.moneyManagement
  return {
    async verify({ accountToken, country }) {
      const scheme = schemes[country]
      const account = readBankToken(accountToken)
      if (scheme === undefined || account?.payoutMethod === undefined) return { status: 'not_possible', scheme: 'none' }
      const { holder: recipient, payoutMethod } = account
      const answer = await order(connection, async () => {
        const verification = await recipientVerifications.create({ recipient, payout_method: payoutMethod })
        return readVerification(verification, scheme) ?? unreadable('a payee')
      })
      return answer.status === 'refused' ? { status: 'not_possible', scheme } : answer
    },
  }
}

/** Acknowledges a mismatch at Stripe, where that is required before the payment. */
export async function acknowledgePayee({ stripe }: StripeConnection, reference: string): Promise<void> {
  const { recipientVerifications } = stripe.v2.moneyManagement
  const { status } = await recipientVerifications.retrieve(reference)
  if (status !== 'awaiting_acknowledgement') return
  await recipientVerifications.acknowledge(reference, {}, { idempotencyKey: `acknowledge:${reference}` })
}
