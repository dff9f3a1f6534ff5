import assert from 'node:assert'
import { plainArray, textArray } from '@tern/ledger/array-literal'
import { LedgerError, toLedgerError, readSqlState } from '@tern/ledger/ledger'
import {
  assertMovement,
  batchExpression,
  encodeBatch,
  type Movement,
  type Outcome,
  toOutcome,
  type QuotaUse,
} from '@tern/ledger/movement'
import { createPoster, type PosterMetrics, type PosterTrace, type PostingMode } from '@tern/ledger/group-commit/poster'
import type { Money } from '@tern/money/money'
import type { Ratio } from '@tern/money/ratio'
import type pg from 'pg'
import { afterCommit, type Db, type Tx } from '../../platform/database/db.ts'
import { readDeadline } from '../../platform/http/deadline.ts'
import { refuse, type RefusalDetails } from '../../platform/refuse.ts'
import { explainRefusal, type LimitUsage } from '../limits/limits.ts'
import { encodeGuards, guardTypes, type SendGuard } from './guards/send-guard.ts'
import { reopenForArrival } from './accounts/closing.ts'
import { type Description, serializeDescription } from './description.ts'

export type { SendGuard, SendRoom } from './guards/send-guard.ts'

export type TransactionKind = 'DEPOSIT' | 'WITHDRAW' | 'SEND' | 'RECEIVE' | 'EXCHANGE'
export type TransactionStatus = 'COMPLETED' | 'PENDING' | 'FAILED'
export type PaymentSource = 'wallet' | 'card' | 'bank' | 'wallet_partial'

/** One user's row of a movement. Its id, posting and time are the movement's reference, id and time. */
export interface NewTransaction {
  readonly userId: bigint
  readonly kind: TransactionKind
  readonly status: TransactionStatus
  readonly senderId?: bigint
  readonly recipientId?: bigint
  /** This user's wallet. */
  readonly walletId: string
  readonly fromWalletId?: string
  readonly toWalletId?: string
  readonly description: Description
  readonly source: Money
  readonly target: Money
  /** In minor units of the bridge's stablecoin. */
  readonly stablecoinAmount?: bigint
  /** Whole target units per whole source unit. */
  readonly rate?: Ratio
  readonly fee: Money
  readonly paymentSource?: PaymentSource
  readonly paymentId?: string
  readonly quoteId?: string
}

export interface MoveRequest {
  readonly movement: Movement
  readonly rows: readonly NewTransaction[]
  /** Counts against the payer's limits; beyond one, the movement is refused. Pulls count when they begin, not here. */
  readonly usage?: LimitUsage
  /** Decides a wallet send; undefined if the movement needs no decision. */
  readonly guard?: SendGuard | undefined
  /** PENDING transactions that this movement ends. */
  readonly settles?: readonly { readonly id: string; readonly status: 'COMPLETED' | 'FAILED' }[]
}

/** Outcome of a movement. If a limit refused it, `details` name the limit. */
export type MoveOutcome = Outcome & { readonly details?: RefusalDetails }

/** Transaction rows that are listed before their movement, which may never follow. */
export interface PendingTransaction {
  readonly reference: string
  readonly postingId: string
  readonly at: Date
  readonly rows: readonly NewTransaction[]
}

/** Moves money: posts to the ledger and, in the same commit, writes the users' rows. All money moves through here. */
export interface Mover {
  /**
   * Moves in the next group commit, outside any transaction of the caller. `move` and `moveWithin` refuse
   * `recipient_not_found` for a closed account, and `credit_undecided` for provisional credit to a new payee.
   */
  move(request: MoveRequest): Promise<MoveOutcome>
  /** Moves in the caller's transaction, which keeps the locks until it ends. The outcome `refused` leaves it usable. */
  moveWithin(tx: Tx, request: MoveRequest): Promise<MoveOutcome>
  /**
   * Lists incoming money as PENDING rows before anything is posted. The later movement has the id `postingId` and the
   * reference `reference`, and ends the rows with `settles`.
   */
  createPending(tx: Tx, pending: PendingTransaction): Promise<void>
  /** Replaces the price of rows that are still PENDING and unposted. */
  pricePending(
    tx: Tx,
    reference: string,
    price: Pick<NewTransaction, 'target' | 'stablecoinAmount' | 'rate' | 'quoteId'>,
  ): Promise<void>
  /** Turns rows that are still PENDING into FAILED ones. */
  failPending(tx: Tx, reference: string): Promise<void>
  close(): Promise<void>
}

export interface MoverOptions {
  readonly databaseUrl: string
  /** Reads which limit refused a movement; without it, refusals of `move` name no limit. */
  readonly pool?: Db
  readonly metrics?: PosterMetrics
  readonly trace?: PosterTrace | undefined
  /** Time that a movement waits for an unreachable database or a locked account. */
  readonly patienceMs?: number
  /** Called after each commit with the users whose rows changed. */
  readonly onMoved?: (userIds: readonly bigint[]) => void
}

