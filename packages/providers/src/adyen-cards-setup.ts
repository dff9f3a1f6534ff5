// Checks of our merchant account at Adyen: key, account, webhook, and what cannot be compared there.

import { type AdyenCardSettings, adyenCheckoutVersion } from './adyen-card-settings.ts'
import { type AdyenLook, isDone, isForbidden, lookAtAdyen } from './adyen-look.ts'
import { adyenEventCodes } from './events/adyen-notifications.ts'
import { readFlag, readList, readObject, readText } from './json.ts'
import { fault, notChecked, ok, type ProviderSetup, type SetupFinding, warning } from './setup.ts'

const managementVersion = 'v3'
const askAgain = 'Run this check again.'

type Settings = AdyenCardSettings

/** Orders a page and a capture without any detail, which Adyen refuses as invalid if the key may order them. */
async function checkKey({ apiKey, checkoutUrl }: Settings): Promise<SetupFinding[]> {
  const at = `${checkoutUrl}/${adyenCheckoutVersion}`
  const [page, capture] = await Promise.all([
    lookAtAdyen(apiKey, `${at}/paymentLinks`, 'POST'),
    lookAtAdyen(apiKey, `${at}/payments/tern_doctor/captures`, 'POST'),
  ])
  return [
    judgeKey(page, 'create payment pages', 'Orders a page without an amount, which Adyen must refuse as invalid.'),
    judgeKey(capture, 'capture payments', 'Captures a payment that does not exist, which Adyen must refuse.'),
  ]
}

function judgeKey(seen: AdyenLook, access: string, tried: string): SetupFinding {
  if (seen.status === 'unknown') return notChecked(seen.reason, askAgain, tried)
  const { httpStatus } = seen
  if (isForbidden(httpStatus)) {
    const todo = 'Set ADYEN_CHECKOUT_KEY to a key with the role "Checkout webservice role" of this platform.'
    return fault(`The key may not ${access} (${httpStatus}).`, todo, tried)
  }
  if (httpStatus === 422 || httpStatus === 400) return ok(`The key may ${access}.`, tried)
  return notChecked(`Adyen answered ${httpStatus}.`, askAgain, tried)
}

const look = ({ apiKey, managementUrl }: Settings, path: string): Promise<AdyenLook> =>
  lookAtAdyen(apiKey, `${managementUrl}/${managementVersion}${path}`)

const merchantPath = ({ merchantAccount }: Settings): string => `/merchants/${encodeURIComponent(merchantAccount)}`

async function checkAccount(settings: Settings): Promise<SetupFinding[]> {
  const { merchantAccount } = settings
  const seen = await look(settings, merchantPath(settings))
  if (seen.status === 'unknown') return [notChecked(seen.reason, askAgain)]
  const { httpStatus, body } = seen
  if (httpStatus === 401) {
    return [fault('Adyen does not accept ADYEN_CHECKOUT_KEY (401).', 'Set it to a key of this platform.')]
  }
  if (httpStatus === 403) {
    const todo = 'Give the key the role "Management API—Account read", or look at the account in the Customer Area.'
    return [notChecked('The key may not read merchant accounts (403).', todo)]
  }
  if (httpStatus === 404 || httpStatus === 422) {
    const todo = 'Set ADYEN_MERCHANT_ACCOUNT to an account of this key.'
    return [fault(`Adyen has no merchant account ${merchantAccount}.`, todo)]
  }
  const status = readText(body, 'status')
  if (!isDone(httpStatus) || status === undefined) {
    return [notChecked(`Adyen answered ${httpStatus}, without a state.`, askAgain)]
  }
  if (status !== 'Active') return [fault(`${merchantAccount} is ${status}.`, 'Ask Adyen to activate it.')]
  return [ok(`${merchantAccount} is active.`)]
}

type Webhooks = { readonly status: 'found'; readonly webhooks: unknown[] } | { readonly status: 'not_seen' | 'unknown' }

/** Lists the webhooks of an account. */
async function listWebhooks(settings: Settings, path: string): Promise<Webhooks> {
  const seen = await look(settings, `${path}/webhooks?pageSize=100`)
  if (seen.status === 'unknown') return seen
  if (isForbidden(seen.httpStatus)) return { status: 'not_seen' }
  // An account without webhooks has no list.
  return isDone(seen.httpStatus)
    ? { status: 'found', webhooks: readList(seen.body, 'data') ?? [] }
    : { status: 'unknown' }
}

