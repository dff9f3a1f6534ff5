// State of the witnesses and of the log's growth, for monitoring, operators and proofs.

import { toHex } from '@tern/transparency/bytes'
import type { VerifierKey } from '@tern/transparency/note-keys'
import { type Db, onlyRow } from '../../../platform/database/db.ts'
import type { TransparencyWitnessRow } from '../row-types.ts'
import type { Witness } from './send-checkpoint.ts'

/** Name of a witness in the database: name and id of its key, as in its signature lines. */
export const nameWitness = ({ name, id }: Pick<VerifierKey, 'name' | 'id'>): string => `${name}+${toHex(id)}`

export interface WitnessState {
  readonly name: string
  readonly address: string
  /** Size of the tree that the witness last cosigned. */
  readonly size: bigint
  readonly cosignedAt: Date | undefined
  /** Code of the failure that lasts, and its beginning. */
  readonly failure: string | undefined
  readonly failedAt: Date | undefined
  /** True if the witness is only asked again after `endRefusal`. */
  readonly isRefused: boolean
}

type StateRow = Omit<TransparencyWitnessRow, 'next_at' | 'failures'> & { readonly is_refused: boolean }

/** Returns the state of each configured witness, in the order of the settings. */
export async function readWitnessStates(db: Db, witnesses: readonly Witness[]): Promise<WitnessState[]> {
  if (witnesses.length === 0) return []
  const { rows } = await db.query<StateRow>(
    `select witness, size, cosigned_at, failure, failed_at, next_at = 'infinity' as is_refused
       from transparency_witness where witness = any($1)`,
    [witnesses.map(({ key }) => nameWitness(key))],
  )
  return witnesses.map(({ key, address }) => {
    const row = rows.find(({ witness }) => witness === nameWitness(key))
    return {
      name: key.name,
      address,
      size: row?.size ?? 0n,
      cosignedAt: row?.cosigned_at ?? undefined,
      failure: row?.failure ?? undefined,
      failedAt: row?.failed_at ?? undefined,
      isRefused: row?.is_refused ?? false,
    }
  })
}

/** Lets a witness that has refused the log be asked again; returns false if it has not refused. */
export async function endRefusal(db: Db, { key }: Witness): Promise<boolean> {
  const { rowCount } = await db.query(
    `update transparency_witness set next_at = '-infinity' where witness = $1 and next_at = 'infinity'`,
    [nameWitness(key)],
  )
  return rowCount === 1
}

export interface LogLag {
  /** Count of committed postings that are not in the log. */
  readonly postings: number
  /** Time of the oldest of them. */
  readonly oldestAt: Date | null
}

/** Reads how far the log is behind the books. */
export async function readLogLag(db: Db): Promise<LogLag> {
  const { rows } = await db.query<LogLag>(
    `select count(*)::float8 as postings, min(created_at) as "oldestAt" from (
       select p.created_at from ledger.posting p
        where p.xid >= (select position::text::bigint from transparency_position) and p.refusal is null
          and not exists (select from transparency_leaf l where l.posting_id = p.id)
       union all
       select p.created_at from transparency_queue q join ledger.posting p on p.id = q.posting_id
     ) as unlogged`,
  )
  return onlyRow(rows)
}
