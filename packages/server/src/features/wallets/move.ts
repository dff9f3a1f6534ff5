import assert from 'node:assert'
import { plainArray, textArray } from '@tern/ledger/array-literal'
import { ledgerErrorOf } from '@tern/ledger/ledger'
import {
  assertMovement,
  batchExpression,
  encodeBatch,
  type Movement,
  type Outcome,
  outcomeOf,
  type QuotaUse,
} from '@tern/ledger/movement'
import { createPoster, type PosterMetrics, type PostingMode } from '@tern/ledger/group-commit/poster'
import type { Money } from '@tern/money/money'
import type { Ratio } from '@tern/money/ratio'
import type pg from 'pg'
import { afterCommit, type Tx } from '../../platform/database/db.ts'
import { deadlineAt } from '../../platform/http/deadline.ts'
import { type Description, storedDescription } from './description.ts'

export type TransactionKind = 'DEPOSIT' | 'WITHDRAW' | 'SEND' | 'RECEIVE' | 'EXCHANGE'
export type TransactionStatus = 'COMPLETED' | 'PENDING' | 'FAILED'
export type PaymentSource = 'wallet' | 'card' | 'bank' | 'wallet_partial'

/** What one user sees of a movement. Its id, posting and time are the movement's reference, id and time. */
export interface TransactionRow {
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
  /** Whole target units for one whole source unit. */
  readonly rate?: Ratio
  readonly fee: Money
  readonly paymentSource?: PaymentSource
  readonly paymentId?: string
  readonly quoteId?: string
}

/** What counts against a user's daily limit, in US dollar cents; `day` as `2026-11-21`, UTC. */
export interface LimitUsage {
  readonly userId: bigint
  readonly day: string
  readonly usdMinor: bigint
  /** The day's sum with this movement must not be more; without it the amount is only counted. */
  readonly limitUsdMinor?: bigint
}

/** The day that a movement of this time counts on. */
export const usageDayOf = (at: Date): string => at.toISOString().slice(0, 10)

export interface MoveRequest {
  readonly movement: Movement
  readonly rows: readonly TransactionRow[]
  readonly usage?: LimitUsage
  /** Transactions that were PENDING and end with this movement. */
  readonly settles?: readonly { readonly id: string; readonly status: 'COMPLETED' | 'FAILED' }[]
}

/** Rows under one id whose movement comes later, or never. */
export interface PendingTransaction {
  readonly reference: string
  readonly postingId: string
  readonly at: Date
  readonly rows: readonly TransactionRow[]
}

/** The one door for money: posts to the ledger and writes, in the same commit, everything users see of it. */
export interface Mover {
  /** Moves in the next group commit, as a transaction of its own. */
  move(request: MoveRequest): Promise<Outcome>
  /** Moves as the last statement of a larger transaction; a refusal leaves that transaction usable. */
  moveWithin(tx: Tx, request: MoveRequest): Promise<Outcome>
  /**
   * Shows money that is on its way from outside as PENDING rows, before anything is posted. `postingId` is that of the
   * movement to come, which names `reference` and completes the rows by `settles`.
   */
  createPending(tx: Tx, pending: PendingTransaction): Promise<void>
  /** Ends an announcement that nothing came of: its rows, if still PENDING, become FAILED. */
  failPending(tx: Tx, reference: string): Promise<void>
  /**
   * Takes what an earlier movement counted off its day again, since nothing came of it. To be called before anything moves
   * in the same transaction: days are locked before accounts.
   */
  reverseLimitUsage(tx: Tx, usage: Pick<LimitUsage, 'userId' | 'day' | 'usdMinor'>): Promise<void>
  close(): Promise<void>
}

export interface MoverOptions {
  readonly databaseUrl: string
  readonly metrics?: PosterMetrics
  /** How long a movement waits for a database that cannot be reached. */
  readonly patienceMs?: number
  /** Called after each commit with the users whose money moved, or who see it moving. */
  readonly onMoved?: (userIds: readonly bigint[]) => void
}

export function createMover({ onMoved = () => {}, ...options }: MoverOptions): Mover {
  const poster = createPoster<MoveRequest>({
    ...options,
    movementOf: (request) => request.movement,
    encode: encodeMoves,
    onPosted: (requests, { settled_users: settled }) =>
      onMoved([...requests.flatMap(usersOf), ...((settled as bigint[] | null) ?? [])]),
  })
  return {
    async move(request) {
      assertUsage(request)
      return await poster.post(request, deadlineAt())
    },
    async moveWithin(tx, request) {
      assertMovement(request.movement)
      assertUsage(request)
      try {
        const { rows } = await tx.query<{ statuses: string[]; settled_users: bigint[] | null }>(encodeMoves([request]))
        const outcome = outcomeOf(rows[0]?.statuses[0] ?? 'missing')
        const users = [...usersOf(request), ...(rows[0]?.settled_users ?? [])]
        if (outcome.status === 'posted') afterCommit(tx, () => onMoved(users))
        return outcome
      } catch (error) {
        throw ledgerErrorOf(error)
      }
    },
    async createPending(tx, { reference, postingId, at, rows }) {
      const listed = rows.map((value): Numbered<TransactionRow> => ({ movement: 1, value }))
      await tx.query(
        `select create_pending_transactions($1, $2, $3, row(${placeholders(4, rowTypes)})::transaction_rows)`,
        [reference, postingId, at, ...rowColumns.map(([, encode]) => encode(listed))],
      )
      afterCommit(tx, () => onMoved(rows.map(({ userId }) => userId)))
    },
    async failPending(tx, reference) {
      const { rows } = await tx.query<{ user_id: bigint }>('select fail_pending_transaction($1) as user_id', [
        reference,
      ])
      afterCommit(tx, () => onMoved(rows.map(({ user_id: userId }) => userId)))
    },
    async reverseLimitUsage(tx, { userId, day, usdMinor }) {
      await tx.query('select reverse_limit_usage($1, $2, $3)', [userId, day, usdMinor])
    },
    close: poster.close,
  }
}

