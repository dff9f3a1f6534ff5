import type { DeskItem } from '@tern/contract/desk/queues'

// Rules for the next decision on an entry. Pure: callers read and write the rows.

export type DecisionSeat = 'first' | 'second' | 'lead'

export interface SeatDecision {
  readonly seat: DecisionSeat
  readonly operatorId: string
  readonly verdict: string
}

/** State of an entry in its current round. */
export interface ItemStanding {
  readonly needsTwo: boolean
  readonly decisions: readonly SeatDecision[]
  readonly forLead: boolean
  readonly claimedBy: string | null
  /** Final verdict of this round, which is being carried out or can be retried. */
  readonly verdict: string | null
}

interface ItemReader {
  readonly id: string
  readonly isLead: boolean
}

type State = DeskItem['state']
type Obstacle = NonNullable<DeskItem['barred']>

const isDisputed = ({ decisions }: ItemStanding): boolean =>
  decisions.length === 2 && decisions[0]?.verdict !== decisions[1]?.verdict

export function determineState(itemStanding: ItemStanding): State {
  if (itemStanding.verdict !== null) return 'decided'
  if (isDisputed(itemStanding)) return 'disputed'
  return itemStanding.decisions.length === 0 ? 'open' : 'proposed'
}

/** Returns why an operator cannot decide now, or undefined. An operator decides once per round. */
export function findObstacle(itemStanding: ItemStanding, { id, isLead }: ItemReader): Obstacle | undefined {
  const { decisions, forLead, claimedBy, verdict } = itemStanding
  if (verdict !== null) return 'decided'
  if (decisions.some(({ operatorId }) => operatorId === id)) return 'decided_already'
  if ((forLead || isDisputed(itemStanding)) && !isLead) return 'lead_needed'
  if (claimedBy !== null && claimedBy !== id) return 'taken'
  return undefined
}

/** Returns the seat that the next decision takes, and its outcome. */
export function determineOutcome(
  itemStanding: ItemStanding,
  verdict: string,
): { seat: DecisionSeat; outcome: 'proposed' | 'disputed' | 'carry_out' } {
  const { needsTwo, decisions } = itemStanding
  const [first, second] = decisions
  if (!first) return { seat: 'first', outcome: needsTwo ? 'proposed' : 'carry_out' }
  if (second) return { seat: 'lead', outcome: 'carry_out' }
  return { seat: 'second', outcome: first.verdict === verdict ? 'carry_out' : 'disputed' }
}
