import type { DeskSection } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import type { Reading } from '../../privacy/privacy.ts'

/** Something that waits for a person. */
export interface QueueEntry {
  readonly id: string
  /** What it is, as a code that the page says in words. */
  readonly kind: string
  readonly who: string | null
  readonly amount: Money | null
  /** In US dollar cents; undefined where it cannot be told, which counts as much. Null: it is not about money. */
  readonly usdMinor: bigint | null | undefined
  /** Two people decide, whatever the threshold. */
  readonly isForTwo?: boolean
  /** Whose data it shows. */
  readonly people: readonly bigint[]
  readonly openedAt: Date
  readonly dueAt: Date | null
}

/** In whose name a decision is carried out, and why. */
export interface CarriedOutBy {
  readonly name: string
  readonly note: string
}

/**
 * One queue of the desk. Everything else (claims, two people, the log) is the same for all of them: a further queue is a module
 * like this one, its name in `roles.ts` and in the table `desk_policy`, and its texts.
 */
export interface Queue {
  readonly name: DeskQueue
  /** What waits now, due first. */
  list(): Promise<readonly QueueEntry[]>
  /** The entry of this id while it waits. */
  find(id: string): Promise<QueueEntry | undefined>
  /** Everything known of it, for whoever decides. */
  sectionsOf(entry: QueueEntry): Promise<DeskSection[]>
  readonly verdicts: readonly string[]
  /** Those for which one person is always enough: nothing ends by them. */
  readonly soleVerdicts?: readonly string[]
  /**
   * Whoever an entry is about may have to be told nothing of it, so an operator whose own account it concerns does not see that it
   * waits. Whom an entry concerns says the function `desk_parties` of the database.
   */
  readonly isUntold?: boolean
  /** Whether somebody has had to do with what an entry is against, so that others decide. The database refuses them too. */
  readonly isInvolved?: (entry: QueueEntry, operatorId: string) => Promise<boolean>
  /** Gives entries that nobody decided in time a further deadline, and names them: a lead decides from now on. */
  readonly passDeadlines?: (tx: Tx) => Promise<readonly string[]>
  /** What whoever it is about can read of somebody having looked. */
  readonly reading: Pick<Reading, 'purpose' | 'what'>
  /** Does what a verdict says. Refuses when that cannot be done, or something else happened first. */
  perform(entry: QueueEntry, verdict: string, by: CarriedOutBy): Promise<void>
  /** A file of an entry, decrypted. Refuses `not_found`. */
  readonly file?: (entry: QueueEntry, fileId: string) => Promise<{ contentType: string; bytes: Buffer }>
  /** Asks the provider how it stands. */
  readonly ask?: (entry: QueueEntry) => Promise<void>
}
