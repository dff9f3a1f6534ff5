import type { DeskSection } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Money } from '@tern/money/money'
import type { DataAccessEntry } from '../features/privacy/privacy.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Product } from '../product.ts'

/** Entry that waits for an operator. */
export interface QueueEntry {
  readonly id: string
  /** Code that the page translates. */
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
interface DecisionAuthor {
  readonly name: string
  readonly note: string
}

export interface FinalDecision {
  /** Id of the entry. */
  readonly id: string
  readonly verdict: string
  readonly by: DecisionAuthor
}

export interface DeskFile {
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * One queue of the desk, stated by the feature whose entries wait in it. Claims, two-person decisions and the log
 * belong to the desk. A new queue also needs its name in `roles.ts` and in the table `desk_policy`, and its texts.
 */
export interface Queue {
  readonly name: DeskQueue
  /** Returns the open entries, earliest deadline first. */
  list(product: Product, db: Db): Promise<readonly QueueEntry[]>
  /** Returns an open entry. */
  find(product: Product, db: Db, id: string): Promise<QueueEntry | undefined>
  readSections(product: Product, db: Db, id: string): Promise<DeskSection[]>
  readonly verdicts: readonly string[]
  /** Verdicts that need only one operator, because they close nothing. */
  readonly soleVerdicts?: readonly string[]
  /**
   * The law may forbid informing the people an entry concerns, so an operator whose own account it concerns does not
   * see it. The database function `desk_parties` names these people.
   */
  readonly isSecret?: boolean
  /**
   * Returns whether an operator took part in the decision an entry objects to. The database refuses their decision as
   * well.
   */
  isInvolved?(product: Product, db: Db, input: { id: string; operatorId: string }): Promise<boolean>
  /** Extends overdue entries and returns their ids, which escalate to a lead. */
  passDeadlines?(product: Product, tx: Tx): Promise<readonly string[]>
  /** Data access that the people concerned see in their own records. */
  readonly reading: Pick<DataAccessEntry, 'purpose' | 'what'>
  /** Carries out a verdict. Refuses when that is impossible or another event came first. */
  perform(product: Product, db: Db, decision: FinalDecision): Promise<void>
  /** Returns a decrypted file of an entry. Refuses `not_found`. */
  readFile?(product: Product, db: Db, file: { id: string; fileId: string }): Promise<DeskFile>
  /** Polls the provider about an entry. */
  askProvider?(product: Product, db: Db, id: string): Promise<void>
}
