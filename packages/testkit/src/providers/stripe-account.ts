// Double of a whole account at Stripe: permissions of a restricted key, event destinations, financial account, balance
// settings, in the formats of the API. Like Stripe, it checks the key's permission before it looks for an object.

import { randomBytes } from 'node:crypto'
import { payoutEventTypes, snapshotEventTypes, identityEventTypes } from '@tern/providers/events/stripe-event-types'
import { startStripeDouble, stripeError, type StripeAnswer, type StripeCall, type StripeDouble } from './stripe.ts'

/** Permissions by route, as Stripe calls them. */
const permissionByRoute: Readonly<Record<string, string>> = {
  'POST /v1/checkout/sessions/cs_tern_doctor/expire': 'rak_checkout_session_write',
  'POST /v1/payment_intents/pi_tern_doctor/cancel': 'rak_payment_intent_write',
  'POST /v1/payment_methods/pm_tern_doctor/detach': 'rak_payment_method_write',
  'POST /v1/customers/cus_tern_doctor': 'rak_customer_write',
  'GET /v1/charges': 'rak_charge_read',
  'GET /v1/refunds': 'rak_refund_read',
  'GET /v1/disputes': 'rak_dispute_read',
  'GET /v1/radar/early_fraud_warnings': 'rak_radar_early_fraud_warning_read',
  'GET /v2/money_management/transaction_entries': 'rak_financial_account_transactions_read',
  'GET /v1/balance_transactions': 'rak_balance_transaction_source_read',
  'GET /v1/balance': 'rak_balance_read',
  'GET /v1/balance_settings': 'rak_balance_settings_read',
  'GET /v1/webhook_endpoints': 'rak_webhook_read',
  'GET /v2/core/event_destinations': 'rak_event_destinations_read',
  'POST /v2/core/accounts/acct_ternDoctor': 'rak_v2_accounts_write',
  'POST /v2/money_management/payout_methods/usba_tern_doctor/archive': 'rak_payout_methods_write',
  'POST /v2/money_management/outbound_setup_intents/usi_tern_doctor/cancel': 'rak_outbound_setup_intents_write',
  'POST /v2/money_management/recipient_verifications/recv_tern_doctor/acknowledge': 'rak_recipient_verifications_write',
  'POST /v2/money_management/outbound_payments/obp_tern_doctor/cancel': 'rak_outbound_payments_write',
  'POST /v1/identity/verification_sessions/vs_tern_doctor/cancel': 'rak_identity_verification_session_write',
  'GET /v1/identity/verification_sessions': 'rak_identity_verification_session_read',
}

export interface StripeDestination {
  id: string
  url: string
  event_payload: 'snapshot' | 'thin'
  enabled_events: readonly string[]
  snapshot_api_version?: string
  status: 'enabled' | 'disabled'
}

export const doubleApiVersion = '2026-10-28.endive'
export const doubleFinancialAccount = 'fa_test_double'

/** Returns an account in which nothing is wrong. */
const createSoundAccount = (webhookUrl: string) => ({
  livemode: true,
  isKeyValid: true,
  /** Permissions that the key lacks. */
  missing: new Set<string>(),
  /** Answers with the status and no readable body instead of anything else. */
  outage: undefined as number | undefined,
  isSilent: false,
  /** Answers every order as if it had been carried out. */
  isLying: false,
  /** Milliseconds by which the clock of the account's `Date` header is ahead. */
  clockAheadMs: 0,
  destinations: [
    {
      id: 'we_snapshot',
      url: webhookUrl,
      event_payload: 'snapshot',
      enabled_events: [...snapshotEventTypes],
      snapshot_api_version: doubleApiVersion,
      status: 'enabled',
    },
    { id: 'ed_thin', url: webhookUrl, event_payload: 'thin', enabled_events: [...payoutEventTypes], status: 'enabled' },
  ] as StripeDestination[],
  endpoints: [
    {
      id: 'we_identity',
      url: webhookUrl,
      enabled_events: [...identityEventTypes] as string[],
      api_version: doubleApiVersion as string | null,
      status: 'enabled',
    },
  ],
  available: { usd: 1_000_000, eur: 500_000 } as Record<string, number>,
  financial: {
    status: 'open',
    holds: ['usd', 'gbp', 'cad', 'aud', 'eur', 'jpy', 'sgd', 'inr', 'brl'],
    available: { usd: 5_000_000, gbp: 1, cad: 1, aud: 1, eur: 1, jpy: 1, sgd: 1, inr: 1, brl: 1 } as Record<
      string,
      number
    >,
  },
  payouts: { interval: 'manual' as string | null, status: 'enabled' },
  /** Person on every document that is shown, and their birth date. */
  document: { first_name: 'Ana', last_name: 'Silva', dob: { year: 1990, month: 2, day: 3 } },
  /** Verified sessions; without results if the key may not read them. */
  sessions: [{ hasResults: true }],
})

