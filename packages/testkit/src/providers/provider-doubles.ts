// For tests: doubles of every provider of an installation in production, in which all is well, in the formats of their
// documentation. The doctor's tests use them, and deploy/checks/empty-server.sh behind TLS.

import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { publishedFile } from '../compliance/lists/published-lists.ts'
import type { Certificate } from '../http/tls-proxy.ts'
import { adyenBalanceAccount, adyenWebhookKey, problem, startAdyenDouble } from './adyen.ts'
import { adyenMerchant, standardWebhook, startAdyenCheckout } from './adyen-checkout.ts'
import { startTestOidcProvider, testClientId } from './oidc-provider.ts'
import { ecbFile, ecbRates, startRateSources, ticker } from './rate-sources.ts'
import { doubleFinancialAccount, startStripeAccount } from './stripe-account.ts'

export const mailPassword = 'a-password-of-the-mail-server'

export interface ReceivedMail {
  readonly to: readonly string[]
  /** Headers and body as sent. */
  readonly text: string
}

interface MailServerOptions {
  readonly certificate?: Certificate | undefined
  readonly port?: number | undefined
}

/** Starts a mail server that requires a login, with TLS from the first byte if it has a certificate. */
async function startMailServer({ certificate, port: ownPort = 0 }: MailServerOptions) {
  const received: string[] = []
  const mails: ReceivedMail[] = []
  const state = { password: mailPassword }
  const server = new SMTPServer({
    logger: false,
    closeTimeout: 100,
    ...(certificate ? { secure: true, ...certificate } : { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    onAuth({ password }, _session, callback) {
      if (password === state.password) callback(null, { user: 'tern' })
      else callback(Object.assign(new Error('no'), { responseCode: 535 }))
    },
    onMailFrom({ address }, _session, callback) {
      received.push(address)
      callback()
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString('utf8') })
        callback()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    /** Senders of all mails that were begun. */
    received,
    mails,
    state,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

const fixedTodayMs = 15.25 * 3_600_000

/** Returns the newest business day whose reference rates are out. */
function newestFixingDay(): string {
  const at = new Date(Date.now() - fixedTodayMs)
  while (at.getUTCDay() === 0 || at.getUTCDay() === 6) at.setUTCDate(at.getUTCDate() - 1)
  return at.toISOString().slice(0, 10)
}

const tickers = {
  btc: ['60000', '60010'],
  eth: ['3000', '3001'],
  usdt: ['1.0000', '1.0001'],
  usdc: ['1.0000', '1.0001'],
}

const aliasesFile = 'cons_alt.csv'
/** Stands for the aliases of OFAC's consolidated list, of which only the names are stored here. */
const aliases = '9639,1,"aka","HANIYEH, Ismail",-0- \n'

/** Published files of each list that names are compared with. */
const listFiles: Readonly<Record<string, readonly string[]>> = {
  ofac_sdn: ['sdn.csv', 'alt.csv', 'add.csv'],
  ofac_consolidated: ['cons_prim.csv', aliasesFile],
  un: ['UN_consolidated.xml'],
  eu: ['eu.xml'],
  uk: ['uk.csv'],
  pep: ['pep.csv'],
}

/** Returns SCREENING_LIST_URLS for the lists at this address. */
export const listSettings = (url: string): string =>
  Object.entries(listFiles)
    .flatMap(([source, names]) => names.map((name) => `${source}=${url}/lists/${source}/${name}`))
    .join(' ')

/** Starts sources of rates and lists. */
async function startSources() {
  const sources = await startRateSources()
  for (const [source, names] of Object.entries(listFiles)) {
    for (const name of names) {
      sources.setAnswer(
        `/lists/${source}/${name}`,
        (_request, response) => void response.end(name === aliasesFile ? aliases : publishedFile(name).bytes),
      )
    }
  }
  const setSound = () => {
    const file = ecbFile({ [newestFixingDay()]: ecbRates })
    for (const name of ['daily', 'hist-90d', 'hist']) sources.setAnswer(`/ecb/eurofxref-${name}.xml`, file)
    for (const [code, [bid = '', ask = '']] of Object.entries(tickers)) {
      sources.setAnswer(`/api/v2/ticker/${code}usd/`, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(ticker(bid, ask, new Date()))
      })
    }
  }
  setSound()
  return { ...sources, setSound }
}

const soundBalance = {
  id: adyenBalanceAccount,
  status: 'active',
  balances: [{ currency: 'EUR', available: 250_000, balance: 250_000, pending: 0, reserved: 0 }],
}

async function startAdyen() {
  const adyen = await startAdyenDouble()
  const setSound = () => {
    adyen.on('GET /btl/v4/transfers', { body: { data: [], _links: {} } })
    adyen.on('POST /btl/v4/transfers', problem(422, '29_001'))
    adyen.on(`GET /bcl/v2/balanceAccounts/${adyenBalanceAccount}`, { body: soundBalance })
  }
  setSound()
  return { ...adyen, setSound, soundBalance }
}

async function startAdyenCards(publicUrl: string) {
  const double = await startAdyenCheckout()
  const address = `${publicUrl}/api/webhooks/adyen-cards`
  const setSound = () => {
    double.off()
    Object.assign(double.webhooks, { company: [standardWebhook(address)], merchant: [] })
  }
  setSound()
  return { ...double, setSound, address }
}

export interface DoublesOptions {
  readonly publicUrl: string
  readonly mail?: MailServerOptions
  /** Address of a proxy with TLS in front of the provider of logins. */
  readonly loginOrigin?: string
}

/** Starts all doubles; `settings` are those of a product that uses them. */
export async function startProviderDoubles({ publicUrl, mail: mailOptions = {}, loginOrigin }: DoublesOptions) {
  const stripe = await startStripeAccount(`${publicUrl}/api/webhooks/stripe`)
  const [adyen, sources, mail] = await Promise.all([startAdyen(), startSources(), startMailServer(mailOptions)])
  const adyenCards = await startAdyenCards(publicUrl)
  const clientSecret = randomBytes(18).toString('base64url')
  const login = await startTestOidcProvider({
    redirectUri: `${publicUrl}/auth/callback`,
    clientSecret,
    ...(loginOrigin === undefined ? {} : { origin: loginOrigin }),
  })
  return {
    stripe,
    adyen,
    adyenCards,
    sources,
    mail,
    login,
    settings: {
      STRIPE_SECRET_KEY: `rk_live_${randomBytes(12).toString('hex')}`,
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef01,whsec_0123456789abcdef02',
      STRIPE_IDENTITY_KEY: `rk_live_${randomBytes(12).toString('hex')}`,
      STRIPE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef03',
      STRIPE_FINANCIAL_ACCOUNT: doubleFinancialAccount,
      STRIPE_API_URL: stripe.url,
      ADYEN_API_KEY: randomBytes(18).toString('hex'),
      ADYEN_BALANCE_ACCOUNT: adyenBalanceAccount,
      ADYEN_WEBHOOK_KEY: adyenWebhookKey,
      ADYEN_API_URL: adyen.url,
      ADYEN_CHECKOUT_KEY: randomBytes(18).toString('hex'),
      ADYEN_MERCHANT_ACCOUNT: adyenMerchant,
      ADYEN_CHECKOUT_WEBHOOK_KEY: randomBytes(32).toString('hex'),
      ADYEN_CHECKOUT_URL: adyenCards.url,
      OIDC_ISSUER: login.issuer,
      OIDC_CLIENT_ID: testClientId,
      OIDC_CLIENT_SECRET: clientSecret,
      SMTP_URL: `smtp://tern:${mailPassword}@127.0.0.1:${mail.port}`,
      MAIL_FROM: 'no-reply@tern.example',
      ECB_RATES_URL: `${sources.url}/ecb`,
      BITSTAMP_URL: sources.url,
    },
    async stop(): Promise<void> {
      for (const part of [sources, mail, login]) await part.stop()
      await Promise.all([stripe.close(), adyen.close(), adyenCards.close()])
    },
  }
}