/** Lists the webhooks of the merchant account and, if the key may, of its company. */
async function checkWebhooks(settings: Settings, address: string): Promise<SetupFinding[]> {
  const account = await look(settings, merchantPath(settings))
  const company = account.status === 'answered' ? readText(account.body, 'companyId') : undefined
  const lists = await Promise.all([
    listWebhooks(settings, merchantPath(settings)),
    company === undefined
      ? ({ status: 'not_seen' } as const)
      : listWebhooks(settings, `/companies/${encodeURIComponent(company)}`),
  ])
  const webhooks = lists.flatMap((list) => (list.status === 'found' ? list.webhooks : []))
  const ours = webhooks.filter((each) => readText(each, 'url') === address && readText(each, 'type') === 'standard')
  if (ours.length > 0) return ours.map((webhook) => judgeWebhook(settings, webhook))
  if (lists.some(({ status }) => status === 'unknown'))
    return [notChecked('Adyen did not list its webhooks.', askAgain)]
  const todo = `Create a standard webhook to ${address} in the Customer Area, as docs/operating.md says.`
  if (lists.some(({ status }) => status === 'not_seen')) {
    return [
      notChecked(
        'The key may not list all webhooks.',
        'Give it the role "Management API—Webhooks read", at the company, or look in the Customer Area.',
      ),
    ]
  }
  return [fault(`No standard webhook sends to ${address}.`, todo)]
}

function judgeWebhook({ merchantAccount }: Settings, webhook: unknown): SetupFinding {
  const id = readText(webhook, 'id') ?? 'The webhook'
  const change = (found: string, todo: string) => fault(`${id} ${found}.`, todo)
  if (readFlag(webhook, 'active') !== true) return change('is not active', 'Activate it.')
  if (readText(webhook, 'communicationFormat') !== 'json')
    return change('does not send JSON', 'Set its format to JSON.')
  if (readText(webhook, 'hmacKeyCheckValue') === undefined) {
    return change('has no HMAC key', 'Generate its HMAC key, and set ADYEN_CHECKOUT_WEBHOOK_KEY to it.')
  }
  const accounts = readList(webhook, 'filterMerchantAccounts') ?? []
  const filter = readText(webhook, 'filterMerchantAccountType')
  const isNamed = accounts.includes(merchantAccount)
  if ((filter === 'includeAccounts' && !isNamed) || (filter === 'excludeAccounts' && isNamed)) {
    return change(`leaves ${merchantAccount} out`, 'Include the account.')
  }
  const excluded = readList(readObject(webhook, 'additionalSettings'), 'excludeEventCodes') ?? []
  const missing = adyenEventCodes.filter((code) => excluded.includes(code))
  if (missing.length > 0) return change(`leaves out ${missing.join(', ')}`, 'Select these events.')
  if (readFlag(webhook, 'hasError') === true) {
    return warning(`${id} could not deliver its newest events.`, 'Look at its failed deliveries in the Customer Area.')
  }
  return ok(`${id} sends to this installation, with an HMAC key.`)
}

const unreconciled = warning(
  'Payments by adyen-cards are not reconciled: Adyen reports them in files, after each payout to your bank.',
  'Compare the settlement details report with the payments yourself.',
)

export function createAdyenCardsSetup(settings: Settings): ProviderSetup {
  return {
    topics: [
      { name: 'key', tried: 'Tries ADYEN_CHECKOUT_KEY.' },
      { name: 'merchant_account', tried: 'Reads the merchant account that takes cards.' },
      { name: 'webhooks', tried: "Lists Adyen's webhooks." },
      { name: 'reconciliation', tried: 'Compares what Adyen reports with what reconciliation needs.' },
    ],
    async check(topic, { publicUrl }) {
      if (topic === 'key') return checkKey(settings)
      if (topic === 'merchant_account') return checkAccount(settings)
      if (topic === 'webhooks') return checkWebhooks(settings, `${publicUrl}/api/webhooks/adyen-cards`)
      return [unreconciled]
    },
  }
}
