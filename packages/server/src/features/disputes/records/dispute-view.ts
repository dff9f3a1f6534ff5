import type { Dispute, DisputeFile } from '@tern/contract/disputes/disputes'
import { type Money, money, toDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { findTransactions } from '../../wallets/wallets.ts'
import type { DisputeContext } from '../context.ts'
import { claimedAmount, type StoredDispute, findOwn, type OwnDispute, readOwn, readPostings } from './dispute-rows.ts'
import { daysLater, readPolicy } from '../policy.ts'
import type { DisputeEventRow, DisputeFileRow, DisputeObjectionRow, DisputePostingRow } from '../row-types.ts'

type EventRow = Pick<DisputeEventRow, 'dispute_id' | 'code' | 'text' | 'at'>

type FileRow = Pick<DisputeFileRow, 'id' | 'dispute_id' | 'content_type' | 'size_bytes' | 'created_at'>

export const moneyWithFee = ({ currency, minor }: Money, fee: bigint) => ({
  amount: toDecimal(money(currency, minor)),
  fee: toDecimal(money(currency, fee)),
  currency,
})

const isoTime = (at: Date | null): string | null => at?.toISOString() ?? null

export const fileView = ({ id, content_type, size_bytes: size, created_at: at }: FileRow): DisputeFile => ({
  id,
  content_type,
  size,
  created_at: at.toISOString(),
})

/** Returns the files of disputes, except erased ones, oldest first. */
export async function readFiles(db: Db, ids: readonly string[]): Promise<FileRow[]> {
  const { rows } = await db.query<FileRow>(
    `select id, dispute_id, content_type, size_bytes, created_at from dispute_file
      where dispute_id = any($1::uuid[]) and content is not null order by created_at, id`,
    [ids],
  )
  return rows
}

export async function viewDisputes(
  { now }: Pick<DisputeContext, 'now'>,
  db: Db,
  { userId, rows }: { readonly userId: bigint; readonly rows: readonly StoredDispute[] },
): Promise<Dispute[]> {
  const at = now()
  const ids = rows.map(({ id }) => id)
  const transactionIds = [...new Set(rows.map((row) => row.transaction_id))]
  const transactions = new Map(
    (await findTransactions(db, { userId, ids: transactionIds })).map((transaction) => [transaction.id, transaction]),
  )
  const postings = await readPostings(db, ids)
  const { rows: events } = await db.query<EventRow>(
    'select dispute_id, code, text, at from dispute_event where dispute_id = any($1::uuid[]) order by at, id',
    [ids],
  )
  const files = await readFiles(db, ids)
  const { rows: objections } = await db.query<DisputeObjectionRow>(
    'select * from dispute_objection where dispute_id = any($1::uuid[])',
    [ids],
  )
  return Promise.all(
    rows.map(async (row) => {
      const transaction = transactions.get(row.transaction_id)
      if (!transaction) throw new Error(`dispute ${row.id} is about no transaction of its owner`)
      const selectOwn = <R extends { readonly dispute_id: string }>(records: readonly R[]) =>
        records.filter(({ dispute_id: id }) => id === row.id)
      const objection = selectOwn(objections)[0]
      const policy = await readPolicy(db, row)
      const objectionDeadline =
        row.state === 'dismissed' && row.decided_at ? daysLater(row.decided_at, policy.object_within_days) : null
      return {
        ...stateView(row),
        credits: selectOwn(postings).flatMap(creditView),
        events: selectOwn(events).map(({ code, text, at: occurredAt }) => ({
          code,
          text,
          at: occurredAt.toISOString(),
        })),
        files: selectOwn(files).map(fileView),
        objection: objection ? objectionView(objection) : null,
        may_add: row.state === 'open',
        may_withdraw: row.state === 'open',
        may_object: objectionDeadline !== null && !objection && at <= objectionDeadline,
        object_by: isoTime(objectionDeadline),
        transaction,
      }
    }),
  )
}

/** Returns the caller's dispute. Refuses `not_found`. */
export async function readDispute(ctx: Pick<DisputeContext, 'now'>, db: Db, ownDispute: OwnDispute): Promise<Dispute> {
  const row = (await findOwn(db, ownDispute)) ?? refuse('not_found')
  const [view] = await viewDisputes(ctx, db, { userId: ownDispute.userId, rows: [row] })
  return view ?? refuse('not_found')
}

/** Returns the caller's last hundred disputes, newest first. */
export const listDisputes = async (ctx: Pick<DisputeContext, 'now'>, db: Db, userId: bigint): Promise<Dispute[]> =>
  viewDisputes(ctx, db, { userId, rows: await readOwn(db, userId) })

/** Returns the view of a posting to or from the account holder's wallet; none for a recovery. */
function creditView(row: DisputePostingRow) {
  const { kind, currency, amount_minor: minor, fee_minor: fee, transaction_id: id, at } = row
  if (kind === 'recovered' || id === null) return []
  return [{ kind, ...moneyWithFee(money(currency, minor), fee), at: at.toISOString(), transaction_id: id }]
}

function stateView(row: StoredDispute) {
  const { id, kind, state, outcome, statement, need } = row
  return {
    id,
    kind,
    state,
    outcome,
    statement,
    need,
    claimed: moneyWithFee(claimedAmount(row), row.claimed_fee_minor),
    opened_at: row.opened_at.toISOString(),
    decide_by: row.decide_by.toISOString(),
    credit_by: row.credit_waits_at === null ? isoTime(row.credit_by) : null,
    is_extended: row.escalated_at !== null,
    need_by: isoTime(row.need_by),
    decided_at: isoTime(row.decided_at),
    evidence_hash: row.hash.toString('hex'),
  }
}

const objectionView = ({
  state,
  made_at: madeAt,
  decide_by: decideBy,
  decided_at: decidedAt,
}: DisputeObjectionRow) => ({
  state,
  made_at: madeAt.toISOString(),
  decide_by: decideBy.toISOString(),
  decided_at: isoTime(decidedAt),
})
