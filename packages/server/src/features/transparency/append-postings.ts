// Appends committed postings to the log, in steps of one transaction each. One process works at a time; an interrupted
// step leaves nothing behind.

import { hashLeaf } from '@tern/transparency/merkle'
import { commitLedger, commitView, formatPostingLeaf, generateSalt } from '@tern/transparency/posting-leaf'
import { appendLeaves } from '@tern/transparency/tree-edge'
import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { lockPosition, type Position } from '../../platform/database/followed-changes.ts'
import { type LoggedPosting, readLoggedPostings } from './logged-postings.ts'
import { buildViewFacts, listWallets, nameParties, noNames, type ViewParty } from './posting-views.ts'
import { readEdge, storeGrowth } from './tile-store.ts'
import { queueUnlogged, takeFollowing, takeQueued, type NextPostings } from './unlogged-postings.ts'

const postingsPerStep = 1000

export interface LogPosition extends Position {
  readonly size: number
  readonly isQueued: boolean
}

/** Locks the log's position; undefined while another process has locked it. */
export async function lockLog(tx: Tx): Promise<LogPosition | undefined> {
  const found = await lockPosition(tx, 'transparency_position')
  if (!found) return undefined
  const { rows } = await tx.query<{ size: bigint; is_queued: boolean }>(
    'select size, is_queued from transparency_position',
  )
  const [row] = rows
  // not money: a count of leaves
  return row && { ...found, size: Number(row.size), isQueued: row.is_queued }
}

/** Appends all postings committed so far, and returns their count. Returns at once if another process is working. */
export async function appendPostings(pool: pg.Pool, atMost = postingsPerStep): Promise<number> {
  let appended = 0
  for (;;) {
    const step = await transact(pool, (tx) => appendStep(tx, atMost))
    appended += step.count
    if (!step.hasMore) return appended
  }
}

async function appendStep(tx: Tx, atMost: number): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const log = await lockLog(tx)
  if (!log) return { count: 0, hasMore: false }
  if (!log.isQueued || !log.isHere) {
    await queueUnlogged(tx, log)
    return { count: 0, hasMore: true }
  }
  const { ids, hasMore } = await takeNext(tx, log, atMost)
  const postings = await readLoggedPostings(tx, ids)
  if (postings.length > 0) await appendToLog(tx, log, postings)
  return { count: postings.length, hasMore }
}

async function takeNext(tx: Tx, log: LogPosition, atMost: number): Promise<NextPostings> {
  const queued = await takeQueued(tx, atMost)
  return queued.length > 0 ? { ids: queued, hasMore: true } : takeFollowing(tx, log, atMost)
}

interface NewLeaf {
  readonly leafIndex: number
  readonly postingId: string
  readonly ledgerSalt: Uint8Array
  readonly data: Uint8Array
}

interface NewView {
  readonly userId: bigint
  readonly reference: string
  readonly leafIndex: number
  readonly place: number
  readonly namedSalt: Uint8Array
  readonly fromName: string
  readonly toName: string
  readonly otherId: bigint | null
  readonly namelessSalt: Uint8Array | null
}

async function appendToLog(tx: Tx, log: LogPosition, postings: readonly LoggedPosting[]): Promise<void> {
  const parties = await readParties(tx, postings)
  const made = postings.map((posting, place) => makeLeaf(posting, { leafIndex: log.size + place, parties }))
  await insertLeaves(
    tx,
    made.map(({ leaf }) => leaf),
  )
  await insertViews(
    tx,
    made.flatMap(({ views }) => views),
  )
  const edge = await readEdge(tx, log.size)
  await storeGrowth(
    tx,
    appendLeaves(
      edge,
      made.map(({ leaf }) => hashLeaf(leaf.data)),
    ),
  )
}

interface PartyRow {
  readonly wallet_id: string
  readonly user_id: bigint
  readonly name: string
  readonly is_deleted: boolean
}

/** Reads the owners of the wallets that postings change, by wallet. */
async function readParties(tx: Tx, postings: readonly LoggedPosting[]): Promise<ReadonlyMap<string, ViewParty>> {
  const walletIds = [...new Set(postings.flatMap((posting) => listWallets(posting)))]
  const { rows } = await tx.query<PartyRow>(
    `select w.id as wallet_id, w.user_id, coalesce(u.name, u.username) as name, u.deleted_at is not null as is_deleted
       from wallet w join app_user u on u.id = w.user_id where w.id = any($1::uuid[])`,
    [walletIds],
  )
  return new Map(
    rows.map(({ wallet_id: walletId, user_id: userId, name, is_deleted: isDeleted }) => [
      walletId,
      { walletId, userId, name: isDeleted ? '' : name, isDeleted },
    ]),
  )
}

/**
 * Commits to a posting: to its rows, then for each user to the view with names and, if there is another user, to the
 * same view without names, which can still be opened when the other's name is erased.
 */
function makeLeaf(
  posting: LoggedPosting,
  { leafIndex, parties: known }: { readonly leafIndex: number; readonly parties: ReadonlyMap<string, ViewParty> },
): { readonly leaf: NewLeaf; readonly views: readonly NewView[] } {
  const parties = listWallets(posting).flatMap((walletId) => known.get(walletId) ?? [])
  const names = nameParties(posting, parties)
  const ledgerSalt = generateSalt()
  const commitments = [commitLedger(posting, ledgerSalt)]
  const views: NewView[] = []
  for (const party of parties) {
    const other = parties.find(({ userId }) => userId !== party.userId)
    const view: NewView = {
      userId: party.userId,
      reference: posting.reference,
      leafIndex,
      place: commitments.length,
      namedSalt: generateSalt(),
      ...names,
      otherId: other === undefined || other.isDeleted ? null : other.userId,
      namelessSalt: other === undefined ? null : generateSalt(),
    }
    commitments.push(commitView(buildViewFacts(posting, party.walletId, names), view.namedSalt))
    if (view.namelessSalt) {
      commitments.push(commitView(buildViewFacts(posting, party.walletId, noNames), view.namelessSalt))
    }
    if (!party.isDeleted) views.push(view)
  }
  return { leaf: { leafIndex, postingId: posting.id, ledgerSalt, data: formatPostingLeaf(commitments) }, views }
}

async function insertLeaves(tx: Tx, leaves: readonly NewLeaf[]): Promise<void> {
  await tx.query(
    `insert into transparency_leaf (leaf_index, posting_id, ledger_salt, data)
      select * from unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::bytea[])`,
    [
      leaves.map(({ leafIndex }) => leafIndex),
      leaves.map(({ postingId }) => postingId),
      leaves.map(({ ledgerSalt }) => Buffer.from(ledgerSalt)),
      leaves.map(({ data }) => Buffer.from(data)),
    ],
  )
}

async function insertViews(tx: Tx, views: readonly NewView[]): Promise<void> {
  await tx.query(
    `insert into transparency_view (user_id, reference, leaf_index, place, named_salt, from_name, to_name, other_id,
        nameless_salt)
      select * from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::smallint[], $5::bytea[], $6::text[], $7::text[],
        $8::bigint[], $9::bytea[])`,
    [
      views.map(({ userId }) => userId),
      views.map(({ reference }) => reference),
      views.map(({ leafIndex }) => leafIndex),
      views.map(({ place }) => place),
      views.map(({ namedSalt }) => Buffer.from(namedSalt)),
      views.map(({ fromName }) => fromName),
      views.map(({ toName }) => toName),
      views.map(({ otherId }) => otherId),
      views.map(({ namelessSalt }) => namelessSalt && Buffer.from(namelessSalt)),
    ],
  )
}