export function createMover({ onMoved = () => {}, pool, ...options }: MoverOptions): Mover {
  const poster = createPoster<MoveRequest>({
    ...options,
    movementOf: (request) => request.movement,
    encode: encodeMoves,
    onPosted: (requests, { settled_users: settled }) =>
      onMoved([...requests.flatMap(listUserIds), ...parseSettledUsers(settled as string[] | null)]),
  })
  return {
    async move(request) {
      assertUsage(request)
      return explainOutcome(pool, request, await poster.post(request, readDeadline()).catch(refuseDatabaseError))
    },
    async moveWithin(tx, request) {
      assertMovement(request.movement)
      assertUsage(request)
      for (const userId of listArrivals(request)) await reopenForArrival(tx, userId)
      try {
        const { rows } = await tx.query<{ statuses: string[]; settled_users: string[] | null }>(encodeMoves([request]))
        const outcome = toOutcome(rows[0]?.statuses[0] ?? 'missing')
        const users = [...listUserIds(request), ...parseSettledUsers(rows[0]?.settled_users)]
        if (outcome.status === 'posted') afterCommit(tx, () => onMoved(users))
        return await explainOutcome(tx, request, outcome)
      } catch (error) {
        return refuseDatabaseError(toLedgerError(error))
      }
    },
    async createPending(tx, { reference, postingId, at, rows }) {
      const pendingRows = rows.map((value): MovementValue<NewTransaction> => ({ movement: 1, value }))
      await tx.query(
        `select create_pending_transactions($1, $2, $3, row(${placeholders(4, rowTypes)})::transaction_rows)`,
        [reference, postingId, at, ...rowColumns.map(([, encode]) => encode(pendingRows))],
      )
      afterCommit(tx, () => onMoved(rows.map(({ userId }) => userId)))
    },
    async pricePending(tx, reference, { target, stablecoinAmount, rate, quoteId }) {
      const { rows } = await tx.query<{ user_id: bigint }>(
        'select price_pending_transaction($1, $2, $3, $4, $5, $6) as user_id',
        [reference, target.minor, stablecoinAmount, rate?.numerator, rate?.denominator, quoteId],
      )
      afterCommit(tx, () => onMoved(rows.map(({ user_id: userId }) => userId)))
    },
    async failPending(tx, reference) {
      const { rows } = await tx.query<{ user_id: bigint }>('select fail_pending_transaction($1) as user_id', [
        reference,
      ])
      afterCommit(tx, () => onMoved(rows.map(({ user_id: userId }) => userId)))
    },
    close: poster.close,
  }
}

/** SQLSTATE raised if provisional credit would go to a new payee (`require_known_payee`). */
const newPayeeState = 'TC002'

/**
 * Refuses `recipient_not_found` if the recipient's account was closed since the lookup, and `credit_undecided` if a
 * dispute's provisional credit would go to a new payee. Rethrows other errors.
 */
function refuseDatabaseError(error: unknown): never {
  if (error instanceof LedgerError && error.problem === 'account_closed') refuse('recipient_not_found')
  if (readSqlState(error) === newPayeeState) refuse('credit_undecided')
  throw error
}

/** Adds the limit that refused a movement, unless it would no longer refuse it. */
async function explainOutcome(
  db: Db | undefined,
  { usage, movement }: MoveRequest,
  outcome: Outcome,
): Promise<MoveOutcome> {
  if (outcome.status !== 'refused' || outcome.reason !== 'limit_exceeded' || !usage || !db) return outcome
  const details = await explainRefusal(db, { userId: usage.userId, usages: [usage], at: movement.at })
  return details ? { ...outcome, details } : outcome
}

/** Ids of the users who receive a deposit, whose money cannot be sent back. */
const listArrivals = ({ rows }: MoveRequest): bigint[] =>
  rows.filter(({ kind }) => kind === 'DEPOSIT').map(({ userId }) => userId)

const listUserIds = ({ rows }: MoveRequest): bigint[] => rows.map(({ userId }) => userId)

const parseSettledUsers = (users: readonly string[] | null | undefined): bigint[] => (users ?? []).map(BigInt)

function assertUsage({ usage }: MoveRequest): void {
  assert(usage === undefined || usage.usdMinor >= 0n, `user ${usage?.userId} cannot send ${usage?.usdMinor}`)
}

/** Value of the batch's nth movement, counted from 1. */
interface MovementValue<T> {
  readonly movement: number
  readonly value: T
}

const numberValues = <T>(
  requests: readonly MoveRequest[],
  of: (request: MoveRequest) => readonly T[],
): MovementValue<T>[] =>
  requests.flatMap((request, index) => of(request).map((value) => ({ movement: index + 1, value })))

