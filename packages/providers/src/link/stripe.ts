import type { CurrencyCode } from '@tern/money/currency'
import type { Stripe } from 'stripe'
import { detach } from '../collect/stripe-card.ts'
import { archivePayoutMethod, findPayoutMethod } from '../payout/stripe-methods.ts'
import { addQuery } from '../return-address.ts'
import { callStripe, readId, order, type StripeConnection, unreadable, expandedObject } from '../stripe-connection.ts'
import { isAccount, readBankToken, writeBankToken } from '../stripe-bank-token.ts'
import { findScheme } from '../stripe-debit-schemes.ts'
import type { LinkedAccount, LinkProvider, LinkRequest, LinkState } from './port.ts'

type DebitableAccount = Omit<LinkedAccount, 'token'> & { readonly connection?: string | undefined }

/** Describes a bank account that may be debited; undefined if unsupported. */
function describe(method: Stripe.PaymentMethod): DebitableAccount | undefined {
  const account = describeAccount(method)
  const holderName = method.billing_details?.name ?? undefined
  return account && (holderName === undefined ? account : { ...account, holderName })
}

function describeAccount(method: Stripe.PaymentMethod): DebitableAccount | undefined {
  const { us_bank_account: usAccount, sepa_debit: sepa, bacs_debit: bacs } = method
  if (usAccount?.fingerprint && usAccount.last4) {
    const { fingerprint, last4, financial_connections_account: link } = usAccount
    const details = {
      fingerprint,
      last4,
      bankName: usAccount.bank_name ?? 'US bank',
      currency: 'USD',
      country: 'US',
    } as const
    return { ...details, connection: link ?? undefined }
  }
  if (sepa?.fingerprint && sepa.last4 && sepa.country) {
    const { fingerprint, last4, country, bank_code: code } = sepa
    return { fingerprint, last4, country, bankName: code ? `Bank ${code}` : 'Bank', currency: 'EUR' }
  }
  if (bacs?.fingerprint && bacs.last4) {
    const { fingerprint, last4, sort_code: code } = bacs
    return { fingerprint, last4, bankName: code ? `Bank ${code}` : 'UK bank', currency: 'GBP', country: 'GB' }
  }
  return undefined
}

/** Builds the Checkout page for consent to debits. Independent of the time, so that the call can be repeated. */
function consentPage(
  { linkId, email, returnUrl, returnSecret }: LinkRequest,
  { type, currency }: { type: 'us_bank_account' | 'bacs_debit' | 'sepa_debit'; currency: CurrencyCode },
  account: string | undefined,
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'setup',
    currency: currency.toLowerCase(),
    allowed_payment_method_types: [type],
    ...(type === 'us_bank_account' && {
      payment_method_options: {
        us_bank_account: { verification_method: 'instant', financial_connections: { permissions: ['payment_method'] } },
      },
    }),
    ...(account === undefined ? { customer_creation: 'always', customer_email: email } : { customer_account: account }),
    client_reference_id: linkId,
    metadata: { link_id: linkId },
    setup_intent_data: { metadata: { link_id: linkId } },
    success_url: addQuery(returnUrl, { linkStatus: 'success', link_id: linkId, link_secret: returnSecret }),
    cancel_url: addQuery(returnUrl, { linkStatus: 'canceled', link_id: linkId }),
  }
}

/** Builds the recipient account for payouts, one per bank-account link; its metadata has the link's id. */
function buildRecipient({ linkId, userReference, holderName, email, country }: LinkRequest, hasConsent: boolean) {
  return {
    contact_email: email,
    display_name: holderName,
    dashboard: 'none',
    identity: { country: country.toLowerCase(), entity_type: 'individual' },
    configuration: {
      customer: {},
      recipient: { capabilities: { bank_accounts: { local: { requested: true } } } },
    },
    include: ['configuration.recipient'],
    metadata: { link_id: linkId, user: userReference, ...(hasConsent && { consent: 'yes' }) },
  } satisfies Stripe.V2.Core.AccountCreateParams
}

/**
 * Creates the recipient account. Where Stripe has no local network, such as in some countries of other continents, it
 * is paid by wire (SWIFT).
 */
async function createRecipient(
  { v2 }: Stripe,
  request: LinkRequest,
  hasConsent: boolean,
): Promise<Stripe.V2.Core.Account> {
  const { idempotencyKey } = request
  const account = await v2.core.accounts.create(buildRecipient(request, hasConsent), {
    idempotencyKey: `${idempotencyKey}:account`,
  })
  const { local } = account.configuration?.recipient?.capabilities?.bank_accounts ?? {}
  if (local?.status !== 'unsupported') return account
  return v2.core.accounts.update(
    account.id,
    { configuration: { recipient: { capabilities: { bank_accounts: { swift: { requested: true } } } } } },
    { idempotencyKey: `${idempotencyKey}:wire` },
  )
}

const linkLifetimeMs = 24 * 3600 * 1000

