import assert, { AssertionError } from 'node:assert'
import { plainArray, textArray } from './array-literal.ts'
import type { MoveCode } from './chart.ts'

/** One step of a movement: `amount` minor units (above 0) from one account to another of the same currency. */
export interface Leg {
  readonly from: bigint
  readonly to: bigint
  readonly amount: bigint
  readonly code: MoveCode
}

/** One movement of money: all of its legs are posted, or none. */
export interface Movement {
  /** UUID made by the caller and kept: sent again, it moves nothing twice. */
  readonly id: string
  /** Says what was asked for; the same id with another hash is refused. */
  readonly requestHash: Buffer
  readonly kind: string
  /** Id of the users' transaction it belongs to. */
  readonly reference: string
  /** A token (UUID) that moves money once in its life, such as a quote's id. */
  readonly once?: string
  /** Who holds the token: the one it was reserved for, otherwise the movement itself. */
  readonly holder?: string
  /** A refusal for funds, quota or token is kept with the id: the same request is refused for good. */
  readonly keepsRefusal?: boolean
  readonly at: Date
  readonly legs: readonly Leg[]
}

export type RefusalReason =
  | 'key_reused'
  | 'refused_before'
  | 'already_used'
  | 'unknown_account'
  | 'currency_mismatch'
  | 'not_permitted'
  | 'insufficient_funds'
  | 'limit_exceeded'

/**
 * What became of a movement. `replayed`: the same movement had been posted before, and moved nothing now.
 * `refused_before`: `refuseMovement` had refused it.
 */
export type Outcome =
  | { readonly status: 'posted' }
  | { readonly status: 'replayed' }
  | { readonly status: 'refused'; readonly reason: RefusalReason }

const reasons: Record<RefusalReason, true> = {
  key_reused: true,
  refused_before: true,
  already_used: true,
  unknown_account: true,
  currency_mismatch: true,
  not_permitted: true,
  insufficient_funds: true,
  limit_exceeded: true,
}

/** The outcome that a status of `ledger.post` stands for. */
export function outcomeOf(status: string): Outcome {
  if (status === 'posted' || status === 'replayed') return { status }
  assert(Object.hasOwn(reasons, status), `ledger.post gave the unknown status "${status}"`)
  return { status: 'refused', reason: status as RefusalReason }
}

/** How much of a quota a movement uses up: refused beyond `limit`, when there is one. */
export interface QuotaUse {
  /** Which of the quotas given beside the batch, counted from 1. */
  readonly position: number
  readonly amount: bigint
  readonly limit: bigint | undefined
}

/** The SQL expression of type `ledger.batch` whose parameters `encodeBatch` makes; further parameters count on from 19. */
export const batchExpression = `row($1::bigint[], $2::uuid[], $3::uuid[], $4::bytea[], $5::text[], $6::uuid[], $7::int[],
  $8::timestamptz[], $9::int[], $10::int[], $11::numeric[], $12::numeric[], $13::int[], $14::int[], $15::numeric[],
  $16::text[], $17::uuid[], $18::boolean[])::ledger.batch`

/**
 * Values for `batchExpression`. The movements' ids must differ; `quotas` stands beside `movements`, and `stripes` names the
 * accounts that stand in for others.
 */
export function encodeBatch(
  movements: readonly Movement[],
  quotas: readonly (QuotaUse | undefined)[] = [],
  stripes: Stripes = noStripes,
): string[] {
  const legs = movements.flatMap((movement) => movement.legs)
  const stripeOf = (account: bigint) => stripes.get(account) ?? account
  const accounts = positionsOf(legs.flatMap((leg) => [stripeOf(leg.from), stripeOf(leg.to)]))
  const tokens = positionsOf(movements.flatMap(({ once }) => (once === undefined ? [] : [once])))
  const owners = movements.flatMap((movement, index) => movement.legs.map(() => index + 1))
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
    plainArray(owners, (position) => position),
    plainArray(legs, (leg) => accounts.get(stripeOf(leg.from))),
    plainArray(legs, (leg) => accounts.get(stripeOf(leg.to))),
    plainArray(legs, (leg) => leg.amount),
    plainArray(legs, (leg) => leg.code),
    plainArray(movements, ({ id, once, holder }) => (once === undefined ? undefined : (holder ?? id))),
    plainArray(movements, ({ keepsRefusal }) => (keepsRefusal ? 'true' : 'false')),
  ]
}

/** Which account stands in for which system account, for one connection that posts. */
export type Stripes = ReadonlyMap<bigint, bigint>

const noStripes: Stripes = new Map()

/** Each distinct value with its position, counted from 1. */
function positionsOf<T>(values: readonly T[]): Map<T, number> {
  const positions = new Map<T, number>()
  for (const value of values) if (!positions.has(value)) positions.set(value, positions.size + 1)
  return positions
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Programmer's errors are found here, before the movement can disturb a batch. Throws AssertionError. */
export function assertMovement(movement: Movement): void {
  const problem = problemOf(movement)
  if (problem !== undefined) throw new AssertionError({ message: `movement ${movement.id} ${problem}` })
}

function problemOf({ id, reference, once, holder, requestHash, at, legs }: Movement): string | undefined {
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
