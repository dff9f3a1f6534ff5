// For tests: a whole installation in production mode, in which all is well: its own database server with both roles and a
// standby, an app behind a proxy with TLS, and doubles of every provider.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migrate } from '@tern/server/commands/migrate/migrate'
import { connect } from '@tern/server/platform/database/db'
import { startEmbeddedPostgres } from '@tern/server/platform/database/embedded-postgres'
import { SMTPServer } from 'smtp-server'
import { choosePort, startTestApp } from './app.ts'
import { replaceUser, runOnce, withDatabase } from './database.ts'
import { startStandby } from './standby.ts'
import { createDataFolder, removeDataFolder } from './database-server.ts'
import { adyenBalanceAccount, adyenWebhookKey, problem, startAdyenDouble } from './providers/adyen.ts'
import { startTestOidcProvider, testClientId } from './providers/oidc-provider.ts'
import { ecbFile, ecbRates, startRateSources, ticker } from './providers/rate-sources.ts'
import { doubleFinancialAccount, startStripeAccount } from './providers/stripe-account.ts'
import { type Certificate, startTlsProxy } from './http/tls-proxy.ts'

export type Installation = Awaited<ReturnType<typeof startInstallation>>

const databaseSettings = { archive_mode: 'on', archive_command: '/bin/true', scram_iterations: '1' }

/** Starts the database server, and migrates a database as docs/operating.md says. */
async function startDatabase() {
  const dataDir = createDataFolder('test')
  const server = await startEmbeddedPostgres({ dataDir, settings: databaseSettings })
  const password = randomBytes(18).toString('base64url')
  await runOnce(server.url, `create role tern_owner login password '${password}'`)
  await runOnce(server.url, 'grant pg_monitor to tern_owner')
  await runOnce(server.url, 'create database live owner tern_owner')
  const url = withDatabase(replaceUser(server.url, 'tern_owner', password), 'live')
  await migrate(url, { applicationRole: server.applicationRole })
  await runOnce(server.url, 'select pg_switch_wal()')
  const standby = await startStandby(server.url)
  const pool = connect(url, 4, { idleMs: 0 })
  return {
    dataDir,
    standby,
    /** As a superuser, on the installation's database. */
    superUrl: withDatabase(server.url, 'live'),
    database: {
      url,
      pool,
      applicationUrl: withDatabase(server.applicationUrl, 'live'),
      async drop(): Promise<void> {
        await pool.end()
        await standby.remove()
        await server.stop()
        await removeDataFolder(dataDir)
      },
    },
  }
}

export const mailPassword = 'a-password-of-the-mail-server'

/** Starts a mail server that requires a login. */
async function startMailServer() {
  const received: string[] = []
  const state = { password: mailPassword }
  const server = new SMTPServer({
    logger: false,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ password }, _session, callback) {
      if (password === state.password) callback(null, { user: 'tern' })
      else callback(Object.assign(new Error('no'), { responseCode: 535 }))
    },
    onMailFrom({ address }, _session, callback) {
      received.push(address)
      callback()
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    state,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Serves one status for every path, such as a desk or the redirect of a plain address. */
async function startPage(answer: { status: number; headers?: Record<string, string> }) {
  const server = createServer((_request, response) => response.writeHead(answer.status, answer.headers).end())
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { answer, port, url: `http://localhost:${port}`, stop: () => void server.close() }
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

async function startSources() {
  const sources = await startRateSources()
  const setSound = () => {
    sources.setAnswer('/ecb/eurofxref-daily.xml', ecbFile({ [newestFixingDay()]: ecbRates }))
    for (const [code, [bid = '', ask = '']] of Object.entries(tickers)) {
      sources.setAnswer(`/api/v2/ticker/${code}usd/`, ticker(bid, ask, new Date()))
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

/** Rows that a running installation has: a worker's last task, an audit, a comparison, lists, two operators. */
const soundRows = [
  `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     values ('flatten_positions', now(), now())`,
  'insert into audit_run (id, finished_at, checks, broken) values (gen_random_uuid(), now(), 40, 0)',
  `insert into reconciliation_run values (gen_random_uuid(), 'stripe', now() - interval '1 day', now(), now(), 0, 0, 0, 0, 0)`,
  `insert into screening_list (source, version, sha256, files, entries, imported_at, checked_at)
     select source, 1, repeat('0', 64), '{}', 1000, now(), now() from screening_policy`,
  `insert into desk_operator (id, name, roles, created_at) values
     (gen_random_uuid(), 'Ana', '{lead,reviewer}', now()), (gen_random_uuid(), 'Ben', '{reviewer}', now())`,
  `insert into desk_passkey (id, operator_id, credential_id, public_key, counter, transports, created_at)
     select gen_random_uuid(), id, name, 'x', 0, '{}', now() from desk_operator`,
]

export async function startInstallation(certificate: Certificate) {
  const proxy = await startTlsProxy(certificate)
  const stripe = await startStripeAccount(`${proxy.url}/api/webhooks/stripe`)
  const [adyen, sources, mail] = await Promise.all([startAdyen(), startSources(), startMailServer()])
  const clientSecret = randomBytes(18).toString('base64url')
  const login = await startTestOidcProvider({ redirectUri: `${proxy.url}/auth/callback`, clientSecret })
  const desk = await startPage({ status: 200 })
  const plain = await startPage({ status: 308, headers: { location: `${proxy.url}/` } })
  const { database, dataDir, superUrl, standby } = await startDatabase()
  const settings = {
    TERN_MODE: 'production',
    DATABASE_URL: database.applicationUrl,
    REPLICA_DATABASE_URL: standby.url(database.applicationUrl),
    DATA_DIR: dataDir,
    PUBLIC_URL: proxy.url,
    TRUSTED_PROXIES: '1',
    ADMIN_PORT: String(await choosePort()),
    DESK_URL: desk.url,
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
    OIDC_ISSUER: login.issuer,
    OIDC_CLIENT_ID: testClientId,
    OIDC_CLIENT_SECRET: clientSecret,
    SMTP_URL: `smtp://tern:${mailPassword}@127.0.0.1:${mail.port}`,
    MAIL_FROM: 'no-reply@tern.example',
    ECB_RATES_URL: `${sources.url}/ecb`,
    BITSTAMP_URL: sources.url,
    SCREENING_LIST_URLS: 'off',
  }
  const world = await startTestApp({ database, environment: settings })
  const { port } = world.app.http.server.address() as AddressInfo
  proxy.passTo(port)
  for (const statement of soundRows) await database.pool.query(statement)
  return {
    world,
    database,
    superUrl,
    standby,
    proxy,
    stripe,
    adyen,
    sources,
    mail,
    login,
    desk,
    plain,
    /** Environment for the commands of operators. */
    environment: { ...settings, TERN_SECRET: world.secret, MIGRATION_DATABASE_URL: database.url },
    async close(): Promise<void> {
      await world.close()
      for (const part of [proxy, sources, mail, login, desk, plain]) await part.stop()
      await Promise.all([stripe.close(), adyen.close()])
    },
  }
}