export type StripeAccount = ReturnType<typeof createSoundAccount>

const v1List = (url: string, data: readonly object[]): StripeAnswer => ({
  body: { object: 'list', url, has_more: false, data },
})

const v2List = (data: readonly object[]): StripeAnswer => ({
  body: { data, next_page_url: null, previous_page_url: null },
})

const forbidden = (permission: string): StripeAnswer =>
  stripeError(403, {
    message: `The provided key 'rk_live_*********************2bCd' does not have the required permissions for this endpoint on account 'acct_1DoubleAccount'. Having the '${permission}' permission would allow this request to continue.`,
  })

const noSuchObject = ({ path }: StripeCall): StripeAnswer =>
  path.startsWith('/v2/')
    ? { status: 404, body: { error: { code: 'not_found', message: 'Object not found.' } } }
    : stripeError(404, { code: 'resource_missing', message: 'No such object', param: 'id' })

/** Starts the account; `account` is its state, which tests change. */
export async function startStripeAccount(webhookUrl: string) {
  const double = await startStripeDouble()
  const account = createSoundAccount(webhookUrl)
  for (const [route, permission] of Object.entries(permissionByRoute)) {
    double.on(route, (call) => answer(account, call, permission))
  }
  for (const id of [doubleFinancialAccount, 'fa_other']) {
    const route = `GET /v2/money_management/financial_accounts/${id}`
    double.on(route, (call) => answer(account, call, 'rak_financial_accounts_read'))
  }
  double.on('POST /v1/identity/verification_sessions', (call) => startSession(double, account, call))
  return {
    ...double,
    account,
    /** Puts everything in order again. */
    reset: () => void Object.assign(account, createSoundAccount(webhookUrl)),
  }
}

/** Answers a call that the key permits with `granted`, or with what the account contains. */
function answer(account: StripeAccount, call: StripeCall, permission: string, granted?: StripeAnswer): StripeAnswer {
  if (account.isSilent) return 'silence'
  const headers = { date: new Date(Date.now() + account.clockAheadMs).toUTCString() }
  const content = findObstacle(account, permission) ?? granted ?? answerContent(account, call)
  return content === 'silence' ? content : { ...content, headers }
}

/** Starts a check of identity whose document is accepted at once, and answers requests about it from then on. */
function startSession(double: StripeDouble, account: StripeAccount, call: StripeCall): StripeAnswer {
  const id = `vs_${randomBytes(12).toString('hex')}`
  const { livemode, document } = account
  const base = { id, object: 'identity.verification_session', livemode, type: 'document', redaction: null }
  const { client_reference_id: reference = null } = call.fields
  const session = { ...base, client_reference_id: reference, metadata: {}, last_error: null }
  const path = `/v1/identity/verification_sessions/${id}`
  double.on(`GET ${path}`, (read) =>
    answer(account, read, 'rak_identity_verification_session_read', {
      body: { ...session, status: 'verified', url: null, verified_outputs: document },
    }),
  )
  const url = `https://verify.stripe.com/start/${id}`
  return answer(account, call, 'rak_identity_verification_session_write', {
    body: { ...session, status: 'requires_input', url, verified_outputs: null },
  })
}

const describeDestination = (
  { url, ...destination }: StripeDestination,
  livemode: boolean,
  isUrlIncluded: boolean,
) => ({
  object: 'v2.core.event_destination',
  type: 'webhook_endpoint',
  name: 'Tern',
  description: '',
  livemode,
  created: '2026-11-01T08:00:00.000Z',
  updated: '2026-11-01T08:00:00.000Z',
  ...destination,
  webhook_endpoint: isUrlIncluded ? { url } : {},
})

const describeEndpoint = (endpoint: StripeAccount['endpoints'][number], livemode: boolean) => ({
  object: 'webhook_endpoint',
  livemode,
  application: null,
  ...endpoint,
})

const describeSession = ({ hasResults }: StripeAccount['sessions'][number], livemode: boolean) => ({
  id: 'vs_1',
  object: 'identity.verification_session',
  livemode,
  status: 'verified',
  ...(hasResults ? { verified_outputs: { first_name: 'Ana', last_name: 'Silva' } } : {}),
})

