import type { EventHeaders } from '@tern/providers/events/port'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Config } from './platform/runtime/config.ts'
import { createDatabaseWatch } from './platform/database/database-watch.ts'
import { connect } from './platform/database/db.ts'
import { createExchange, createRates, quoteKeyPurpose } from './features/exchange/exchange.ts'
import {
  type Compliance,
  createCases,
  createCompliance,
  createMonitoring,
  createTravelRule,
} from './features/compliance/compliance.ts'
import { createIdentity } from './features/identity/identity.ts'
import { createDisputes, disputeCredits } from './features/disputes/disputes.ts'
import { createDesk } from './features/desk/desk.ts'
import { createFormSeal, createKyc, type Kyc } from './features/kyc/kyc.ts'
import { createNotifications } from './features/notifications/notifications.ts'
import { createOrders } from './features/orders/orders.ts'
import { createPayments, type Payments } from './features/payments/payments.ts'
import { createSchedules } from './features/schedules/schedules.ts'
import {
  createHeldTransfers,
  createTransferLinks,
  createTransfers,
  createUndoWindows,
  type TransferRule,
} from './features/transfers/transfers.ts'
import {
  createOperatorPseudonyms,
  createPrivacy,
  pseudonymKeyPurpose,
  recordMailChoices,
  recordSignUpConsents,
} from './features/privacy/privacy.ts'
import { createStreetMode } from './features/risk/risk.ts'
import { createPrices } from './features/prices/prices.ts'
import { createTreasury } from './features/treasury/treasury.ts'
import { createRequestPurpose, createRequests } from './features/requests/requests.ts'
import { createMover, type MoveOutcome, type Mover } from './features/wallets/move.ts'
import { createWaitlist } from './features/waitlist/waitlist.ts'
import { createWallets, openWallet, reopenWallet, setBaseCurrency } from './features/wallets/wallets.ts'
import type { Metrics } from './platform/runtime/metrics.ts'
import { readRetainedKeys } from './platform/keys/retained-keys.ts'
import { rowSealKeys } from './platform/row-seals.ts'
import { createProviders, type Providers } from './platform/providers/providers.ts'
import { refuse } from './platform/refuse.ts'
import { createSeal, type Secret } from './platform/seal.ts'
import { createWaker } from './platform/events/wake.ts'

export interface ProductOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
  /** Transfer rules in place of the registered ones. */
  readonly transferRules?: readonly TransferRule[] | undefined
  /** Time after which an unused database connection closes. */
  readonly idleMs?: number
}

/** Builds every feature, dependencies first; all wiring happens here. */
export async function createProduct({ config, databaseUrl, metrics, log, transferRules, idleMs }: ProductOptions) {
  const [sealKey] = rowSealKeys(config.secret)
  const pool: pg.Pool = connect(databaseUrl, 16, { sealKey, idleMs })
  const databaseWatch = createDatabaseWatch({ databaseUrl, pool, log })
  const providers = await createProviders(config, metrics, log)
  await providers.sandboxClock?.sync()
  const now = () => providers.clock.now()
  const { secret, publicUrl } = config

  const { mover, waker } = createCountedMover({ pool, databaseUrl, metrics, log })
  const basis = { pool, databaseUrl, providers, waker, now, log, config }
  const compliance = complianceOf(basis)
  const { notifications, identity, wallets, kyc } = await createPeople(basis, compliance)
  const cases = createCases({ pool, notifications, identity, publicUrl, now })
  const undoWindows = createUndoWindows({ pool, wallets, now })
  const trading = await createTrading({ pool, wallets, secret, now, undoWindows, mover, providers, log })
  const watched = { pool, secret, now, kyc, exchange: trading.exchange }
  const [travelRule, monitoring] = [createTravelRule(watched), createMonitoring(watched)]
  const screening = screeningOf(compliance)
  const money = { ...screening, pool, mover, wallets, exchange: trading.exchange, identity, monitoring, now, log }
  const transfers = createTransfers({ ...money, rules: transferRules })
  const ordered = { ...money, transfers, identity, notifications, publicUrl }
  const schedules = createSchedules({ ...ordered, requireStepUp: identity.requireStepUp })
  const linkSeal = createSeal(secret, 'payments/bank-link')
  const requestPurpose = createRequestPurpose({ ...ordered, secret })
  const outside = { providers: providers.money, linkSeal, requestPurpose, disputeCredits }
  const payments = createPayments({ ...ordered, ...outside })
  const requests = createRequests({ ...ordered, payments, secret })
  const orders = createOrders({ ...ordered, cancelHeld: (own) => heldTransfers.cancel(own) })
  const endPurpose: HeldOptions['endPurpose'] = async (tx, ended) =>
    (await requests.endHeldPayment(tx, ended)) || orders.endHeldOrder(tx, ended)
  const heldTransfers = createHeldTransfers({ ...ordered, payments, cases, endPurpose })
  const transferLinks = createTransferLinks({ ...ordered, heldTransfers, secret })
  const operatorPseudonym = await pseudonymsOf(pool, secret)
  const disputes = createDisputes({ ...ordered, payments, secret })
  const decided = { ...trading, compliance, kyc, payments, heldTransfers, cases, disputes }
  const inside = { pool, deskUrl: config.operations.deskUrl, log, now, identity, wallets, operatorPseudonym }
  const desk = createDesk({ ...decided, ...inside })

  return {
    ...{ pool, databaseWatch, providers, now, notifications, identity, kyc, compliance, cases, travelRule, monitoring },
    privacy: createPrivacy({ ...ordered, databaseUrl, payments, kyc, secret, travelRule }),
    ...{ wallets, ...screening },
    mover,
    waker,
    ...trading,
    prices: createPrices({ ...money, publicUrl, secret, isSandbox: config.mode === 'sandbox' }),
    transfers,
    orders,
    schedules,
    payments,
    requestPurpose,
    endPurpose,
    receiveEvent: eventReceiver({ kyc, payments, providers }),
    requests,
    disputes,
    disputeCredits,
    linkSeal,
    heldTransfers,
    transferLinks,
    streetMode: createStreetMode({ pool, identity, now, usdMinorOf: trading.exchange.usdMinorOf }),
    ...{ desk, operatorPseudonym, undoWindows },
    waitlist: createWaitlist({ pool, formUrl: config.waitlistFormUrl }),
    close: () => closeAll([mover, identity, providers, databaseWatch], pool),
  }
}

