// Verdict on the proof that balances are in the liabilities of a day. Needs no network: everything that is trusted is in
// the policy.

import { FormatError } from '../format-error.ts'
import { hashLeaf, verifyInclusion } from '../merkle.ts'
import { type CheckpointVerdict, type Policy, verifyCheckpoint, type WitnessTime } from '../policy.ts'
import { formatLiabilitiesLeaf } from '../posting-leaf.ts'
import { formatLogProof, type LogProof, parseLogProof } from '../proof-file.ts'
import { type BalanceProof, computeProofRoot, formatBalanceProof, parseBalanceProof } from './balance-proof.ts'
import { commitRoot } from './sum-tree.ts'
import { areSumsEqual, type Sums } from './sums.ts'

/** Proof of balances, and of the tree's place in the log. */
export interface LoggedBalanceProof extends Omit<LogProof, 'extra'> {
  readonly proof: BalanceProof
}

/** Holder and balances that the reader of a proof knows to be right. */
export interface ExpectedBalances {
  readonly holder: string
  readonly balances: Sums
}

export interface ValidBalances {
  readonly state: 'valid'
  readonly day: string
  readonly holder: string
  readonly balances: Sums
  /** Everything that is owed to all holders, by currency. */
  readonly total: Sums
  readonly origin: string
  readonly index: number
  readonly size: number
  /** Known witnesses that saw the checkpoint, and when. */
  readonly witnesses: readonly WitnessTime[]
}

export type InvalidBalances =
  | { readonly state: 'invalid'; readonly reason: 'malformed'; readonly detail: string }
  | { readonly state: 'invalid'; readonly reason: 'not_included' | 'other_holder' | 'other_balances' }
  | Exclude<CheckpointVerdict, { state: 'valid' }>

export type BalanceVerdict = ValidBalances | InvalidBalances

/** Formats a proof as the text of a .tlog-proof file. */
export const formatLoggedBalance = ({ proof, ...rest }: LoggedBalanceProof): string =>
  formatLogProof({ ...rest, extra: formatBalanceProof(proof) })

export function parseLoggedBalance(text: string): LoggedBalanceProof {
  const { extra, ...rest } = parseLogProof(text)
  if (extra === undefined) throw new FormatError('proof discloses nothing')
  return { ...rest, proof: parseBalanceProof(extra) }
}

/**
 * Verifies the text of a proof: the log's signature and the witnesses, then the path from the balances to the root, and
 * the root in the log. With `expected`, also that holder and balances are the reader's own.
 */
export function verifyBalanceText(text: string, policy: Policy, expected?: ExpectedBalances): BalanceVerdict {
  try {
    return verifyBalance(parseLoggedBalance(text), policy, expected)
  } catch (error) {
    if (error instanceof FormatError) return { state: 'invalid', reason: 'malformed', detail: error.message }
    throw error
  }
}

function verifyBalance(
  { proof, index, inclusion, checkpoint }: LoggedBalanceProof,
  policy: Policy,
  expected: ExpectedBalances | undefined,
): BalanceVerdict {
  const { day, holder, balances } = proof
  const computed = computeProofRoot(proof)
  const verdict = verifyCheckpoint(checkpoint, policy)
  if (verdict.state === 'invalid') return verdict
  const { origin, size, root } = checkpoint
  const leafHash = hashLeaf(formatLiabilitiesLeaf({ day, digest: commitRoot(computed) }))
  if (!verifyInclusion({ index, size, leafHash, proof: inclusion, root }))
    return { state: 'invalid', reason: 'not_included' }
  if (expected && expected.holder !== holder) return { state: 'invalid', reason: 'other_holder' }
  if (expected && !areSumsEqual(expected.balances, balances)) return { state: 'invalid', reason: 'other_balances' }
  const { sums: total } = computed.root
  return { state: 'valid', day, holder, balances, total, origin, index, size, witnesses: verdict.witnesses }
}
