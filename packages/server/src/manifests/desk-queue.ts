import type { DeskSection } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import type { Money } from '@tern/money/money'
import type { DataAccessEntry } from '../features/privacy/privacy.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Product } from '../product.ts'

/** Item that waits for an operator's decision. */
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
  /** True if verdicts other than `soleVerdicts` need two operators, whatever the amount. */
  readonly isForTwo?: boolean
  /** People whose data the entry shows. */
  readonly people: readonly bigint[]
  readonly openedAt: Date
  readonly dueAt: Date | null
}

/** Names and reasons of the deciding operators, each joined to one text. */
interface DecisionAuthor {
  readonly name: string
  readonly note: string
}

export interface FinalDecision {
  readonly id: string
  readonly verdict: string
  readonly by: DecisionAuthor
}

export interface DeskFile {
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * Queue of the operators' desk, defined by the feature whose entries wait in it. The desk itself handles claims,
 * two-person decisions and the log. A new queue also needs its name in `roles.ts` and in the table `desk_policy`, and
 * its texts.
 */
export interface Queue {
  readonly name: DeskQueue
  /** Returns the open entries, earliest deadline first. */
  list(product: Product, db: Db): Promise<readonly QueueEntry[]>
  find(product: Product, db: Db, id: string): Promise<QueueEntry | undefined>
  readSections(product: Product, db: Db, id: string): Promise<DeskSection[]>
  readonly verdicts: readonly string[]
  /** Verdicts that need only one operator, because they do not close the entry. */
  readonly soleVerdicts?: readonly string[]
  /**
   * True if the law may forbid informing the people an entry concerns. Operators do not see entries about their own
   * accounts. The database function `desk_parties` returns these people.
   */
  readonly isSecret?: boolean
  /**
   * Returns whether an operator took part in the decision that an entry contests. The database refuses that operator's
   * decision too.
   */
  isInvolved?(product: Product, db: Db, input: { id: string; operatorId: string }): Promise<boolean>
  /** Extends the deadlines of overdue entries; returns their ids, which escalate to a lead. */
  passDeadlines?(product: Product, tx: Tx): Promise<readonly string[]>
  /** Access that is logged when an operator reads an entry; the people concerned can see the log. */
  readonly reading: Pick<DataAccessEntry, 'purpose' | 'what'>
  /** Carries out a verdict; refuses if that is no longer possible. */
  perform(product: Product, db: Db, decision: FinalDecision): Promise<void>
  /** Returns a decrypted file of an entry. Refuses `not_found`. */
  readFile?(product: Product, db: Db, file: { id: string; fileId: string }): Promise<DeskFile>
  /** Polls the provider for the state of an entry. */
  askProvider?(product: Product, db: Db, id: string): Promise<void>
}