export type Product = Awaited<ReturnType<typeof createProduct>>

type HeldOptions = Parameters<typeof createHeldTransfers>[0]

interface Basis extends Pick<ProductOptions, 'config' | 'databaseUrl' | 'log'> {
  readonly pool: pg.Pool
  readonly providers: Providers
  readonly waker: ReturnType<typeof createWaker>
  readonly now: () => Date
}

const complianceOf = ({ pool, now, log, config: { lists, secret } }: Basis): Compliance => {
  const { areRequired: areListsRequired, addresses: listAddresses } = lists
  return createCompliance({ pool, now, log, areListsRequired, listAddresses, formSeal: createFormSeal(secret) })
}

/** Screening functions for the features that move money. */
const screeningOf = ({ counterparties, lists, screenBehind }: Compliance) => ({ counterparties, lists, screenBehind })

/** Accounts, notifications, wallets and identity checks. */
async function createPeople(
  { pool, databaseUrl, providers, waker, now, log, config }: Basis,
  { stopsVerification, lists }: Pick<Compliance, 'stopsVerification' | 'lists'>,
) {
  const { secret, publicUrl } = config
  const mail = { secret, provider: providers.chosen.mail, publicUrl }
  const notifications = createNotifications({
    ...mail,
    pool,
    now,
    log,
    wake: waker.wake,
    onMailChoices: recordMailChoices,
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
    onAccountKept: (_ctx, tx, userId) => reopenWallet(tx, userId),
    async onRegistered(ctx, tx, userId) {
      const at = ctx.now()
      await openWallet(tx, { userId, at })
      await recordSignUpConsents(tx, { userId, at })
    },
  })
  const wallets = createWallets(identity)
  const kyc = createKyc({
    pool,
    secret,
    identity,
    notifications,
    now,
    stopsVerification,
    lists,
    log,
    publicUrl,
    providers: providers.identity,
    onVerified: (_ctx, tx, { userId, baseCurrency: currency }) => setBaseCurrency(tx, { userId, currency }),
  })
  return { notifications, identity, wallets, kyc }
}

interface EventReceivers {
  readonly kyc: Kyc
  readonly payments: Pick<Payments, 'receiveEvent'>
  readonly providers: Pick<Providers, 'money'>
}

/**
 * Takes in an event of a provider, which may move money, check identities, or both, under one address. Refuses `not_found` and
 * `signature_invalid`.
 */
const eventReceiver =
  ({ kyc, payments, providers }: EventReceivers) =>
  async (provider: string, rawBody: Buffer, headers: EventHeaders): Promise<void> => {
    const outcome = await kyc.receiveEvent({ provider, rawBody, headers })
    if (outcome === 'taken_in') return
    if (outcome !== 'not_ours' && !providers.money.find(provider)) {
      if (outcome === 'not_authentic') refuse('signature_invalid')
      return
    }
    await payments.receiveEvent({ provider, rawBody, headers })
  }

type TradingParts = Omit<Parameters<typeof createExchange>[0], 'rates' | 'retainedKeys'> &
  Omit<Parameters<typeof createTreasury>[0], 'exchange' | 'venues'> & { readonly providers: Providers }

/** Prices for people, and what the operator trades on because of them. */
async function createTrading({ providers, ...parts }: TradingParts) {
  const rates = createRates({ sources: providers.rates, now: parts.now, log: parts.log })
  const retainedKeys = (await readRetainedKeys(parts.pool, parts.secret)).get(quoteKeyPurpose)
  const exchange = createExchange({ ...parts, rates, retainedKeys })
  return { exchange, treasury: createTreasury({ ...parts, exchange, venues: providers.liquidity }) }
}

const pseudonymsOf = async (pool: pg.Pool, secret: Secret) =>
  createOperatorPseudonyms(secret, (await readRetainedKeys(pool, secret)).get(pseudonymKeyPurpose))

async function closeAll(parts: readonly { close(): unknown }[], pool: pg.Pool): Promise<void> {
  for (const part of parts) await part.close()
  await pool.end()
}

/** A mover that counts batches and outcomes, and the waker it notifies. */
function createCountedMover({
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
      batch: (movements) => metrics.batchSize.observe(movements),
      retry: (cause) => log.warn({ cause }, 'a batch of movements is sent again'),
    },
    onMoved: (userIds) => waker.wake(userIds),
  })
  const counted = (outcome: MoveOutcome): MoveOutcome => {
    metrics.movements.inc({ outcome: outcome.status === 'refused' ? outcome.reason : outcome.status })
    return outcome
  }
  const countedMover: Mover = {
    ...mover,
    move: async (request) => counted(await mover.move(request)),
    moveWithin: async (tx, request) => counted(await mover.moveWithin(tx, request)),
    async close() {
      await mover.close()
      await waker.close()
    },
  }
  return { mover: countedMover, waker }
}
