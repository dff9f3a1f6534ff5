import { plainArray, textArray } from '@tern/ledger/array-literal'
import { newId } from '../../../platform/ids.ts'

/** Facts by which the movement's statement decides a wallet send. */
interface GuardedSend {
  readonly userId: bigint
  /** Id of the recipient in risk decisions. */
  readonly payee: string
  /** In US dollar cents, without the fee. */
  readonly usdMinor: bigint
  /** True for a small payment to a payee of long standing, which monitoring need not examine. */
  readonly isQuiet: boolean
}

/** Risk decision to store, with the digest of the request that it covers. */
interface SendDecision {
  readonly digest: Buffer
  /** Room for the sender's next sends; kept only if the facts behind it have not changed since they were read. */
  readonly room?: SendRoom | undefined
}

/** Time and value limits within which no rule holds or refuses a send to a trusted payee. */
export interface SendRoom {
  /** Generation of the sender's facts when they were read. */
  readonly generation: bigint
  readonly until: Date
  /** In US dollar cents. */
  readonly paymentUsdMinor: bigint
  /** Version of the thresholds of all rules (`limit_policy_version`). */
  readonly version: bigint
}

/** Guard that decides a wallet send in the statement that moves its money; `not_authorized` if it does not pass. */
export type SendGuard = GuardedSend &
  (
    | { readonly mode: 'room'; readonly version: bigint }
    | (SendDecision & { readonly mode: 'decide'; readonly isTrusted: boolean; readonly isNewDevice: boolean })
    | (SendDecision & { readonly mode: 'prove'; readonly provenAt: Date })
  )

interface PlacedGuard {
  /** Position of its movement in the batch, from 1. */
  readonly movement: number
  readonly at: Date
  readonly guard: SendGuard
}

const toDecisionGuard = (guard: SendGuard) => (guard.mode === 'room' ? undefined : guard)
const toDecideModeGuard = (guard: SendGuard) => (guard.mode === 'decide' ? guard : undefined)

/** Columns of the SQL type `movement_guards`, in order, with their encoders. */
const columns: readonly (readonly [type: string, encode: (guards: readonly PlacedGuard[]) => string])[] = [
  ['int[]', (guards) => plainArray(guards, ({ movement }) => movement)],
  ['text[]', (guards) => plainArray(guards, ({ guard }) => guard.mode)],
  ['bigint[]', (guards) => plainArray(guards, ({ guard }) => guard.userId)],
  ['text[]', (guards) => textArray(guards, ({ guard }) => guard.payee)],
  ['numeric[]', (guards) => plainArray(guards, ({ guard }) => guard.usdMinor)],
  ['boolean[]', (guards) => plainArray(guards, ({ guard }) => String(guard.isQuiet))],
  ['bigint[]', (guards) => plainArray(guards, ({ guard }) => (guard.mode === 'room' ? guard.version : undefined))],
  // Each attempt of a movement stores a new decision.
  ['uuid[]', (guards) => plainArray(guards, ({ guard, at }) => toDecisionGuard(guard) && newId(at))],
  ['bytea[]', (guards) => textArray(guards, ({ guard }) => digestText(guard))],
  ['boolean[]', (guards) => plainArray(guards, ({ guard }) => toDecideModeGuard(guard)?.isTrusted.toString())],
  ['boolean[]', (guards) => plainArray(guards, ({ guard }) => toDecideModeGuard(guard)?.isNewDevice.toString())],
  ['timestamptz[]', (guards) => plainArray(guards, ({ guard }) => provenText(guard))],
  ['bigint[]', (guards) => plainArray(guards, ({ guard }) => toDecisionGuard(guard)?.room?.generation)],
  ['timestamptz[]', (guards) => plainArray(guards, ({ guard }) => toDecisionGuard(guard)?.room?.until.toISOString())],
  ['numeric[]', (guards) => plainArray(guards, ({ guard }) => toDecisionGuard(guard)?.room?.paymentUsdMinor)],
  ['bigint[]', (guards) => plainArray(guards, ({ guard }) => toDecisionGuard(guard)?.room?.version)],
]

const digestText = (guard: SendGuard): string | undefined =>
  guard.mode === 'room' ? undefined : `\\x${guard.digest.toString('hex')}`
const provenText = (guard: SendGuard): string | undefined =>
  guard.mode === 'prove' ? guard.provenAt.toISOString() : undefined

export const guardTypes: readonly string[] = columns.map(([type]) => type)

/** The guards of a batch as values of the type `movement_guards`. */
export const encodeGuards = (guards: readonly PlacedGuard[]): string[] => columns.map(([, encode]) => encode(guards))
