import type { DeskSection } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import type { Reading } from '../../privacy/privacy.ts'

/** Entry that waits for an operator. */
export interface QueueEntry {
  readonly id: string
  /** Code that the page puts into words. */
  readonly kind: string
  readonly who: string | null
  readonly amount: Money | null
  /**
   * Value in US dollar cents; undefined if unknown, which counts as above any threshold; null if no money is involved.
   */
  readonly usdMinor: bigint | null | undefined
  /** Two operators decide regardless of the threshold. */
  readonly isForTwo?: boolean
  /** People whose data the entry shows. */
  readonly people: readonly bigint[]
  readonly openedAt: Date
  readonly dueAt: Date | null
}

/** Names and reasons with which a decision is carried out. */
export interface CarriedOutBy {
  readonly name: string
  readonly note: string
}

/**
 * One queue of the desk. Claims, two-person decisions and the log are shared: a new queue is a module like this one,
 * with its name in `roles.ts` and in the table `desk_policy`, and its texts.
 */
export interface Queue {
  readonly name: DeskQueue
  /** Returns the open entries, earliest deadline first. */
  list(): Promise<readonly QueueEntry[]>
  /** Returns an open entry. */
  find(id: string): Promise<QueueEntry | undefined>
  sectionsOf(entry: QueueEntry): Promise<DeskSection[]>
  readonly verdicts: readonly string[]
  /** Verdicts that need only one operator, because they close nothing. */
  readonly soleVerdicts?: readonly string[]
  /**
   * The law may forbid telling the people an entry concerns, so an operator whose own account it concerns does not see
   * it. The database function `desk_parties` names the people an entry concerns.
   */
  readonly isUntold?: boolean
  /**
   * Returns whether an operator took part in the decision an entry objects to. The database refuses their decision as
   * well.
   */
  readonly isInvolved?: (entry: QueueEntry, operatorId: string) => Promise<boolean>
  /** Extends overdue entries and returns their ids, which escalate to a lead. */
  readonly passDeadlines?: (tx: Tx) => Promise<readonly string[]>
  /** Data access that the people concerned see in their own records. */
  readonly reading: Pick<Reading, 'purpose' | 'what'>
  /** Carries out a verdict. Refuses when that is impossible or another event came first. */
  perform(entry: QueueEntry, verdict: string, by: CarriedOutBy): Promise<void>
  /** Returns a decrypted file of an entry. Refuses `not_found`. */
  readonly file?: (entry: QueueEntry, fileId: string) => Promise<{ contentType: string; bytes: Buffer }>
  readonly ask?: (entry: QueueEntry) => Promise<void>
}
