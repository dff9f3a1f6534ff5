import { findCountry } from '@tern/contract/countries'
import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { Capability } from '@tern/providers/money'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import type { createSingleFlight } from '../../platform/http/idempotency.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Seal } from '../../platform/seal.ts'
import type { MoneyRegistry } from '../../platform/providers/money-registry.ts'
import type { ProviderChoice } from '../../platform/providers/provider-registry.ts'
import { type Counterparties, isStoppedByCase, type ListGate } from '../compliance/compliance.ts'
import type { Exchange, MovementPrice } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import { readResidence } from '../kyc/kyc.ts'
import { isAccountStopped } from '../risk/risk.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { PaymentTerms } from './records/payment-rows.ts'
import type { PaymentRow } from './row-types.ts'

/** Dependencies of the payments feature. */
export interface PaymentContext {
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Transfers
  readonly counterparties: Pick<Counterparties, 'areStopped' | 'check' | 'end' | 'requireNotStopped'>
  readonly lists: Pick<ListGate, 'hold' | 'areTooOld'>
  readonly identity: Pick<Identity, 'usersById' | 'requireStepUp'>
  readonly notifications: Pick<Notifications, 'mail' | 'notify'>
  readonly providers: MoneyRegistry
  readonly publicUrl: string
  readonly requestPurpose: RequestPurpose
  readonly disputeCredits: DisputeCredits
  /** Derives and verifies the secrets in the return URLs of bank links. */
  readonly linkSeal: Pick<Seal, 'fingerprint' | 'fingerprints'>
  /** Seals the names that banks know, and hashes what was compared. */
  readonly payeeSeal: Seal
  readonly now: () => Date
  /** Refuses `request_in_progress` while this process runs a withdrawal with the same key. */
  readonly singleFlight: ReturnType<typeof createSingleFlight>
  readonly log: Record<'warn' | 'error', (details: object, message: string) => void>
}

/** Shortfall of a provisional credit that was reversed when its dispute was dismissed or withdrawn. */
export interface MissingCredit {
  readonly disputeId: string
  readonly exceptionId: string
  /** Shortfall, fee included. */
  readonly amount: Money
  /** Fee part of the amount, in minor units. */
  readonly fee: bigint
  /** Time of the reversal. */
  readonly at: Date
}

/** Credits of disputes, and their shortfalls. */
export interface DisputeCredits {
  /**
   * Records the return of a payout whose row is locked. Returns the parts of amount and fee, in minor units, that
   * disputes have already credited to the wallet; these count as recovered.
   */
  recover(tx: Tx, returned: ReturnedPayout): Promise<{ readonly amount: bigint; readonly fee: bigint }>
  /** Finds the shortfalls of a user's dispute credits; with `id`, of that dispute only. */
  findMissing(db: Db, filter: { readonly userId: bigint; readonly id?: string }): Promise<readonly MissingCredit[]>
  /** Locks all rows that can change the shortfall of a dispute's credit, until the transaction ends. */
  lockMissing(tx: Tx, disputeId: string): Promise<void>
  /** Records the repayment of a shortfall, before the posting with the exception's id moves the money. */
  recordPaid(tx: Tx, payment: MissingCredit & { readonly transactionId: string }): Promise<void>
}

interface ReturnedPayout {
  readonly transactionId: string
  readonly postingId: string
  readonly amount: Money
  readonly fee: bigint
  readonly at: Date
}

/** Guest's payment of a request, as in `payAsGuest` of the contract. */
export interface GuestPaymentInput {
  readonly requestId: string
  readonly currency: CurrencyCode
  /** Decimal; defaults to the unpaid rest of the request. */
  readonly amount?: string | undefined
  /** Decimal total to which the guest agreed. */
  readonly expected_total: string
}

export interface GuestOrder {
  readonly name: string
  readonly email: string
  readonly requestId: string
  /** Amount for the requester, in minor units of the request's currency. */
  readonly minor: bigint
}

/**
 * Operations of the requests feature that payments call. Those with a `tx` run while the payment is locked, and lock
 * the request before any account.
 */
