import { once } from 'node:events'
import fs from 'node:fs/promises'
import net from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { snapshotEventTypes } from '@tern/providers/events/stripe-event-types'
import { createOidcSignInProvider } from '@tern/providers/signin/oidc'
import { makeCertificate, trustCertificates } from '@tern/testkit/http/tls-proxy'
import { runOnce } from '@tern/testkit/database'
import { startDatabaseProxy } from '@tern/testkit/database-proxy'
import { type Installation, startInstallation } from '@tern/testkit/installation'
import { callTern } from '@tern/testkit/processes/call-tern'
import { adyenBalanceAccount, problem } from '@tern/testkit/providers/adyen'
import { adyenMerchant, standardWebhook } from '@tern/testkit/providers/adyen-checkout'
import { mailPassword } from '@tern/testkit/providers/provider-doubles'
import { startTestOidcProvider, testClientId } from '@tern/testkit/providers/oidc-provider'
import { noResponse } from '@tern/testkit/providers/rate-sources'
import { formatVerifierKey, generateSigningKey, toVerifierKey } from '@tern/transparency/note-keys'
import { nameWitness } from '../../features/transparency/witnesses/witness-states.ts'
import type { Providers } from '../../platform/providers/providers.ts'
import { connect } from '../../platform/database/db.ts'
import { callerProbePath, probeHeader, signProbe, streamProbePath } from '../../platform/operations/probes.ts'
import { readKeyRing } from '../../platform/runtime/secret.ts'
import type { Environment } from '../../platform/runtime/settings.ts'
import type { Finding, Machine } from './check.ts'
import { examine } from './doctor.ts'
import { listProviderChecks } from './providers.ts'
import { visit } from './visit.ts'

const certificates = { sound: makeCertificate(90), soon: makeCertificate(3), later: makeCertificate(15) }
const untrusted = makeCertificate(90)
let installation: Installation
let balancer: Awaited<ReturnType<typeof startBalancer>>
let machine: Machine

const gigabyte = 1024 ** 3

beforeAll(async () => {
  trustCertificates(Object.values(certificates))
  installation = await startInstallation(certificates.sound)
  const { REPLICA_DATABASE_URL, DATABASE_URL } = installation.environment
  balancer = await startBalancer([REPLICA_DATABASE_URL, DATABASE_URL])
})
afterAll(async () => {
  balancer.close()
  trustCertificates([])
  await installation.close()
})
beforeEach(() => {
  const readDisk = () => Promise.resolve({ free: 60 * gigabyte, total: 100 * gigabyte })
  machine = { now: () => new Date(), readDisk, plainPort: installation.plain.port }
})