const describeBalance = ({ livemode, available }: StripeAccount) => ({
  object: 'balance',
  livemode,
  available: Object.entries(available).map(([currency, amount]) => ({ amount, currency, source_types: {} })),
  pending: [],
})

const describeBalanceSettings = ({ payouts: { interval, status } }: StripeAccount) => ({
  object: 'balance_settings',
  payments: {
    debit_negative_balances: true,
    payouts: {
      automatic_transfer_rules_by_currency: null,
      minimum_balance_by_currency: null,
      schedule: interval === null ? null : { interval },
      statement_descriptor: null,
      status,
    },
    settlement_timing: { delay_days: 2, start_of_day: null },
  },
})

const dayMs = 86_400_000

/** Top-ups of yesterday, which filled the payments balance. */
const listTopUps = ({ available }: StripeAccount) =>
  Object.entries(available).map(([currency, amount]) => ({
    id: `txn_topup_${currency}`,
    object: 'balance_transaction',
    amount,
    currency,
    fee: 0,
    net: amount,
    type: 'topup',
    status: 'available',
    balance_type: 'payments',
    source: null,
    created: Math.floor((Date.now() - dayMs) / 1000), // not money: a time
  }))

/** Transfers of yesterday from the operator's bank, which filled the financial account. */
const listCredits = ({ financial }: StripeAccount) =>
  Object.entries(financial.available).map(([currency, value]) => {
    const created = new Date(Date.now() - dayMs).toISOString()
    return {
      id: `trxne_credit_${currency}`,
      object: 'v2.money_management.transaction_entry',
      created,
      effective_at: created,
      balance_impact: {
        available: { value, currency },
        inbound_pending: { value: 0, currency },
        outbound_pending: { value: 0, currency },
      },
      transaction_details: { category: 'received_credit', financial_account: doubleFinancialAccount, flow: null },
    }
  })

function describeFinancialAccount({ financial, livemode }: StripeAccount) {
  const amounts = Object.entries(financial.available).map(([currency, value]) => [currency, { value, currency }])
  return {
    id: doubleFinancialAccount,
    object: 'v2.money_management.financial_account',
    type: 'storage',
    status: financial.status,
    country: 'US',
    livemode,
    created: '2026-11-01T08:00:00.000Z',
    storage: { holds_currencies: financial.holds },
    balance: { available: Object.fromEntries(amounts) as object, inbound_pending: {}, outbound_pending: {} },
  }
}

/** Returns the answer to a call that fails because of the account or its key. */
function findObstacle(account: StripeAccount, permission: string): StripeAnswer | undefined {
  if (account.outage !== undefined) return stripeError(account.outage, { type: 'api_error', message: 'An error' })
  if (!account.isKeyValid) return stripeError(401, { message: 'Invalid API Key provided: rk_live_*********2bCd' })
  return account.missing.has(permission) ? forbidden(permission) : undefined
}

function answerContent(account: StripeAccount, call: StripeCall): StripeAnswer {
  if (call.method === 'POST') return account.isLying ? { body: { id: 'done' } } : noSuchObject(call)
  const { livemode, destinations, endpoints, sessions } = account
  const { path, fields } = call
  const isUrlIncluded = Object.keys(fields).some((name) => name.startsWith('include'))
  switch (path) {
    case '/v1/balance':
      return { body: describeBalance(account) }
    case '/v1/balance_transactions':
      return v1List(path, listTopUps(account))
    case '/v2/money_management/transaction_entries':
      return v2List(listCredits(account))
    case '/v1/balance_settings':
      return { body: describeBalanceSettings(account) }
    case '/v2/core/event_destinations':
      return v2List(destinations.map((each) => describeDestination(each, livemode, isUrlIncluded)))
    case '/v1/webhook_endpoints':
      return v1List(
        path,
        endpoints.map((each) => describeEndpoint(each, livemode)),
      )
    case '/v1/identity/verification_sessions':
      return v1List(
        path,
        sessions.map((each) => describeSession(each, livemode)),
      )
    case `/v2/money_management/financial_accounts/${doubleFinancialAccount}`:
      return { body: describeFinancialAccount(account) }
    case '/v2/money_management/financial_accounts/fa_other':
      return noSuchObject(call)
    default:
      return path.startsWith('/v2/') ? v2List([]) : v1List(path, [])
  }
}