export interface RequestPurpose {
  /** Page to which a request's payer returns from the card provider; undefined for a send that pays no request. */
  findReturnUrl(db: Db, payment: PaymentRow): Promise<string | undefined>
  /** Refuses `request_closed` unless this request can be paid now, and `not_found`. */
  requireOpen(db: Db, requestId: string): Promise<void>
  /** Reserves a request's amount for a member's payment. Refuses `quote_mismatch`, and like a wallet payment. */
  reserve(tx: Tx, reservation: { readonly payment: PaymentTerms; readonly requestId: string }): Promise<void>
  /**
   * Prices a guest's payment: `total` is charged to the card, `target` reaches the requester. Refuses `price_changed`,
   * and requests that cannot be paid.
   */
  priceGuest(pool: pg.Pool, request: GuestPaymentInput): Promise<MovementPrice>
  /** Records the start of a guest's payment. Refuses `limit_exceeded` and `rate_limited`. */
  recordGuest(tx: Tx, order: GuestOrder & { readonly payment: PaymentTerms; readonly usdMinor: bigint }): Promise<void>
  /** Settles or releases the amount that a member's payment reserves on a request, if any. */
  endMember(
    tx: Tx,
    end: { readonly payment: PaymentRow; readonly event: 'settle' | 'release'; readonly at: Date },
  ): Promise<void>
  /**
   * Reserves the request's amount for an authorized guest card, and returns whether to charge the card, void the
   * authorization, or wait for a case. Voids if the price has moved, unless the amount was reserved before.
   */
  authorizeGuest(tx: Tx, authorization: AuthorizedPayment): Promise<'charge' | 'let_go' | 'wait'>
  /**
   * Pays a request with a guest's arrived money, or reserves the amount while the payment waits for a case or newer
   * sanctions lists. `not_awaited`: the request cannot take the money.
   */
  settleGuest(
    tx: Tx,
    settled: { readonly payment: PaymentRow; readonly at: Date },
  ): Promise<'paid' | 'wait' | 'not_awaited'>
  /** Releases the amount reserved for a guest's failed payment. */
  failGuest(tx: Tx, failure: { readonly payment: PaymentRow; readonly at: Date }): Promise<void>
}

interface AuthorizedPayment {
  readonly payment: PaymentRow
  readonly cardFingerprint: string | undefined
  readonly isPriceKept: boolean
  readonly at: Date
}

/**
 * Runs `work` in a transaction; retries after a ledger conflict, and once if a case, freeze or loss appeared meanwhile.
 */
export async function transactWithRetry<T>(
  pool: pg.Pool,
  work: (tx: Tx, attemptNumber: number) => Promise<T>,
): Promise<T> {
  try {
    return await retryOnConflict(pool, work)
  } catch (error) {
    if (!isStoppedByCase(error) && !isAccountStopped(error)) throw error
    return retryOnConflict(pool, work)
  }
}

interface ProviderRow {
  readonly id: string
  readonly provider: string
}

/** Provider that a row names. Refuses `provider_unavailable` and logs an error if it is not configured. */
export function requireProvider(
  { providers, log }: Pick<PaymentContext, 'providers' | 'log'>,
  { id, provider }: ProviderRow,
) {
  const found = providers.find(provider)
  if (found) return found
  log.error({ id, provider }, 'a row names a provider that is not configured')
  return refuse('provider_unavailable')
}

type ProviderContext = Pick<PaymentContext, 'providers' | 'log'>

/** Refuses `provider_unavailable` and logs an error: the provider of the row lacks a required capability. */
function refuseMissingCapability(
  { log }: ProviderContext,
  { id, provider }: ProviderRow,
  capability: Capability,
): never {
  log.error({ id, provider, capability }, 'a row needs a capability that its provider lacks')
  return refuse('provider_unavailable')
}

export const requireCollector = (ctx: ProviderContext, row: ProviderRow) =>
  requireProvider(ctx, row).collect ?? refuseMissingCapability(ctx, row, 'collect')

