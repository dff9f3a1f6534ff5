import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Config } from './platform/runtime/config.ts'
import { createDatabaseWatch } from './platform/database/database-watch.ts'
import { connect } from './platform/database/db.ts'
import { createExchange, createRates, quoteKeyPurpose } from './features/exchange/exchange.ts'
import { createCases, createCompliance, createMonitoring, createTravelRule } from './features/compliance/compliance.ts'
import { createIdentity } from './features/identity/identity.ts'
import { createDisputes, disputeCredits } from './features/disputes/disputes.ts'
import { createDesk } from './features/desk/desk.ts'
import { createFormSeal, createKyc } from './features/kyc/kyc.ts'
import { createNotifications } from './features/notifications/notifications.ts'
import { createOrderPurpose, createOrders } from './features/orders/orders.ts'
import { payeeSealPurpose } from './features/payments/tables.ts'
import { createPayments } from './features/payments/payments.ts'
import {
  createHeldTransfers,
  createTransferLinks,
  createTransfers,
  createUndoWindows,
  type TransferRule,
} from './features/transfers/transfers.ts'
import { createOperatorPseudonyms, createPrivacy, pseudonymKeyPurpose } from './features/privacy/privacy.ts'
import { createStreetMode } from './features/risk/risk.ts'
import { createPrices } from './features/prices/prices.ts'
import { createLiabilities } from './features/liabilities/liabilities.ts'
import { createSafeguarding } from './features/safeguarding/safeguarding.ts'
import { createTransparency } from './features/transparency/transparency.ts'
import { createTreasury } from './features/treasury/treasury.ts'
import { createRequestPurpose, createRequests } from './features/requests/requests.ts'
import { createMover, type MoveOutcome, type Mover, type MoveRequest } from './features/wallets/move.ts'
import { createWallets } from './features/wallets/wallets.ts'
import { manifests } from './manifests/manifests.ts'
import type { Metrics } from './platform/runtime/metrics.ts'
import { readRetainedKeys } from './platform/keys/retained-keys.ts'
import { rowSealKeys } from './platform/row-seals.ts'
import { createProviders } from './platform/providers/providers.ts'
import { createSeal } from './platform/seal.ts'
import { tracing } from './platform/tracing/tracing.ts'
import { createWaker, type Waker } from './platform/events/waker.ts'

const accountEvents = manifests.flatMap((feature) => feature.accountEvents ?? [])

export interface ProductOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
  /** Transfer rules that replace the registered ones. */
  readonly transferRules?: readonly TransferRule[] | undefined
  /** Time after which an unused database connection closes, in milliseconds. */
  readonly idleMs?: number
}

/** Creates every feature, dependencies first, and connects them. */
export async function createProduct(options: ProductOptions) {
  const platform = await startPlatform(options)
  const people = await createPeople(platform)
  const trading = await createTrading({ ...platform, ...people })
  const screening = createScreening({ ...platform, ...people, ...trading })
  const money = createMoneyFeatures({ ...platform, ...people, ...trading, ...screening }, options.transferRules)
  const desk = await createOperatorFeatures({ ...platform, ...people, ...trading, ...screening, ...money })
  return {
    ...platform,
    ...people,
    ...trading,
    ...screening,
    ...money,
    ...desk,
    close: () => closeAll([platform.mover, people.identity, platform.providers, platform.databaseWatch], platform.pool),
  }
}

export type Product = Awaited<ReturnType<typeof createProduct>>

type Platform = Awaited<ReturnType<typeof startPlatform>>
type People = Awaited<ReturnType<typeof createPeople>>
type TradingFeatures = Awaited<ReturnType<typeof createTrading>>
type Screening = ReturnType<typeof createScreening>
type MoneyFeatures = ReturnType<typeof createMoneyFeatures>

/** Creates the database pool, providers, clock, the mover of money, and the waker of event streams. */
async function startPlatform({ config, databaseUrl, metrics, log, idleMs }: ProductOptions) {
  const { secret, publicUrl } = config
  const [sealKey] = rowSealKeys(secret)
  const pool: pg.Pool = connect(databaseUrl, 16, { sealKey, idleMs })
  const databaseWatch = createDatabaseWatch({ databaseUrl, pool, log })
  const providers = await createProviders(config, metrics, log)
  await providers.sandboxClock?.sync()
  const { mover, waker } = createMeteredMover({ pool, databaseUrl, metrics, log })
  return {
    config,
    log,
    metrics,
    databaseUrl,
    pool,
    databaseWatch,
    secret,
    publicUrl,
    providers,
    now: () => providers.clock.now(),
    mover,
    waker,
  }
}

/** Creates accounts, notifications, wallets, identity verification and screening lists. */
async function createPeople(platform: Platform) {
  const { pool, databaseUrl, providers, waker, now, log, config, secret, publicUrl } = platform
  const compliance = createCompliance({
    pool,
    now,
    log,
    areListsRequired: config.lists.areRequired,
    listAddresses: config.lists.addresses,
    formSeal: createFormSeal(secret),
  })
  const notifications = createNotifications({
    secret,
    provider: providers.chosen.mail,
    publicUrl,
    pool,
    now,
    log,
    wake: waker.wake,
    accountEvents,
  })
  const identity = await createIdentity({
    notifications,
    pool,
    databaseUrl,
    secret,
    publicUrl,
    now,
    log,
    signInProviders: providers.signIn,
    secureCookie: publicUrl.startsWith('https:'),
    sessionLimits: config.sessions,
    operatorName: config.publicSettings.operatorName,
    accountEvents,
  })
  const kyc = createKyc({
    pool,
    secret,
    identity,
    notifications,
    now,
    stopsVerification: compliance.stopsVerification,
    lists: compliance.lists,
    log,
    publicUrl,
    providers: providers.identity,
    accountEvents,
  })
  return { compliance, notifications, identity, wallets: createWallets(identity), kyc }
}