const usersOf = ({ rows }: MoveRequest): bigint[] => rows.map(({ userId }) => userId)

function assertUsage({ usage }: MoveRequest): void {
  assert(usage === undefined || usage.usdMinor >= 0n, `user ${usage?.userId} cannot send ${usage?.usdMinor}`)
}

/** Something that belongs to the movement at a position of the batch, counted from 1. */
interface Numbered<T> {
  readonly movement: number
  readonly value: T
}

const numbered = <T>(requests: readonly MoveRequest[], of: (request: MoveRequest) => readonly T[]): Numbered<T>[] =>
  requests.flatMap((request, index) => of(request).map((value) => ({ movement: index + 1, value })))

/** The columns of the type `transaction_rows` in its order, each with how it is read from a row. */
const rowColumns: readonly (readonly [type: string, encode: (rows: readonly Numbered<TransactionRow>[]) => string])[] =
  [
    ['int[]', (rows) => plainArray(rows, ({ movement }) => movement)],
    ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.userId)],
    ['text[]', (rows) => plainArray(rows, ({ value }) => value.kind)],
    ['text[]', (rows) => plainArray(rows, ({ value }) => value.status)],
    ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.senderId)],
    ['bigint[]', (rows) => plainArray(rows, ({ value }) => value.recipientId)],
    ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.walletId)],
    ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.fromWalletId)],
    ['uuid[]', (rows) => plainArray(rows, ({ value }) => value.toWalletId)],
    ['text[]', (rows) => textArray(rows, ({ value }) => storedDescription(value.description))],
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

/** `$17::int[], $18::bigint[], …` for the types, counting on from `first`. */
const placeholders = (first: number, types: readonly string[]): string =>
  types.map((type, index) => `$${first + index}::${type}`).join(', ')

const firstOwnParameter = 19
const rowTypes = rowColumns.map(([type]) => type)
const quotaTypes = ['bigint[]', 'date[]', 'numeric[]']
const settlementTypes = ['int[]', 'uuid[]', 'text[]']

const moveSql = (waits: boolean) => `select statuses, settled_users from move_money(${batchExpression},
  row(${placeholders(firstOwnParameter, rowTypes)})::transaction_rows,
  row(${placeholders(firstOwnParameter + rowTypes.length, quotaTypes)})::limit_quotas,
  row(${placeholders(firstOwnParameter + rowTypes.length + quotaTypes.length, settlementTypes)})::transaction_settlements,
  waits => ${waits})`

const moveSqlThatWaits = moveSql(true)
const moveSqlThatDoesNotWait = moveSql(false)

const wholeAccounts: PostingMode = { stripes: new Map(), waits: true }

/** The one call that posts a batch and writes all that belongs to it. */
export function encodeMoves(
  requests: readonly MoveRequest[],
  { stripes, waits }: PostingMode = wholeAccounts,
): pg.QueryConfig {
  const quotas = quotasOf(requests)
  const rows = numbered(requests, (request) => request.rows)
  const settled = numbered(requests, (request) => request.settles ?? [])
  return {
    name: waits ? 'move_money' : 'move_money_at_once',
    text: waits ? moveSqlThatWaits : moveSqlThatDoesNotWait,
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
      plainArray(settled, ({ movement }) => movement),
      plainArray(settled, ({ value }) => value.id),
      plainArray(settled, ({ value }) => value.status),
    ],
  }
}

interface QuotaDay {
  readonly userId: bigint
  readonly day: string
  readonly position: number
  usdMinor: bigint
}

/** The distinct user days of a batch with what all its movements add to them, and each movement's share. */
function quotasOf(requests: readonly MoveRequest[]): { days: QuotaDay[]; uses: (QuotaUse | undefined)[] } {
  const days = new Map<string, QuotaDay>()
  const uses = requests.map(({ usage }): QuotaUse | undefined => {
    if (!usage) return undefined
    const { userId, day, usdMinor, limitUsdMinor } = usage
    const key = `${userId} ${day}`
    const quota = days.get(key) ?? { userId, day, usdMinor: 0n, position: days.size + 1 }
    quota.usdMinor += usdMinor
    days.set(key, quota)
    return { position: quota.position, amount: usdMinor, limit: limitUsdMinor }
  })
  return { days: [...days.values()], uses }
}