export const requireCards = (ctx: ProviderContext, row: ProviderRow) =>
  requireCollector(ctx, row).card ?? refuseMissingCapability(ctx, row, 'collect')

export const requireDebits = (ctx: ProviderContext, row: ProviderRow) =>
  requireCollector(ctx, row).debit ?? refuseMissingCapability(ctx, row, 'collect')

export const requireLinks = (ctx: ProviderContext, row: ProviderRow) =>
  requireProvider(ctx, row).link ?? refuseMissingCapability(ctx, row, 'link')

export const requirePayouts = (ctx: ProviderContext, row: ProviderRow) =>
  requireProvider(ctx, row).payout ?? refuseMissingCapability(ctx, row, 'payout')

export interface Mailbox {
  readonly userId: bigint
  readonly email: string
}

/** Email address of a user; undefined for an unknown user. */
export async function findMailbox(
  { identity }: Pick<PaymentContext, 'identity'>,
  db: Db,
  userId: bigint,
): Promise<Mailbox | undefined> {
  const user = (await identity.usersById(db, [userId])).get(userId)
  return user && { userId, email: user.email }
}

/**
 * Chooses the provider for a new payment, link or payout of a user. Refuses `provider_unavailable` if no rule matches.
 */
export const chooseProvider = async (
  ctx: Pick<PaymentContext, 'providers'>,
  db: Db,
  choice: UserChoice,
): Promise<string> => (await findProvider(ctx, db, choice)) ?? refuse('provider_unavailable')

type UserChoice = Pick<ProviderChoice, 'method' | 'currency' | 'savesCard'> & { readonly userId: bigint }

/** Chooses the provider like `chooseProvider`; undefined if no rule matches. */
export async function findProvider(
  { providers }: Pick<PaymentContext, 'providers'>,
  db: Db,
  { userId, ...what }: UserChoice,
): Promise<string | undefined> {
  const country = findCountry((await readResidence(db, userId)) ?? '')?.code
  return providers.choose({ ...what, country })?.name
}

interface PayoutAccount {
  /** Provider that linked it. */
  readonly provider: string
  readonly currency: CurrencyCode
  readonly country: string
}

/**
 * Chooses the provider for payouts to a bank account: by the rules if that provider can pay to the account, else the
 * one that linked it. Undefined if neither can.
 */
export function choosePayoutProvider(
  { providers }: Pick<PaymentContext, 'providers'>,
  { provider: linkedAt, currency, country }: PayoutAccount,
): string | undefined {
  const linkProvider = providers.find(linkedAt)
  const payoutProvider = providers.choosePayout({ currency, country })
  const isUsable = payoutProvider?.payout && (!payoutProvider.payout.needsPayee || linkProvider?.link?.readPayee)
  const chosen = isUsable ? payoutProvider : linkProvider
  return chosen?.payout ? chosen.name : undefined
}

const batchSize = 500

/** Returns a batch of rows that match `where` and are due for polling, least recently polled first. */
export async function readPending<Row extends pg.QueryResultRow>(
  db: Db,
  { table, where, polledBefore }: { readonly table: string; readonly where: string; readonly polledBefore: Date },
): Promise<Row[]> {
  const dueSql = `${where} and last_polled_at < $1 order by last_polled_at limit ${batchSize}`
  return (await db.query<Row>(`select * from ${table} where ${dueSql}`, [polledBefore])).rows
}

/** Logs the failed check of a pending row instead of throwing, so that the remaining rows are still checked. */
export const logUnchecked = (
  { log }: Pick<PaymentContext, 'log'>,
  { error, table, id }: { readonly error: unknown; readonly table: string; readonly id: string },
): void => log.error({ err: error, table, id }, 'a pending row could not be checked')

/** Marks a row as polled. Call it before the check, so that a row whose check fails goes to the end of the queue. */
export const markPolled = (
  { now }: Pick<PaymentContext, 'now'>,
  db: Db,
  { table, id }: { readonly table: string; readonly id: string },
) => db.query(`update ${table} set last_polled_at = $2 where id = $1`, [id, now()])