/** Reads the state of a bank-account link that uses Checkout. */
async function readConsent(connection: StripeConnection, session: Stripe.Checkout.Session): Promise<LinkState> {
  const linkId = session.metadata?.link_id
  if (linkId === undefined || session.mode !== 'setup') return unreadable('a bank link')
  if (session.status === 'expired') return { status: 'canceled', linkId }
  const intent = expandedObject(session.setup_intent)
  if (session.status !== 'complete' || intent?.status === 'processing') return { status: 'open', linkId }
  const method = expandedObject(intent?.payment_method)
  const holder = session.customer_account ?? readId(session.customer)
  const methodDescription = method && describe(method)
  if (intent?.status !== 'succeeded' || !methodDescription || !holder) return { status: 'failed', linkId }
  const { connection: bankConnection, ...account } = methodDescription
  if (!isAccount(holder)) {
    const token = writeBankToken({ holder, paymentMethod: method.id, payoutMethod: undefined })
    return { status: 'linked', linkId, account: { ...account, token } }
  }
  const methodResult = await findPayoutMethod(connection, holder, { ...account, connection: bankConnection })
  if (methodResult.status === 'other') return { status: 'failed', linkId }
  if (methodResult.status === 'none') {
    return { status: session.expires_at * 1000 > Date.now() ? 'open' : 'failed', linkId }
  }
  const token = writeBankToken({ holder, paymentMethod: method.id, payoutMethod: methodResult.id })
  return { status: 'linked', linkId, account: { ...account, bankName: methodResult.bankName, token } }
}

/** Reads the state of a bank-account link for payouts only. */
async function readRecipient(connection: StripeConnection, account: Stripe.V2.Core.Account): Promise<LinkState> {
  const linkId = account.metadata?.link_id
  if (linkId === undefined) return unreadable('a bank link')
  const methodResult = await findPayoutMethod(connection, account.id)
  if (methodResult.status !== 'found') {
    const isOver = new Date(account.created).getTime() + linkLifetimeMs < Date.now()
    return { status: isOver ? 'canceled' : 'open', linkId }
  }
  const { id, bankName, last4, currency, country } = methodResult
  const token = writeBankToken({ holder: account.id, paymentMethod: undefined, payoutMethod: id })
  return {
    status: 'linked',
    linkId,
    account: { token, fingerprint: id, isFingerprintOfLink: true, bankName, last4, currency, country },
  }
}

/**
 * Links bank accounts at Stripe. In countries where Stripe can debit accounts, the person consents to debits in
 * Checkout. If we pay out (`financialAccount`), the person first enters the account for payouts on Stripe's own page,
 * except in the United States, where Stripe pays out to the consented account. An account is linked only after all of
 * these steps.
 */
export function createStripeLinkProvider(connection: StripeConnection): LinkProvider {
  const { checkout, v2 } = connection.stripe
  const isPayoutEnabled = connection.financialAccount !== undefined

  async function begin(request: LinkRequest): Promise<{ sessionId: string; url: string | null }> {
    const { idempotencyKey, linkId, returnUrl, returnSecret, country } = request
    const scheme = findScheme(country)
    const person = isPayoutEnabled ? await createRecipient(connection.stripe, request, scheme !== undefined) : undefined
    const session =
      scheme && (await checkout.sessions.create(consentPage(request, scheme, person?.id), { idempotencyKey }))
    const sessionId = session?.id ?? person?.id ?? ''
    if (!person || country === 'US') return { sessionId, url: session?.url ?? null }
    const link = await v2.core.accountLinks.create(
      {
        account: person.id,
        use_case: {
          type: 'account_onboarding',
          account_onboarding: {
            return_url:
              session?.url ??
              addQuery(returnUrl, { linkStatus: 'success', link_id: linkId, link_secret: returnSecret }),
            refresh_url: addQuery(returnUrl, { linkStatus: 'canceled', link_id: linkId }),
          },
        },
      },
      { idempotencyKey: `${idempotencyKey}:page` },
    )
    return { sessionId, url: link.url }
  }

  return {
    async beginLink(request) {
      if (!isPayoutEnabled && !findScheme(request.country)) {
        return { status: 'refused', reason: 'The payment provider links no bank accounts of this country.' }
      }
      return order(connection, async () => {
        const { sessionId, url } = await begin(request)
        return sessionId !== '' && url ? { status: 'created', sessionId, url } : unreadable('a new bank link')
      })
    },

    lookupLink: (sessionId) =>
      callStripe(connection, async () => {
        if (isAccount(sessionId)) return readRecipient(connection, await v2.core.accounts.retrieve(sessionId))
        const session = await checkout.sessions.retrieve(sessionId, { expand: ['setup_intent.payment_method'] })
        return readConsent(connection, session)
      }),

    async unlink(token) {
      const bankToken = readBankToken(token)
      if (!bankToken) return true
      const isDetached = bankToken.paymentMethod === undefined || (await detach(connection, bankToken.paymentMethod))
      return isDetached && (await archivePayoutMethod(connection, bankToken))
    },
  }
}
