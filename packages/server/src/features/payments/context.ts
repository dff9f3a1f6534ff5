import { countryOf } from '@tern/contract/countries'
import type { Money } from '@tern/money/money'
import type { MoneyProvider } from '@tern/providers/money'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Seal } from '../../platform/seal.ts'
import type { ProviderChoice, ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import { type Counterparties, isStoppedByCase, type ListGate } from '../compliance/compliance.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Identity } from '../identity/identity.ts'
import { readResidence } from '../kyc/kyc.ts'
import { isAccountStopped } from '../risk/risk.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Mover } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { PaymentRow, PaymentTerms } from './records/payment-rows.ts'

/** What every part of payments needs. */
export interface PaymentContext {
  readonly pool: pg.Pool
  readonly mover: Mover
  readonly wallets: Wallets
  readonly exchange: Exchange
  readonly transfers: Transfers
  readonly counterparties: Pick<Counterparties, 'areStopped' | 'areStoppedNow' | 'check' | 'end' | 'requireNotStopped'>
  readonly lists: Pick<ListGate, 'hold' | 'areTooOld'>
  readonly identity: Pick<Identity, 'usersById' | 'requireStepUp'>
  readonly notifications: Pick<Notifications, 'mail' | 'notify'>
  readonly providers: ProviderRegistry<MoneyProvider>
  readonly publicUrl: string
  readonly collections: Collections
  readonly disputeCredits: DisputeCredits
  /** Makes and recognises the secrets of return addresses. */
  readonly linkSeal: Pick<Seal, 'fingerprint' | 'fingerprints'>
  readonly now: () => Date
  /** For operators. */
  readonly log: Record<'warn' | 'error', (details: object, message: string) => void>
}

/** What is missing of the provisional credit of a dispute that was decided otherwise. */
export interface MissingCredit {
  readonly disputeId: string
  readonly exceptionId: string
  /** With the fee. */
  readonly amount: Money
  /** Of the amount, in minor units. */
  readonly fee: bigint
  /** When it was taken back. */
  readonly at: Date
}

/** What disputes gave back of money that left a wallet, and what of that is missing. */
export interface DisputeCredits {
  /**
   * The bank sent a payout back, by this posting. Gives how much of it and of its fee, in minor units, the wallet has got because of
   * disputes already; that is noted as recovered. The payout is locked.
   */
  recover(
    tx: Tx,
    transactionId: string,
    returned: { readonly postingId: string; readonly amount: Money; readonly fee: bigint; readonly at: Date },
  ): Promise<{ readonly amount: bigint; readonly fee: bigint }>
  /** What a person's open losses of disputes lack; only of one dispute if that is given. */
  missing(db: Db, userId: bigint, disputeId?: string): Promise<readonly MissingCredit[]>
  /** Locks everything that can change what is missing of a dispute's credit, until the transaction ends. */
  lockMissing(tx: Tx, disputeId: string): Promise<void>
  /** Notes that the posting with the id of the exception pays what is missing, before it moves anything. */
  notePaid(tx: Tx, paid: MissingCredit, transactionId: string): Promise<void>
}

/**
 * What payments from outside mean for the requests they pay, by guests and by members. Each is looked up before the transaction begins; its step runs
 * there once the payment is locked, and locks the request before any account.
 */
export interface Collections {
  /** Where the payer of a request returns from the card provider's page; undefined for a send that pays no request. */
  returnUrl(payment: PaymentRow): Promise<string | undefined>
  /** Refuses `request_closed` unless this request can be paid now. */
  requireOpen(requestId: string): Promise<void>
  /** Sets a request's amount aside for a member's payment, in the transaction that begins it. Refuses as paying by wallet does. */
  reserve(tx: Tx, payment: PaymentTerms, requestId: string): Promise<void>
  /** What the end of a member's payment means for its request; undefined when it pays none. */
  ended(payment: PaymentRow): Promise<((tx: Tx, event: 'settle' | 'release', at: Date) => Promise<void>) | undefined>
  /**
   * The card's bank keeps the money ready. Sets the request's amount aside, and says whether the card is charged, let go, or
   * kept waiting for a case; where the price does not hold any more it is let go, unless the amount was set aside before.
   */
  authorized(payment: PaymentRow, held: HeldReady): Promise<(tx: Tx, at: Date) => Promise<'charge' | 'let_go' | 'wait'>>
  /** The money has come: the request has it, it waits for a case, or nothing is changed because the request cannot take it. */
  settled(payment: PaymentRow): Promise<(tx: Tx, at: Date) => Promise<'paid' | 'wait' | 'not_awaited'>>
  /** Nothing comes: frees what was set aside. */
  failed(payment: PaymentRow): Promise<(tx: Tx, at: Date) => Promise<void>>
}

/** Money that a card's bank keeps ready. */
export interface HeldReady {
  readonly cardFingerprint: string | undefined
  /** Whether the payment's price holds still. */
  readonly isPriceKept: boolean
}

/** Applies a confirmed provider outcome inside a transaction and names the result; lookups came before. Idempotent. */
export type Transition = (tx: Tx) => Promise<string>

/** Applies a transition in a transaction of its own. */
export async function apply(context: PaymentContext, transition: Transition | undefined): Promise<string | undefined> {
  if (!transition) return undefined
  try {
    return await retryOnConflict(context.pool, transition)
  } catch (error) {
    if (!isStoppedByCase(error) && !isAccountStopped(error)) throw error
    // A case, freeze or loss appeared during the transition; the retry sees it.
    return retryOnConflict(context.pool, transition)
  }
}

/** The one provider that is asked about a row. Refuses `provider_unavailable` and tells operators if it is missing. */
export function providerOf({ providers, log }: PaymentContext, { id, provider }: { id: string; provider: string }) {
  const found = providers.find(provider)
  if (found) return found
  log.error({ id, provider }, 'a row names a provider that is not configured')
  return refuse('provider_unavailable')
}

export interface Mailbox {
  readonly userId: bigint
  readonly email: string
}

/** Whom a mail to this user goes to. */
export async function mailboxOf({ identity, pool }: PaymentContext, userId: bigint): Promise<Mailbox | undefined> {
  const user = (await identity.usersById(pool, [userId])).get(userId)
  return user && { userId, email: user.email }
}

/** The provider that takes something new of this user. Refuses `provider_unavailable` when the rules name none. */
export async function chooseProvider(
  { providers, pool }: PaymentContext,
  userId: bigint,
  what: Pick<ProviderChoice, 'method' | 'currency'>,
): Promise<string> {
  const country = countryOf((await readResidence(pool, userId)) ?? '')?.code
  return providers.choose({ ...what, country })?.name ?? refuse('provider_unavailable')
}

const mostAtOnce = 500

/** Checks the rows that `where` selects, longest waiting first. A failed check is logged and holds up no other. */
export async function pollEach<R extends { readonly id: string }>(
  { pool, log }: PaymentContext,
  table: string,
  where: string,
  polledBefore: Date,
  check: (row: R) => Promise<unknown>,
): Promise<void> {
  const due = `${where} and last_polled_at < $1 order by last_polled_at limit ${mostAtOnce}`
  const { rows } = await pool.query<R>(`select * from ${table} where ${due}`, [polledBefore])
  for (const row of rows) {
    try {
      await check(row)
    } catch (error) {
      log.error({ err: error, table, id: row.id }, 'a pending row could not be checked')
    }
  }
}

/** Notes that a row is being polled. Comes first, so that one that fails goes behind those still waiting. */
export const markPolled = ({ pool, now }: PaymentContext, table: string, id: string) =>
  pool.query(`update ${table} set last_polled_at = $2 where id = $1`, [id, now()])
