import { money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { closeCases, type DisputeCredits, type MissingCredit, openCase } from '../../payments/payments.ts'
import { findStoredTransaction } from '../opening/claims.ts'
import { type StoredDispute, findDispute } from '../records/dispute-rows.ts'
import { netCredit, lockDue, type DisputeAmounts, sumAmounts } from './amount-due.ts'
import type { DisputePostingRow } from '../row-types.ts'
import type { ReconciliationExceptionRow } from '../../payments/row-types.ts'

// Provisional credit that was spent before its reversal: an open loss of the account until it is repaid, recovered,
// written off, or granted by an upheld dispute.

/** Provider name of a loss's reconciliation exception, which no payment provider reported. */
const provider = 'tern'

interface NewLoss {
  readonly row: StoredDispute
  /** Minor units. */
  readonly credited: bigint
  readonly missing: bigint
  readonly at: Date
}

/** Opens a loss, which blocks payments from the account once committed. Throws if the dispute has a loss already. */
export async function openLoss(tx: Tx, { row, credited, missing, at }: NewLoss): Promise<void> {
  const amount = money(row.currency, missing)
  const creditText = amountText(money(row.currency, credited))
  const detail = {
    code: 'credit_missing',
    params: { amount: creditText, lost: amountText(amount), user: String(row.user_id) },
  } as const
  const caseFields = { kind: 'loss', provider, subject: row.id, reference: row.id, happenedAt: at } as const
  if (!(await openCase(tx, { ...caseFields, amount, detail }, at))) throw new Error(`dispute ${row.id} was lost twice`)
}

/**
 * Returns the part of a dispute's credit that is still missing, without recoveries, and without amounts that an upheld
 * dispute of the same transaction grants.
 */
async function readMissingCredit(db: Db, id: string): Promise<DisputeAmounts> {
  const { rows } = await db.query<DisputePostingRow & { upheld: bigint }>(
    `select p.*, (select coalesce(sum(u.claimed_minor), 0) from dispute u
          where u.user_id = own.user_id and u.transaction_id = own.transaction_id and u.state = 'upheld') as upheld
       from dispute own
       join dispute d on d.user_id = own.user_id and d.transaction_id = own.transaction_id
       join dispute_posting p on p.dispute_id = d.id
      where own.id = $1`,
    [id],
  )
  const retainedCredit = netCredit(rows.filter((row) => row.dispute_id === id))
  const outstanding = sumAmounts(netCredit(rows)) - (rows[0]?.upheld ?? 0n)
  const maxCredit = outstanding > 0n ? outstanding : 0n
  const amount = retainedCredit.amount < maxCredit ? retainedCredit.amount : maxCredit
  return { amount, fee: retainedCredit.fee < maxCredit - amount ? retainedCredit.fee : maxCredit - amount }
}

interface LossSettlement {
  readonly transactionId: string
  readonly resolution: 'recovered' | 'decided_for_person'
  readonly at: Date
}

/** Closes the open losses of those disputes of a transaction that have no missing credit any more. */
export async function closeSettledLosses(tx: Tx, { transactionId, resolution, at }: LossSettlement): Promise<void> {
  const { rows } = await tx.query<Pick<StoredDispute, 'id'>>(
    `select d.id from dispute d join reconciliation_exception e on e.reference = d.id
      where d.transaction_id = $1 and e.kind = 'loss' and e.closed_at is null order by d.id`,
    [transactionId],
  )
  for (const { id } of rows) {
    if (sumAmounts(await readMissingCredit(tx, id)) === 0n)
      await closeCases(tx, { kind: 'loss', reference: id }, resolution, at)
  }
}

type LossRow = Pick<ReconciliationExceptionRow, 'id'> &
  Pick<StoredDispute, 'currency'> & {
    readonly dispute: string
    readonly at: Date
  }

/** Operations by which the payments feature shows and collects missing credits. */
export const missingCredits: Pick<DisputeCredits, 'findMissing' | 'lockMissing' | 'recordPaid'> = {
  async findMissing(db, { userId, id: disputeId }) {
    const { rows } = await db.query<LossRow>(
      `select e.id, d.id as dispute, e.currency, e.opened_at as at
         from reconciliation_exception e join dispute d on d.id = e.reference
        where e.kind = 'loss' and e.closed_at is null and d.user_id = $1 and ($2::uuid is null or d.id = $2)`,
      [userId, disputeId ?? null],
    )
    const missingCreditRows: MissingCredit[] = []
    for (const { id, dispute, currency, at } of rows) {
      const amounts = await readMissingCredit(db, dispute)
      missingCreditRows.push({
        disputeId: dispute,
        exceptionId: id,
        amount: money(currency, sumAmounts(amounts)),
        fee: amounts.fee,
        at,
      })
    }
    return missingCreditRows
  },

  async lockMissing(tx, disputeId) {
    const row = await findDispute(tx, disputeId)
    if (!row) return
    const { user_id: userId, transaction_id: transactionId } = row
    // Locks all disputes of the transaction, since a decision about any of them changes the missing amount.
    await tx.query('select from dispute where user_id = $1 and transaction_id = $2 order by id for no key update', [
      userId,
      transactionId,
    ])
    const transaction = await findStoredTransaction(tx, row)
    if (transaction) await lockDue(tx, row, transaction)
  },

  async recordPaid(tx, { disputeId, exceptionId, amount, fee, at, transactionId }) {
    await insertRow(tx, 'dispute_posting', {
      posting_id: exceptionId,
      dispute_id: disputeId,
      kind: 'repaid',
      transaction_id: transactionId,
      amount_minor: amount.minor,
      fee_minor: fee,
      currency: amount.currency,
      at,
    })
  },
}