/** Passes connections on to databases in turn, beginning with the first. */
async function startBalancer(databaseUrls: readonly string[]) {
  let turn = 0
  const server = net.createServer((socket) => {
    const { port } = new URL(databaseUrls[turn % databaseUrls.length]!)
    turn += 1
    const upstream = net.connect(Number(port), 'localhost')
    for (const stream of [socket, upstream]) stream.on('error', () => {})
    socket.pipe(upstream).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrls[0]!)
  url.port = String((server.address() as net.AddressInfo).port)
  return { url: url.href, close: () => void server.close() }
}

const check = (changes: Environment = {}, only: readonly string[] = []) =>
  examine({ ...installation.environment, ...changes }, { machine, only })

const summarize = (findings: readonly Finding[]) =>
  findings.filter(({ verdict }) => verdict !== 'ok').map(({ check, verdict, found }) => [check, verdict, found])

test('an installation in which all is well has no fault, and only what nothing can fix or check is named', async () => {
  const findings = await check()
  expect(summarize(findings)).toEqual([
    ['settings.providers', 'warning', expect.stringMatching(/^No provider of liquidity/)],
    ['money.adyen-cards.reconciliation', 'warning', expect.stringMatching(/are not reconciled/)],
    ['money.adyen.webhooks', 'not_checked', expect.stringMatching(/cannot list webhooks/)],
    ['books.safeguarding', 'warning', expect.stringMatching(/^No bank that keeps customers' money/)],
    ['log.witnesses', 'warning', expect.stringMatching(/No witness is configured/)],
  ])
  expect(findings.length).toBeGreaterThan(50)
  for (const { tried, found, todo, verdict } of findings) {
    expect(
      [tried, found].every((text) => /^\S.*\.$/.test(text)),
      `${tried} ${found}`,
    ).toBe(true)
    expect(verdict === 'ok' ? todo === undefined : (todo ?? '').length > 0, found).toBe(true)
  }
})

const run = (statement: string) => () => runOnce(installation.superUrl, statement)

interface Fault {
  readonly name: string
  readonly check: string
  readonly verdict?: Finding['verdict']
  readonly found: RegExp
  readonly todo?: RegExp
  readonly plant?: () => unknown
  readonly environment?: Environment | (() => Environment)
  /** Restores what `plant` changed, besides doubles. */
  readonly restore?: () => unknown
}

const witnessKey = toVerifierKey(generateSigningKey({ name: 'witness.example', type: 4 }))
const witnessName = nameWitness(witnessKey)
const witnessSetting = { TRANSPARENCY_WITNESSES: `${formatVerifierKey(witnessKey)} https://witness.example` }

const stripe = () => installation.stripe.account
const lack = (permission: string) => () => stripe().missing.add(permission)
const setDisk = (free: number) => () => {
  machine = { ...machine, readDisk: () => Promise.resolve({ free, total: 100 * gigabyte }) }
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

const replicaAt = (url: string | undefined): Environment => ({ REPLICA_DATABASE_URL: url })

const permissionFaults: readonly (readonly [string, RegExp])[] = [
  ['rak_checkout_session_write', /may not write Checkout Sessions/],
  ['rak_payment_intent_write', /may not write Payment Intents/],
  ['rak_payment_method_write', /may not write Payment Methods/],
  ['rak_customer_write', /may not write Customers/],
  ['rak_charge_read', /may not read Charges/],
  ['rak_refund_read', /may not read Refunds/],
  ['rak_dispute_read', /may not read Disputes/],
  ['rak_radar_early_fraud_warning_read', /may not read Early Fraud Warnings/],
  ['rak_balance_transaction_source_read', /may not read Balance/],
  ['rak_v2_accounts_write', /may not write Accounts v2/],
  ['rak_payout_methods_write', /may not write Payout Methods/],
  ['rak_outbound_setup_intents_write', /may not write Outbound Setup Intents/],
  ['rak_recipient_verifications_write', /may not write Recipient Verifications/],
  ['rak_outbound_payments_write', /may not write Outbound Payments/],
  ['rak_financial_account_transactions_read', /may not read Transactions of financial accounts/],
]

const faults: readonly Fault[] = [
  {
    name: 'a wrong password of the database',
    check: 'database.version',
    found: /does not let us in \(28P01/,
    environment: () => ({ DATABASE_URL: withPassword(installation.environment.DATABASE_URL, 'wrong-password') }),
  },
  {
    name: 'a migration that was changed after it was applied',
    check: 'database.schema',
    found: /was changed after it had been applied/,
    plant: run(`update schema_migration set checksum = 'x' || checksum where name like '%identity%'`),
    restore: run(`update schema_migration set checksum = substr(checksum, 2) where checksum like 'x%'`),
  },
  {
    name: 'a table that the application may not read',
    check: 'database.schema',
    found: /may not read the table public\.mail/,
    plant: run('revoke select on mail from tern_app'),
    restore: run('grant select, insert, update on mail to tern_app'),
  },
  {
    name: 'a role with a right of too many',
    check: 'database.application_role',
    found: /may delete on ledger\.entry/,
    plant: run('grant delete on ledger.entry to tern_app'),
    restore: run('revoke delete on ledger.entry from tern_app'),
  },
  {
    name: 'a role that may create roles',
    check: 'database.application_role',
    found: /tern_app has createrole/,
    todo: /alter role tern_app nocreaterole/,
    plant: run('alter role tern_app createrole'),
    restore: run('alter role tern_app nocreaterole'),
  },
  {
    name: 'a role that can become the owner',
    check: 'database.application_role',
    found: /owns the schema, or may become its owner tern_owner/,
    plant: run('grant tern_owner to tern_app'),
    restore: run('revoke tern_owner from tern_app'),
  },
  {
    name: 'a superuser as owner',
    check: 'database.owner_role',
    verdict: 'warning',
    found: /tern_owner, is a superuser/,
    plant: run('alter role tern_owner superuser'),
    restore: run('alter role tern_owner nosuperuser'),
  },
  {
    name: 'asynchronous commits of the role',
    check: 'database.settings',
    found: /synchronous_commit is off/,
    plant: run('alter role tern_app set synchronous_commit = off'),
    restore: run('alter role tern_app reset synchronous_commit'),
  },
  {
    name: 'another time zone',
    check: 'database.settings',
    verdict: 'warning',
    found: /time zone is Asia\/Tokyo/,
    plant: run(`alter role tern_app set timezone = 'Asia/Tokyo'`),
    restore: run('alter role tern_app reset timezone'),
  },
  {
    name: 'a replica that is not there',
    check: 'database.replicas',
    found: /does not let us in \(ECONNREFUSED/,
    environment: replicaAt('postgres://127.0.0.1:1/live'),
  },
  {
    name: 'a wrong password of the replica',
    check: 'database.replicas',
    found: /does not let us in \(28P01/,
    environment: () => replicaAt(withPassword(installation.environment.REPLICA_DATABASE_URL, 'wrong-password')),
  },
  {
    name: 'a replica of another cluster',
    check: 'database.replicas',
    found: /copy of another database/,
    environment: () => replicaAt(process.env['TEST_DATABASE_URL']),
  },
  {
    name: 'a primary as its own replica',
    check: 'database.replicas',
    found: /It is not in recovery/,
    environment: () => replicaAt(installation.environment.DATABASE_URL),
  },
  {
    name: 'a replica read as a superuser',
    check: 'database.replicas',
    found: /is a superuser/,
    environment: () => replicaAt(installation.standby.url(installation.superUrl)),
  },
  {
    name: 'a replica that does not replay',
    check: 'database.replicas',
    found: /has not shown a commit of the primary after 4 s/,
    plant: async () => {
      await installation.standby.pauseReplay()
      await runOnce(installation.superUrl, 'create table written_meanwhile (); drop table written_meanwhile')
    },
    restore: () => installation.standby.resumeReplay(),
  },
  {
    name: 'a balancer between servers as replica',
    check: 'database.replicas',
    verdict: 'warning',
    found: /leads to several servers/,
    environment: () => replicaAt(balancer.url),
  },
  {
    name: 'a worker that stopped',
    check: 'worker.alive',
    found: /began a task 20 minutes ago/,
    plant: run(`update graphile_worker._private_known_crontabs set last_execution = now() - interval '20 minutes'`),
    restore: run('update graphile_worker._private_known_crontabs set last_execution = now()'),
  },
  {
    name: 'jobs that nobody runs',
    check: 'worker.jobs',
    found: /1 job overdue, the oldest \(flatten_positions\) by 60 minutes/,
    plant: run(`select graphile_worker.add_job('flatten_positions', run_at => now() - interval '1 hour')`),
    restore: run('delete from graphile_worker._private_jobs'),
  },
  {
    name: 'jobs that failed for good',
    check: 'worker.jobs',
    verdict: 'warning',
    found: /1 job failed for good/,
    plant: run(
      `select graphile_worker.add_job('flatten_positions', run_at => now() - interval '1 hour', max_attempts => 1);
       update graphile_worker._private_jobs set attempts = 1`,
    ),
    restore: run('delete from graphile_worker._private_jobs'),
  },
  {
    name: 'mails that wait',
    check: 'mail.waiting',
    found: /1 mail waiting, for 60 minutes/,
    plant: run(
      `insert into mail (id, template, content, created_at)
         values (gen_random_uuid(), 'login_link', 'x', now() - interval '1 hour')`,
    ),
    restore: run('delete from mail'),
  },
  {
    name: 'an audit that found something',
    check: 'books.audit',
    found: /found 2 of 40 checks broken/,
    plant: run('insert into audit_run values (gen_random_uuid(), now(), 40, 2)'),
    restore: run('delete from audit_run where broken = 2'),
  },
  {
    name: 'a witness that found a fork',
    check: 'log.witnesses',
    found: /It refuses the log \(fork\)/,
    todo: /Stop the worker/,
    environment: witnessSetting,
    plant: run(
      `insert into transparency_witness (witness, failure, failed_at, failures, next_at)
         values ('${witnessName}', 'fork', now(), 1, 'infinity')`,
    ),
    restore: run('delete from transparency_witness'),
  },
  {
    name: 'a witness that does not know the log',
    check: 'log.witnesses',
    found: /It refuses the log \(unknown_log\)/,
    todo: /tern witnesses --retry witness\.example/,
    environment: witnessSetting,
    plant: run(
      `insert into transparency_witness (witness, failure, failed_at, failures, next_at)
         values ('${witnessName}', 'unknown_log', now(), 1, 'infinity')`,
    ),
    restore: run('delete from transparency_witness'),
  },
  {
    name: 'a witness that no longer answers',
    check: 'log.witnesses',
    verdict: 'warning',
    found: /It cosigned 2 hours ago, and fails since .*\(unreachable\)/,
    environment: witnessSetting,
    plant: run(
      `insert into transparency_witness (witness, cosigned_at, failure, failed_at, failures)
         values ('${witnessName}', now() - interval '2 hours', 'unreachable', now(), 1)`,
    ),
    restore: run('delete from transparency_witness'),
  },
  {
    name: 'a witness that was never asked',
    check: 'log.witnesses',
    verdict: 'warning',
    found: /It has never cosigned\./,
    environment: witnessSetting,
  },
  {
    name: 'no audit since yesterday',
    check: 'books.audit',
    verdict: 'warning',
    found: /passed all 40 checks, 2 days ago/,
    plant: run(`update audit_run set finished_at = now() - interval '2 days'`),
    restore: run('update audit_run set finished_at = now()'),
  },
  {
    name: 'no full audit for weeks',
    check: 'books.audit',
    verdict: 'warning',
    found: /No full audit has run for more than eight days/,
    plant: run(`update audit_run set since = '2026-01-01'`),
    restore: run('update audit_run set since = null'),
  },
  {
    name: 'an overdue exception',
    check: 'books.reconciliation',
    found: /1 exception open, of which 0 new and 1 overdue/,
    plant: run(
      `insert into reconciliation_exception (id, kind, provider, subject, detail, params, opened_at, reported_at)
         values (gen_random_uuid(), 'missing_internal', 'stripe', 'ch_1', 'not_posted', '{}', now() - interval '9 days', now())`,
    ),
    restore: run('delete from reconciliation_exception'),
  },
  {
    name: 'records that nobody compares',
    check: 'books.reconciliation',
    verdict: 'warning',
    found: /stripe is compared until 9 days ago/,
    plant: run(
      `update reconciliation_run set until_at = now() - interval '9 days', from_at = now() - interval '10 days'`,
    ),
    restore: run('update reconciliation_run set until_at = now()'),
  },
  {
    name: "customers' money that is missing at a bank",
    check: 'books.safeguarding',
    found: /1 finding open, of which 1 notifiable/,
    plant: run(
      `insert into safeguarding_finding (id, day, bank, currency, kind, cause, subject, amount_minor, found_at, due_at, notifiable_at)
         values (gen_random_uuid(), '2026-03-02', 'anchorage', 'USD', 'shortfall', 'unknown_entry', 'e1', -5, now(), now(), now())`,
    ),
    restore: run('delete from safeguarding_finding'),
  },
  {
    name: 'a stale sanctions list',
    check: 'lists.age',
    found: /^un has 1000 entries, checked 30 days ago/,
    plant: run(`update screening_list set checked_at = now() - interval '30 days' where source = 'un'`),
    restore: run('update screening_list set checked_at = now()'),
  },
  {
    name: 'a missing sanctions list',
    check: 'lists.age',
    found: /^eu was never imported/,
    plant: run(`update screening_list set source = 'uk', version = 2 where source = 'eu'`),
    restore: run(`update screening_list set source = 'eu', version = 1 where version = 2`),
  },
  {
    name: 'a missing list that is not required',
    check: 'lists.age',
    verdict: 'warning',
    found: /^pep was never imported/,
    plant: run(`update screening_list set source = 'uk', version = 2 where source = 'pep'`),
    restore: run(`update screening_list set source = 'pep', version = 1 where version = 2`),
  },
  {
    name: 'an address without TLS at which nobody listens',
    check: 'public.headers',
    found: /does not answer \(ECONNREFUSED\)/,
    environment: { PUBLIC_URL: 'http://localhost:1' },
  },
  {
    name: 'an empty answer of a rate source',
    check: 'rates.sources',
    verdict: 'not_checked',
    found: /eurofxref-daily\.xml/,
    plant: () => installation.sources.setAnswer('/ecb/eurofxref-daily.xml', '<html></html>'),
  },
  {
    name: 'stored rates that are too old',
    check: 'rates.stored',
    found: /BTC\/USD.* too old to use/,
    plant: run(`update rate_latest set confirmed_at = now() - interval '1 hour' where source = 'bitstamp'`),
    restore: run(`update rate_latest set confirmed_at = now() where source = 'bitstamp'`),
  },
  {
    name: 'a rate held back',
    check: 'rates.held_back',
    verdict: 'warning',
    found: /BTC\/USD of bitstamp: it jumped/,
    plant: run(
      `insert into rate_fix (id, source, base, quote, as_of, numerator, denominator, received_at, state)
         select gen_random_uuid(), source, base, quote, now(), numerator * 2, denominator, now(), 'held_back'
           from rate_fix where base = 'BTC' and state = 'accepted' limit 1`,
    ),
    restore: run(`delete from rate_fix where state = 'held_back'`),
  },
  {
    name: 'no operator with a passkey',
    check: 'desk.operators',
    found: /0 operators with a passkey, 2 without/,
    plant: run('create table kept_passkey as table desk_passkey; delete from desk_passkey'),
    restore: run('insert into desk_passkey table kept_passkey; drop table kept_passkey'),
  },
  {
    name: 'a desk behind a wrong address',
    check: 'desk.page',
    found: /\/desk answers 404/,
    plant: () => Object.assign(installation.desk.answer, { status: 404 }),
    restore: () => Object.assign(installation.desk.answer, { status: 200 }),
  },
  {
    name: 'a nearly full disk',
    check: 'disk.data',
    found: /^2\.0 GB \(2 %\) are free/,
    plant: setDisk(2 * gigabyte),
  },
  {
    name: 'a disk that fills up',
    check: 'disk.database',
    verdict: 'warning',
    found: /The database has .*10\.0 GB \(10 %\) are free on the disk of .*postgres/,
    plant: setDisk(10 * gigabyte),
  },
  {
    name: 'a clock that is ten minutes slow',
    check: 'clock.database',
    found: /^The database's clock is 10 minutes ahead of this machine/,
    plant: () => (machine = { ...machine, now: () => new Date(Date.now() - 10 * 60_000) }),
  },
  {
    name: 'a clock that differs from the provider by ten minutes',
    check: 'clock.providers',
    found: /^The clock of stripe is 10 minutes behind this machine|^The clock of stripe is 599 seconds behind/,
    plant: () => (stripe().clockAheadMs = -600_500),
  },
  {
    name: 'an old secret that no value needs',
    check: 'secret.old',
    verdict: 'warning',
    found: /^1 old secret set, which no value needs/,
    environment: { TERN_OLD_SECRET: 'an old secret of at least thirty-two characters' },
  },
  {
    name: 'a secret that is not the one that sealed the values',
    check: 'secret.old',
    found: /values are sealed under a secret that is not set/,
    environment: { TERN_SECRET: 'kestrel-9Fq2vX7mZ0pLw4Rt8YbN3sHd' },
  },
  {
    name: 'a certificate that ends in three days',
    check: 'public.certificate',
    found: /for another 2 days/,
    plant: () => installation.proxy.use(certificates.soon),
    restore: () => installation.proxy.use(certificates.sound),
  },
  {
    name: 'a certificate that was not renewed',
    check: 'public.certificate',
    verdict: 'warning',
    found: /for another 14 days/,
    plant: () => installation.proxy.use(certificates.later),
    restore: () => installation.proxy.use(certificates.sound),
  },
  {
    name: 'a certificate that clients refuse',
    check: 'public.certificate',
    found: /Clients refuse the certificate \(.*SELF_SIGNED/,
    plant: () => installation.proxy.use(untrusted),
    restore: () => installation.proxy.use(certificates.sound),
  },
  {
    name: 'an address at which nobody listens',
    check: 'public.certificate',
    found: /does not answer \(ECONNREFUSED\)/,
    environment: { PUBLIC_URL: 'https://localhost:1' },
  },
  {
    name: 'a proxy that accepts suites without authenticated encryption',
    check: 'public.ciphers',
    verdict: 'warning',
    found: /accepts TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA/,
    plant: () => installation.proxy.use({ ...certificates.sound, ciphers: 'ECDHE-ECDSA-AES128-SHA' }),
    restore: () => installation.proxy.use(certificates.sound),
  },
  {
    name: 'a proxy that removes HSTS',
    check: 'public.headers',
    verdict: 'warning',
    found: /no HSTS/,
    plant: () => Object.assign(installation.proxy.behaviour, { removed: ['strict-transport-security'] }),
  },
  {
    name: 'a plain address that serves the product',
    check: 'public.redirect',
    found: /answers 200 without TLS/,
    plant: () => Object.assign(installation.plain.answer, { status: 200 }),
    restore: () => Object.assign(installation.plain.answer, { status: 308 }),
  },
  {
    name: "a proxy that does not tell the caller's address",
    check: 'public.proxies',
    found: /0 proxies forward the address, and TRUSTED_PROXIES is 1/,
    plant: () => Object.assign(installation.proxy.behaviour, { forwarding: 'remove' }),
  },
  {
    name: 'a proxy that believes what callers send',
    check: 'public.proxies',
    found: /believes an address that the caller invented/,
    plant: () => Object.assign(installation.proxy.behaviour, { forwarding: 'pass_on' }),
  },
  {
    name: 'a count of proxies that is too high',
    check: 'public.proxies',
    found: /1 proxy forward the address, and TRUSTED_PROXIES is 2/,
    todo: /TRUSTED_PROXIES=1/,
    environment: { TRUSTED_PROXIES: '2' },
  },
  {
    name: 'a proxy that buffers events',
    check: 'public.events',
    found: /keeps events back/,
    plant: () => Object.assign(installation.proxy.behaviour, { isBuffering: true }),
  },
  {
    name: 'an app with another secret',
    check: 'public.proxies',
    verdict: 'not_checked',
    found: /answers 404 to the signed request/,
    environment: { TERN_SECRET: 'kestrel-9Fq2vX7mZ0pLw4Rt8YbN3sHd' },
  },
  {
    name: 'sandbox mode',
    check: 'settings.mode',
    verdict: 'warning',
    found: /sandbox: no real money moves/,
    environment: {
      ...{ TERN_MODE: 'sandbox', SANDBOX_SECRET: 'x'.repeat(32), STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' },
      ...{
        STRIPE_IDENTITY_KEY: '',
        STRIPE_IDENTITY_WEBHOOK_SECRET: '',
        STRIPE_FINANCIAL_ACCOUNT: '',
        STRIPE_API_URL: '',
      },
    },
  },
  {
    name: 'a weak secret',
    check: 'secret.strength',
    verdict: 'warning',
    found: /too easy to guess/,
    environment: {
      ...{ TERN_MODE: 'sandbox', SANDBOX_SECRET: 'x'.repeat(32), STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' },
      ...{
        STRIPE_IDENTITY_KEY: '',
        STRIPE_IDENTITY_WEBHOOK_SECRET: '',
        STRIPE_FINANCIAL_ACCOUNT: '',
        STRIPE_API_URL: '',
      },
      TERN_SECRET: 'a'.repeat(40),
    },
  },
  {
    name: 'no provider of mail',
    check: 'settings.providers',
    verdict: 'warning',
    found: /No mail server is set/,
    environment: { SMTP_URL: '', MAIL_FROM: '' },
  },
  {
    name: 'a wrong password of the mail server',
    check: 'mail.smtp',
    found: /does not accept the user and password in SMTP_URL \(535\)/,
    plant: () => Object.assign(installation.mail.state, { password: 'another' }),
    restore: () => Object.assign(installation.mail.state, { password: mailPassword }),
  },
  {
    name: 'an issuer that is not there',
    check: 'login.oidc',
    found: /Nothing is known of the provider/,
    environment: { OIDC_ISSUER: 'http://localhost:1' },
  },
  {
    name: 'a wrong client secret',
    check: 'login.oidc.client',
    found: /refuses the client \(invalid_client\)/,
    todo: /auth\/callback as redirect URI/,
    environment: { OIDC_CLIENT_SECRET: 'another' },
  },
  {
    name: 'a Stripe key that was rolled',
    check: 'money.stripe.key',
    found: /^Stripe does not accept STRIPE_SECRET_KEY/,
    plant: () => (stripe().isKeyValid = false),
  },
  {
    name: 'a Stripe account in test mode',
    check: 'money.stripe.key',
    found: /key of test mode/,
    plant: () => (stripe().livemode = false),
  },
  {
    name: 'a negative balance at Stripe',
    check: 'money.stripe.key',
    verdict: 'warning',
    found: /balance is negative in EUR/,
    plant: () => (stripe().available = { usd: 1, eur: -1 }),
  },
  ...permissionFaults.map(([permission, found]) => ({
    name: `a key without ${permission}`,
    check: 'money.stripe.permissions',
    found: new RegExp(`${found.source} \\(${permission}\\)`),
    plant: lack(permission),
  })),
  {
    name: 'a snapshot destination for another address',
    check: 'money.stripe.webhooks',
    found:
      /No destination with snapshot payload sends to this address\. Other destinations send to https:\/\/old\.example/,
    plant: () => Object.assign(stripe().destinations[0]!, { url: 'https://old.example' }),
  },
  {
    name: 'a missing thin destination',
    check: 'money.stripe.webhooks',
    found: /No destination with thin payload sends to this address/,
    todo: /thin payload for https:.*v2\.money_management\.outbound_payment\.returned/,
    plant: () => stripe().destinations.pop(),
  },
  {
    name: 'another API version of a destination',
    check: 'money.stripe.webhooks',
    found: /we_snapshot sends API version 2024-06-20, not 2026-10-28\.endive/,
    plant: () => Object.assign(stripe().destinations[0]!, { snapshot_api_version: '2024-06-20' }),
  },
  {
    name: 'a destination that lacks an event',
    check: 'money.stripe.webhooks',
    found: /No destination sends charge\.dispute\.funds_reinstated/,
    plant: () => Object.assign(stripe().destinations[0]!, { enabled_events: snapshotEventTypes.slice(0, -1) }),
  },
  {
    name: 'a disabled destination',
    check: 'money.stripe.webhooks',
    found: /ed_thin is disabled/,
    plant: () => Object.assign(stripe().destinations[1]!, { status: 'disabled' }),
  },
  {
    name: 'one signing secret for two destinations',
    check: 'money.stripe.webhooks',
    found: /1 for 2 destinations/,
    environment: { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef01' },
  },
  {
    name: 'a key that may not list destinations',
    check: 'money.stripe.webhooks',
    verdict: 'not_checked',
    found: /may not read Webhook Endpoints and Event Destinations/,
    plant: lack('rak_webhook_read'),
  },
  {
    name: 'an unknown financial account',
    check: 'money.stripe.financial_account',
    found: /no financial account fa_other/,
    environment: { STRIPE_FINANCIAL_ACCOUNT: 'fa_other' },
  },
  {
    name: 'a closed financial account',
    check: 'money.stripe.financial_account',
    found: /fa_test_double is closed/,
    plant: () => (stripe().financial.status = 'closed'),
  },
  {
    name: 'a currency without money',
    check: 'money.stripe.financial_account',
    verdict: 'warning',
    found: /0\.00 GBP/,
    todo: /Fund it in GBP/,
    plant: () => (stripe().financial.available = { ...stripe().financial.available, gbp: 0 }),
  },
  {
    name: 'a currency that the account does not hold',
    check: 'money.stripe.financial_account',
    verdict: 'warning',
    found: /does not hold BRL/,
    plant: () => stripe().financial.holds.pop(),
  },
  {
    name: 'automatic payouts of Stripe',
    check: 'money.stripe.payout_schedule',
    found: /pays the balance out to the bank account by itself \(daily\)/,
    todo: /Set the payout schedule to manual/,
    plant: () => (stripe().payouts = { interval: 'daily', status: 'enabled' }),
  },
  {
    name: 'payouts that Stripe has stopped',
    check: 'money.stripe.payout_schedule',
    found: /does not let this account pay out/,
    plant: () => (stripe().payouts = { interval: 'manual', status: 'disabled' }),
  },
  {
    name: 'an identity key without sensitive results',
    check: 'identity.stripe.permissions',
    verdict: 'not_checked',
    found: /shows no results/,
    plant: () => (stripe().sessions = [{ hasResults: false }]),
  },
  {
    name: 'an identity key that may not create checks',
    check: 'identity.stripe.permissions',
    found: /may not write Identity verification sessions/,
    plant: lack('rak_identity_verification_session_write'),
  },
  {
    name: 'an identity key of test mode',
    check: 'identity.stripe.key',
    found: /key of another mode/,
    plant: () => (stripe().livemode = false),
  },
  {
    name: 'an older endpoint without its version',
    check: 'identity.stripe.webhooks',
    found: /we_identity sends API version of the account's default/,
    plant: () => Object.assign(stripe().endpoints[0]!, { api_version: null }),
  },
  {
    name: 'an Adyen key without its role',
    check: 'money.adyen.key',
    found: /may not order transfers \(403\)/,
    plant: () => installation.adyen.on('POST /btl/v4/transfers', problem(403, '00_403')),
  },
  {
    name: 'an inactive balance account',
    check: 'money.adyen.balance_account',
    found: /is suspended/,
    plant: () =>
      installation.adyen.on(`GET /bcl/v2/balanceAccounts/${adyenBalanceAccount}`, {
        body: { ...installation.adyen.soundBalance, status: 'suspended' },
      }),
  },
  {
    name: 'a Checkout key of Adyen without its role',
    check: 'money.adyen-cards.key',
    found: /may not capture payments \(403\)/,
    plant: () => installation.adyenCards.on('POST /v71/payments/tern_doctor/captures', problem(403, '010')),
  },
  {
    name: 'a merchant account that is closed',
    check: 'money.adyen-cards.merchant_account',
    found: /is Closed/,
    plant: () => installation.adyenCards.on(merchantRoute, { body: { id: adyenMerchant, status: 'Closed' } }),
  },
  {
    name: 'a merchant account that does not exist',
    check: 'money.adyen-cards.merchant_account',
    found: /has no merchant account TernTest/,
    plant: () => installation.adyenCards.on(merchantRoute, problem(404, '30_004')),
  },
  {
    name: 'a key that may not read the merchant account',
    check: 'money.adyen-cards.merchant_account',
    verdict: 'not_checked',
    found: /may not read merchant accounts/,
    plant: () => installation.adyenCards.on(merchantRoute, problem(403, '010')),
  },
  {
    name: 'a missing webhook of Adyen',
    check: 'money.adyen-cards.webhooks',
    found: /No standard webhook sends to/,
    plant: () => setWebhook({ url: 'https://elsewhere.example/api/webhooks/adyen-cards' }),
  },
  {
    name: 'a webhook of Adyen that the key may not see',
    check: 'money.adyen-cards.webhooks',
    verdict: 'not_checked',
    found: /may not list all webhooks/,
    plant: () => installation.adyenCards.on('GET /v3/companies/TernCompany/webhooks', problem(403, '010')),
  },
  {
    name: 'a webhook of Adyen that is off',
    check: 'money.adyen-cards.webhooks',
    found: /is not active/,
    plant: () => setWebhook({ active: false }),
  },
  {
    name: 'a webhook of Adyen in another format',
    check: 'money.adyen-cards.webhooks',
    found: /does not send JSON/,
    plant: () => setWebhook({ communicationFormat: 'soap' }),
  },
  {
    name: 'a webhook of Adyen without a key',
    check: 'money.adyen-cards.webhooks',
    found: /has no HMAC key/,
    plant: () => setWebhook({ hmacKeyCheckValue: undefined }),
  },
  {
    name: 'a webhook of Adyen for other accounts',
    check: 'money.adyen-cards.webhooks',
    found: /leaves TernTest out/,
    plant: () => setWebhook({ filterMerchantAccounts: ['Other'] }),
  },
  {
    name: 'a webhook of Adyen without chargebacks',
    check: 'money.adyen-cards.webhooks',
    found: /leaves out CHARGEBACK\./,
    plant: () => setWebhook({ additionalSettings: { excludeEventCodes: ['CHARGEBACK', 'ORDER_OPENED'] } }),
  },
  {
    name: 'a webhook of Adyen that fails',
    check: 'money.adyen-cards.webhooks',
    verdict: 'warning',
    found: /could not deliver/,
    plant: () => setWebhook({ hasError: true }),
  },
]

const merchantRoute = `GET /v3/merchants/${adyenMerchant}`

const setWebhook = (overrides: object): void => {
  const { webhooks, address } = installation.adyenCards
  webhooks.company = [standardWebhook(address, overrides)]
}

test.each(faults)('$name is named by $check', async (fault) => {
  const { verdict = 'fault', plant, restore, todo } = fault
  await plant?.()
  try {
    const environment = typeof fault.environment === 'function' ? fault.environment() : fault.environment
    const findings = await check(environment, [fault.check])
    const named = findings.filter((finding) => finding.verdict === verdict && fault.found.test(finding.found))
    expect(named, JSON.stringify(findings, undefined, 1)).toHaveLength(1)
    if (todo) expect(named[0]?.todo).toMatch(todo)
    expect(named[0]?.todo).toBeTruthy()
    // The neighbours are not blamed.
    expect(findings.filter((finding) => finding.verdict === 'fault').length).toBeLessThanOrEqual(
      fault.check === 'login.oidc' ? 1 : verdict === 'fault' ? 1 : 0,
    )
  } finally {
    await restore?.()
    installation.stripe.reset()
    installation.proxy.reset()
    installation.sources.setSound()
    installation.adyen.setSound()
    installation.adyenCards.setSound()
  }
})

/** Checks whose faults are judged below, or which nothing can fix. */
const judgedElsewhere: ReadonlySet<string> = new Set([
  ...['database.extensions', 'database.connections', 'database.replication', 'backups.archiver'],
  'money.adyen.webhooks',
  'money.adyen-cards.reconciliation',
  'log.appending',
])

test('every check that is run has a planted fault, or a test of its own', async () => {
  const names = new Set((await check()).map((finding) => finding.check))
  const planted = faults.map((fault) => fault.check)
  const isCovered = (name: string) =>
    judgedElsewhere.has(name) || planted.some((check) => name === check || name.startsWith(`${check}.`))
  expect([...names].filter((name) => !isCovered(name))).toEqual([])
})

test('an answer that proves nothing is never called ok', async () => {
  stripe().outage = 503
  try {
    const findings = await check({}, ['money.stripe', 'identity.stripe', 'clock.providers'])
    expect(new Set(findings.map(({ verdict }) => verdict))).toEqual(new Set(['not_checked']))
  } finally {
    installation.stripe.reset()
  }
})

test('a provider that accepts orders about nothing proves no permission', async () => {
  stripe().isLying = true
  try {
    const findings = await check({}, ['money.stripe.permissions'])
    const writes = findings.filter(({ tried }) => tried.endsWith(', write).'))
    expect(writes).toHaveLength(9)
    expect(new Set(writes.map(({ verdict }) => verdict))).toEqual(new Set(['not_checked']))
  } finally {
    installation.stripe.reset()
  }
})

test('Google is checked like any other provider of logins', async () => {
  const google = await startTestOidcProvider({ redirectUri: 'https://tern.example/auth/callback', clientSecret: 'a' })
  const listGoogle = (clientSecret: string) => {
    const provider = createOidcSignInProvider({
      issuer: google.issuer,
      clientId: testClientId,
      clientSecret,
      allowHttp: true,
    })
    const none = { all: [] }
    const signIn = { external: undefined, google: provider }
    const parts = { money: none, identity: none, liquidity: none, mail: none, signIn }
    return listProviderChecks(parts as unknown as Providers)
  }
  const config = { publicUrl: 'https://tern.example', mode: 'production' }
  const run = async (clientSecret: string) => {
    const findings = await Promise.all(listGoogle(clientSecret).map((each) => each.run({ config } as never)))
    return findings.flat().map(({ verdict }) => verdict)
  }
  expect(listGoogle('a').map(({ name }) => name)).toEqual(['login.google.discovery', 'login.google.client'])
  expect(await run('a')).toEqual(['ok', 'ok'])
  expect(await run('b')).toEqual(['ok', 'fault'])
  await google.stop()
})

test('while everything hangs, each check says so after its time, and none is ok by mistake', async () => {
  stripe().isSilent = true
  installation.proxy.behaviour.isSilent = true
  for (const path of ['/ecb/eurofxref-daily.xml', '/api/v2/ticker/btcusd/'])
    installation.sources.setAnswer(path, noResponse)
  installation.adyen.on('GET /btl/v4/transfers', 'silence')
  try {
    const only = ['money', 'identity', 'public.headers', 'public.proxies', 'public.events', 'rates.sources', 'clock']
    const findings = await examine(installation.environment, { machine, only, timeoutMs: 700 })
    const late = findings.filter(({ found }) => found === 'No answer within 0.7 s.').map(({ check }) => check)
    expect(late).toEqual(expect.arrayContaining(['public.headers', 'public.proxies', 'public.events', 'rates.sources']))
    const asking = findings.filter(({ check }) => /stripe|^public|^rates|clock.providers/.test(check))
    expect(new Set(asking.map(({ verdict }) => verdict))).toEqual(new Set(['not_checked']))
  } finally {
    installation.stripe.reset()
    installation.proxy.reset()
    installation.sources.setSound()
    installation.adyen.setSound()
    installation.adyenCards.setSound()
  }
})

test('without the database, its own check is a fault, and the checks that need it are not ok', async () => {
  const findings = await check({ DATABASE_URL: 'postgres://127.0.0.1:1/none', MIGRATION_DATABASE_URL: '' }, [
    ...['database', 'worker', 'mail.waiting', 'books', 'lists', 'desk.operators', 'secret.old', 'clock.database'],
    'backups',
  ])
  const [version, ...others] = findings
  expect(version).toMatchObject({
    check: 'database.version',
    verdict: 'fault',
    found: expect.stringMatching(/ECONNREFUSED/),
  })
  expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['not_checked']))
})

test('the command changes nothing, sends no mail, and prints no secret', async () => {
  const { environment, mail, adyen, adyenCards } = installation
  const before = {
    stripe: installation.stripe.calls.length,
    adyen: adyen.calls.length,
    adyenCards: adyenCards.calls.length,
  }
  const { text } = await callTern({ ...environment, LOG_LEVEL: 'silent' }, 'doctor', '--json')
  const stripeCalls = installation.stripe.calls.slice(before.stripe)
  const orders = stripeCalls.filter(({ method }) => method !== 'GET').map(({ path }) => path)
  expect(orders).toHaveLength(10)
  for (const path of orders) expect(path).toMatch(/tern_?doctor/i)
  const adyenOrders = adyen.calls.slice(before.adyen).filter(({ route }) => route.startsWith('POST'))
  expect(adyenOrders.map(({ text }) => text)).toEqual(['{}'])
  const cardOrders = adyenCards.calls.slice(before.adyenCards).filter(({ route }) => !route.startsWith('GET'))
  expect(cardOrders.map(({ text }) => text)).toEqual(['{}', '{}'])
  expect(mail.received).toEqual([])
  for (const [name, value] of Object.entries(environment)) {
    if (/SECRET|KEY/.test(name)) for (const secret of value.split(',')) expect(text).not.toContain(secret)
  }
  for (const url of [environment.DATABASE_URL, environment.MIGRATION_DATABASE_URL, environment.SMTP_URL])
    expect(text).not.toContain(new URL(url).password)
})

test('its connections to the database cannot write, and end long statements', async () => {
  const pool = connect(installation.database.url, 1, { readOnlyForMs: 500 })
  await expect(pool.query('delete from audit_run')).rejects.toThrow(/read-only transaction/)
  await expect(pool.query('select pg_sleep(60)')).rejects.toThrow(/timeout/)
  await pool.end()
})

test('the exit code is 1 only for a fault, and --only runs a part', async () => {
  const run = (...words: string[]) => callTern(installation.environment, 'doctor', ...words)
  const { code, text } = await run('--only', 'settings')
  expect(code).toBe(0)
  expect(text).toMatch(/^ok +settings\.mode: Reads TERN_MODE\.\n +TERN_MODE is production\.$/m)
  expect(text).toMatch(/^warning +settings\.providers: .*\n.*\n +→ Set the variable, if you want this\.$/m)
  expect(text).toMatch(/^1 ok, 1 warning, 0 faults, 0 not checked\.$/m)
  await runOnce(installation.superUrl, 'alter role tern_app createrole')
  try {
    const answer = await run('--only', 'database.application_role', '--only', 'settings.mode', '--json')
    expect(answer.code).toBe(1)
    expect(JSON.parse(answer.text)).toMatchObject({
      verdict: 'fault',
      checkedAt: expect.stringMatching(/^20\d\d-/),
      findings: [
        { check: 'settings.mode', verdict: 'ok', tried: 'Reads TERN_MODE.', found: 'TERN_MODE is production.' },
        { check: 'database.application_role', verdict: 'fault', todo: expect.any(String) },
      ],
    })
  } finally {
    await runOnce(installation.superUrl, 'alter role tern_app nocreaterole')
  }
  expect(await run('--only', 'databse')).toMatchObject({ code: 2, text: expect.stringMatching(/^npx tern doctor/) })
  expect(await callTern({ ...installation.environment, PUBLIC_URL: 'tern' }, 'doctor')).toMatchObject({ code: 78 })
})

test('a database that hangs keeps no check waiting, and none of them is ok', async () => {
  const silent = await startDatabaseProxy(installation.environment.DATABASE_URL)
  silent.setSilent(true)
  const settings = { ...installation.environment, DATABASE_URL: silent.url, MIGRATION_DATABASE_URL: '' }
  const only = ['database', 'worker', 'books', 'secret.old']
  const findings = await examine(settings, { machine, only, timeoutMs: 700 })
  silent.disconnect()
  expect(new Set(findings.map(({ verdict }) => verdict))).toEqual(new Set(['not_checked']))
  expect(findings.map(({ found }) => found)).toContain('No answer within 0.7 s.')
})

test('the probes of the app answer only signed requests, for five minutes', async () => {
  const { proxy, world } = installation
  const ask = async (at: Date | undefined, path = callerProbePath) => {
    const headers =
      at === undefined
        ? {}
        : signProbe(
            readKeyRing({ TERN_SECRET: world.secret }, true, () => expect.fail()),
            at,
          )
    return (await visit(proxy.url + path, headers)).status
  }
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  expect(await ask(new Date())).toBe(200)
  for (const path of [callerProbePath, streamProbePath]) {
    expect(await ask(undefined, path)).toBe(404)
    expect(await ask(minutesAgo(6), path)).toBe(404)
    expect(await ask(minutesAgo(-6), path)).toBe(404)
  }
  const { status } = await visit(proxy.url + callerProbePath, { [probeHeader]: `${Date.now()}.AAAA` })
  expect(status).toBe(404)
})

test("docs/operating.md's table names every check", async () => {
  const manual = await fs.readFile(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
  const section = manual.split('## Checking an installation')[1]?.split('\n## ')[0] ?? ''
  const names = new Set((await check()).map((finding) => finding.check))
  expect([...names].filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})