/** Creates exchange rates, quotes and the operator's trades. */
async function createTrading(parts: Platform & People) {
  const { pool, secret, now, log, providers } = parts
  const undoWindows = createUndoWindows(parts)
  const rates = createRates({ sources: providers.rates, now, log })
  const retainedKeys = (await readRetainedKeys(pool, secret)).get(quoteKeyPurpose)
  const exchange = createExchange({ ...parts, undoWindows, rates, retainedKeys })
  return {
    undoWindows,
    exchange,
    treasury: createTreasury({ ...parts, exchange, venues: providers.liquidity }),
  }
}

/** Creates the features that examine payments and people: cases, travel rule, monitoring, screening, street mode. */
function createScreening(parts: Platform & People & TradingFeatures) {
  const { counterparties, lists, screenOutdated } = parts.compliance
  return {
    cases: createCases(parts),
    travelRule: createTravelRule(parts),
    monitoring: createMonitoring(parts),
    counterparties,
    lists,
    screenOutdated,
    streetMode: createStreetMode({ ...parts, usdMinorOf: parts.exchange.usdMinorOf }),
  }
}

type MoneyParts = Platform & People & TradingFeatures & Screening

/** Creates the features that move users' money. */
function createMoneyFeatures(parts: MoneyParts, transferRules: readonly TransferRule[] | undefined) {
  const transfers = createTransfers({ ...parts, rules: transferRules })
  const transferParts = { ...parts, transfers }
  const linkSeal = createSeal(parts.secret, 'payments/bank-link')
  const payeeSeal = createSeal(parts.secret, payeeSealPurpose)
  const requestPurpose = createRequestPurpose(transferParts)
  const payments = createPayments({
    ...transferParts,
    providers: parts.providers.money,
    linkSeal,
    payeeSeal,
    requestPurpose,
    disputeCredits,
  })
  const requests = createRequests({ ...transferParts, payments })
  const purposes = [requests, createOrderPurpose(transferParts)]
  const heldTransfers = createHeldTransfers({ ...transferParts, payments, purposes })
  const orders = createOrders({ ...transferParts, heldTransfers })
  return {
    prices: createPrices({ ...parts, isSandbox: parts.config.mode === 'sandbox' }),
    transfers,
    orders,
    payments,
    safeguarding: createSafeguarding({
      ...parts,
      banks: parts.providers.safeguarding,
      providers: parts.providers.money,
    }),
    requestPurpose,
    purposes,
    requests,
    disputes: createDisputes({ ...transferParts, payments }),
    disputeCredits,
    linkSeal,
    payeeSeal,
    heldTransfers,
    transferLinks: createTransferLinks({ ...transferParts, heldTransfers }),
  }
}

/** Creates the privacy features and the operators' desk. */
async function createOperatorFeatures(parts: MoneyParts & MoneyFeatures) {
  const { pool, secret, config } = parts
  const operatorPseudonym = createOperatorPseudonyms(
    secret,
    (await readRetainedKeys(pool, secret)).get(pseudonymKeyPurpose),
  )
  const transparency = createTransparency(parts)
  return {
    transparency,
    liabilities: createLiabilities({ ...parts, transparency }),
    privacy: createPrivacy(parts),
    operatorPseudonym,
    desk: createDesk({
      deskUrl: config.operations.deskUrl,
      log: parts.log,
      queues: manifests.flatMap(({ deskQueues = [] }) => deskQueues),
    }),
  }
}

async function closeAll(parts: readonly { close(): unknown }[], pool: pg.Pool): Promise<void> {
  for (const part of parts) await part.close()
  await pool.end()
}

/** Creates a mover that counts batches and outcomes, and the waker that it notifies. */
function createMeteredMover({
  pool,
  databaseUrl,
  metrics,
  log,
}: Omit<ProductOptions, 'config'> & { readonly pool: pg.Pool }) {
  const waker = createWaker({ databaseUrl, log })
  const mover = createMover({
    pool,
    databaseUrl,
    metrics: {
      batch(movements, durationMs) {
        metrics.batchSize.observe(movements)
        metrics.batchSeconds.observe(durationMs / 1000)
      },
      retry(cause) {
        metrics.batchRetries.inc({ cause })
        log.warn({ cause }, 'a batch of movements is sent again')
      },
    },
    trace: tracing()?.poster,
    onMoved: (userIds) => waker.wake(userIds),
  })
  const countOutcome = (outcome: MoveOutcome): MoveOutcome => {
    metrics.movements.inc({ outcome: outcome.status === 'refused' ? outcome.reason : outcome.status })
    return outcome
  }
  const meteredMover: Mover = {
    ...mover,
    move: (request) => traceMovement(request, waker, async () => countOutcome(await mover.move(request))),
    moveWithin: (tx, request) =>
      traceMovement(request, waker, async () => countOutcome(await mover.moveWithin(tx, request))),
    async close() {
      await mover.close()
      await waker.close()
    },
  }
  return { mover: meteredMover, waker }
}

/** Moves money in a span, and passes the span to the process that notifies about the movement. */
function traceMovement(
  { movement: { kind, reference } }: MoveRequest,
  waker: Pick<Waker, 'passTrace'>,
  work: () => Promise<MoveOutcome>,
): Promise<MoveOutcome> {
  const traces = tracing()
  if (!traces) return work()
  return traces.span('move', { attributes: { 'tern.movement.kind': kind } }, async () => {
    const traceparent = traces.current()
    const outcome = await work()
    if (traceparent !== undefined && outcome.status === 'posted') waker.passTrace(reference, traceparent)
    return outcome
  })
}
