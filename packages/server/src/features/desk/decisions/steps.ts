import type { DeskItem } from '@tern/contract/desk/queues'

// Who may decide next, and what follows. Pure: rows are read and written elsewhere.

export type Seat = 'first' | 'second' | 'lead'

export interface Decided {
  readonly seat: Seat
  readonly operatorId: string
  readonly verdict: string
}

/** How an entry stands with the operators. */
export interface Standing {
  readonly needsTwo: boolean
  /** Of this round. */
  readonly decisions: readonly Decided[]
  readonly forLead: boolean
  readonly claimedBy: string | null
  /** What was decided in this round and is not carried out yet. */
  readonly verdict: string | null
}

interface Reader {
  readonly id: string
  readonly isLead: boolean
}

type State = DeskItem['state']
type Barred = NonNullable<DeskItem['barred']>

const isDisputed = ({ decisions }: Standing): boolean =>
  decisions.length === 2 && decisions[0]?.verdict !== decisions[1]?.verdict

/** How an entry stands, as lists say it. */
export function stateOf(standing: Standing): State {
  if (standing.verdict !== null) return 'decided'
  if (isDisputed(standing)) return 'disputed'
  return standing.decisions.length === 0 ? 'open' : 'proposed'
}

/** Why somebody cannot decide now; undefined: they can. Nobody ever decides twice in a round. */
export function whyBarred(standing: Standing, { id, isLead }: Reader): Barred | undefined {
  const { decisions, forLead, claimedBy, verdict } = standing
  if (verdict !== null) return 'decided'
  if (decisions.some(({ operatorId }) => operatorId === id)) return 'decided_already'
  if ((forLead || isDisputed(standing)) && !isLead) return 'lead_needed'
  if (claimedBy !== null && claimedBy !== id) return 'taken'
  return undefined
}

/** Which seat the next decision takes, and what comes of it. */
export function follows(
  standing: Standing,
  verdict: string,
): { seat: Seat; outcome: 'proposed' | 'disputed' | 'carry_out' } {
  const { needsTwo, decisions } = standing
  const [first, second] = decisions
  if (!first) return { seat: 'first', outcome: needsTwo ? 'proposed' : 'carry_out' }
  if (second) return { seat: 'lead', outcome: 'carry_out' }
  return { seat: 'second', outcome: first.verdict === verdict ? 'carry_out' : 'disputed' }
}