/** Columns of the SQL type `transaction_rows`, in order, with their encoders. */
const rowColumns: readonly (readonly [
  type: string,
  encode: (rows: readonly MovementValue<NewTransaction>[]) => string,
])[] = [
  ['int[]', (rows) => plainArray(rows, ({ movement }) => movement)],
  ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.userId)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.kind)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.status)],
  ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.senderId)],
  ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.recipientId)],
  ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.walletId)],
  ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.fromWalletId)],
  ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.toWalletId)],
  ['text[]', (rows) => textArray(rows, ({ value }) => serializeDescription(value.description))],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.source.minor)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.source.currency)],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.target.minor)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.target.currency)],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.stablecoinAmount)],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.rate?.numerator)],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.rate?.denominator)],
  ['numeric[]', (rows) => plainArray(rows, ({ value }) => value.fee.minor)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.fee.currency)],
  ['text[]', (rows) => plainArray(rows, ({ value }) => value.paymentSource)],
  ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.paymentId)],
  ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.quoteId)],
]

/** Placeholders with their types, from `first` on: `$17::int[], $18::bigint[], …`. */
const placeholders = (first: number, types: readonly string[]): string =>
  types.map((type, index) => `$${first + index}::${type}`).join(', ')

const firstOwnParameter = 19
const rowTypes = rowColumns.map(([type]) => type)
const quotaTypes = ['bigint[]', 'date[]', 'numeric[]', 'int[]', 'numeric[]', 'int[]', 'text[]']
const settlementTypes = ['int[]', 'uuid[]', 'text[]']

const firstGuardParameter = firstOwnParameter + rowTypes.length + quotaTypes.length + settlementTypes.length

const moveSql = (isWaiting: boolean) => `select statuses, settled_users from move_money(${batchExpression},
  row(${placeholders(firstOwnParameter, rowTypes)})::transaction_rows,
  row(${placeholders(firstOwnParameter + rowTypes.length, quotaTypes)})::limit_quotas,
  row(${placeholders(firstOwnParameter + rowTypes.length + quotaTypes.length, settlementTypes)})::transaction_settlements,
  waits => ${isWaiting}, guards => row(${placeholders(firstGuardParameter, guardTypes)})::movement_guards)`

const moveWithWaitingSql = moveSql(true)
const moveWithoutWaitingSql = moveSql(false)

const defaultMode: PostingMode = { stripes: new Map(), waits: true }

/** Builds the statement that posts a batch, decides its guards, and writes its rows, usage and settlements. */
export function encodeMoves(
  requests: readonly MoveRequest[],
  { stripes, waits }: PostingMode = defaultMode,
): pg.QueryConfig {
  const quotas = collectQuotas(requests)
  const rows = numberValues(requests, (request) => request.rows)
  const methods = numberValues(requests, ({ usage }) => (usage && usage.method !== 'transfer' ? [usage.method] : []))
  const settled = numberValues(requests, (request) => request.settles ?? [])
  const guards = requests.flatMap(({ guard, movement: { at } }, index) =>
    guard ? [{ movement: index + 1, at, guard }] : [],
  )
  return {
    name: waits ? 'move_money' : 'move_money_at_once',
    text: waits ? moveWithWaitingSql : moveWithoutWaitingSql,
    values: [
      ...encodeBatch(
        requests.map((request) => request.movement),
        quotas.uses,
        stripes,
      ),
      ...rowColumns.map(([, encode]) => encode(rows)),
      plainArray(quotas.days, (quota) => quota.userId),
      plainArray(quotas.days, (quota) => quota.day),
      plainArray(quotas.days, (quota) => quota.usdMinor),
      plainArray(quotas.days, (quota) => quota.movements),
      plainArray(quotas.days, (quota) => quota.largest),
      plainArray(methods, ({ movement }) => movement),
      plainArray(methods, ({ value }) => value),
      plainArray(settled, ({ movement }) => movement),
      plainArray(settled, ({ value }) => value.id),
      plainArray(settled, ({ value }) => value.status),
      ...encodeGuards(guards),
    ],
  }
}

interface QuotaDay {
  readonly userId: bigint
  readonly day: string
  readonly position: number
  usdMinor: bigint
  movements: number
  largest: bigint
}

/** Position of no quota: the ledger returns busy, and the movement is retried in the next batch. */
const missingQuotaPosition = 2_147_483_647

/**
 * Usage that a batch adds to each user's day, and each movement's share of it. A batch holds one day per user, since
 * the room on the next day depends on the outcome of the first.
 */
function collectQuotas(requests: readonly MoveRequest[]): { days: QuotaDay[]; uses: (QuotaUse | undefined)[] } {
  const days = new Map<bigint, QuotaDay>()
  const uses = requests.map(({ usage }): QuotaUse | undefined => {
    if (!usage) return undefined
    const { userId, day, usdMinor } = usage
    const quota = days.get(userId) ?? { userId, day, usdMinor: 0n, movements: 0, largest: 0n, position: days.size + 1 }
    if (quota.day !== day) return { position: missingQuotaPosition, amount: usdMinor, limit: undefined }
    quota.usdMinor += usdMinor
    quota.movements += 1
    if (usdMinor > quota.largest) quota.largest = usdMinor
    days.set(userId, quota)
    return { position: quota.position, amount: usdMinor, limit: undefined }
  })
  return { days: [...days.values()], uses }
}
