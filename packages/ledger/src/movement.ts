import assert, { AssertionError } from 'node:assert'
import { plainArray, textArray } from './array-literal.ts'
import type { MoveCode } from './chart.ts'

/** Transfer of `amount` minor units (positive) between accounts of one currency. */
export interface Leg {
  readonly from: bigint
  readonly to: bigint
  readonly amount: bigint
  readonly code: MoveCode
}

/** Movement of money, posted with all its legs or not at all. */
export interface Movement {
  /** The caller's UUID; repeating it moves money only once. */
  readonly id: string
  /** Hash of the request; the same id with another hash is refused. */
  readonly requestHash: Buffer
  readonly kind: string
  /** Id of the subject that the movement belongs to, such as a user's transaction. */
  readonly reference: string
  /** Single-use token (UUID), such as a quote's id. */
  readonly once?: string
  /** Holder of the token's reservation; by default the movement itself. */
  readonly holder?: string
  /** Stores refusals for funds, quota or token, so that they can be repeated. */
  readonly keepsRefusal?: boolean
  readonly at: Date
  readonly legs: readonly Leg[]
}

export const refusalReasons = [
  'key_reused',
  'refused_before',
  'already_used',
  'unknown_account',
  'currency_mismatch',
  'not_permitted',
  'insufficient_funds',
  'limit_exceeded',
  'not_authorized',
] as const
type RefusalReason = (typeof refusalReasons)[number]

/**
 * `replayed`: already posted; nothing moved now. `refused_before`: stored by `refuseMovement`. `not_authorized`:
 * decided by the calling code rather than the ledger, and never stored.
 */
export type Outcome =
  | { readonly status: 'posted' }
  | { readonly status: 'replayed' }
  | { readonly status: 'refused'; readonly reason: RefusalReason }

/** Converts a status of `ledger.post` to an outcome. */
export function toOutcome(status: string): Outcome {
  if (status === 'posted' || status === 'replayed') return { status }
  const reason = refusalReasons.find((known) => known === status)
  assert(reason, `ledger.post gave the unknown status "${status}"`)
  return { status: 'refused', reason }
}

/** A movement's use of a quota; the movement is refused if the total use would exceed `limit`. */
export interface QuotaUse {
  /** Index of the quota passed with the batch, from 1. */
  readonly position: number
  readonly amount: bigint
  readonly limit: bigint | undefined
}

/** SQL of type `ledger.batch` for the parameters from `encodeBatch`; further parameters start at 19. */
export const batchExpression = `row($1::bigint[], $2::uuid[], $3::uuid[], $4::bytea[], $5::text[], $6::uuid[], $7::int[],
  $8::timestamptz[], $9::int[], $10::int[], $11::numeric[], $12::numeric[], $13::int[], $14::int[], $15::numeric[],
  $16::text[], $17::uuid[], $18::boolean[])::ledger.batch`

/**
 * Returns the values for `batchExpression`. Movement ids must be distinct; `quotas` parallels `movements`; `stripes`
 * replace system accounts.
 */
export function encodeBatch(
  movements: readonly Movement[],
  quotas: readonly (QuotaUse | undefined)[] = [],
  stripes: Stripes = noStripes,
): string[] {
  const legs = movements.flatMap((movement) => movement.legs)
  const chooseStripe = (account: bigint) => stripes.get(account) ?? account
  const accounts = indexDistinct(legs.flatMap((leg) => [chooseStripe(leg.from), chooseStripe(leg.to)]))
  const tokens = indexDistinct(movements.flatMap(({ once }) => (once === undefined ? [] : [once])))
  const movementPositions = movements.flatMap((movement, index) => movement.legs.map(() => index + 1))
  return [
    plainArray([...accounts.keys()], (id) => id),
    plainArray([...tokens.keys()], (token) => token),
    plainArray(movements, (movement) => movement.id),
    textArray(movements, (movement) => `\\x${movement.requestHash.toString('hex')}`),
    textArray(movements, (movement) => movement.kind),
    plainArray(movements, (movement) => movement.reference),
    plainArray(movements, ({ once }) => (once === undefined ? undefined : tokens.get(once))),
    plainArray(movements, (movement) => movement.at.toISOString()),
    plainArray(movements, (_, index) => quotas[index]?.position),
    plainArray(movements, (_, index) => quotas[index]?.amount),
    plainArray(movements, (_, index) => quotas[index]?.limit),
    plainArray(movementPositions, (position) => position),
    plainArray(legs, (leg) => accounts.get(chooseStripe(leg.from))),
    plainArray(legs, (leg) => accounts.get(chooseStripe(leg.to))),
    plainArray(legs, (leg) => leg.amount),
    plainArray(legs, (leg) => leg.code),
    plainArray(movements, ({ id, once, holder }) => (once === undefined ? undefined : (holder ?? id))),
    plainArray(movements, ({ keepsRefusal }) => (keepsRefusal ? 'true' : 'false')),
  ]
}

/** System accounts and the stripes that replace them on one posting connection. */
export type Stripes = ReadonlyMap<bigint, bigint>

const noStripes: Stripes = new Map()

/** Returns each distinct value's position, from 1. */
function indexDistinct<T>(values: readonly T[]): Map<T, number> {
  const positions = new Map<T, number>()
  for (const value of values) if (!positions.has(value)) positions.set(value, positions.size + 1)
  return positions
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Catches programming errors before they affect a batch. Throws AssertionError. */
export function assertMovement(movement: Movement): void {
  const problem = findProblem(movement)
  if (problem !== undefined) throw new AssertionError({ message: `movement ${movement.id} ${problem}` })
}

function findProblem({ id, reference, once, holder, requestHash, at, legs }: Movement): string | undefined {
  if (!uuid.test(id)) return 'has an id that is not a UUID in lower case'
  if (!uuid.test(reference)) return `has a reference that is not a UUID in lower case: ${reference}`
  if (once !== undefined && !uuid.test(once)) return `has a token that is not a UUID in lower case: ${once}`
  if (holder !== undefined && !uuid.test(holder)) return `has a holder that is not a UUID in lower case: ${holder}`
  if (requestHash.length === 0) return 'has no request hash'
  if (Number.isNaN(at.getTime())) return 'has no time'
  if (legs.length === 0) return 'has no legs'
  const wrong = legs.find((leg) => leg.amount <= 0n)
  return wrong && `has a leg of ${wrong.amount}`
}
