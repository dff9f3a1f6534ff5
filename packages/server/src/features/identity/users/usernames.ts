import type { UserAndTime } from '../context.ts'
import { type Db, onlyRow, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'

// Period for which a released username stays reserved for its former owner, because old links and receipts name it.
const quarantine = '1 year'

// `translate` arguments for skeletons, in which 1 is already l. Also makes i an l, so that `adm1n` equals `admin`, and
// makes 3, 4, 5 and 7 the letters they resemble.
const lookalikeTranslation = `'i3457', 'least'`

interface Claim {
  readonly username: string
  readonly released: boolean
}

const separators = /[._-]+/g

/**
 * Returns the parts of a username between separators, and each run of adjacent parts joined: `te.rn.fan` yields `tern`.
 */
function listAdjacentParts(username: string): string[] {
  const parts = username.split(separators).filter(Boolean)
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_part, lastOffset) => parts.slice(from, from + lastOffset + 1).join('')),
  )
}

/**
 * True if a username is reserved, because it suggests that Tern is writing; also with lookalike characters, separators
 * or trailing digits.
 */
export async function isReservedUsername(db: Db, username: string): Promise<boolean> {
  const reservedCandidates = [username, username.replace(/[._-]*[0-9]+$/, '')]
  const { rows } = await db.query<{ reserved: boolean }>(
    `with name as (
       select translate(username_skeleton(given), ${lookalikeTranslation}) as word, is_part
         from (select unnest($1::text[]), false union all select unnest($2::text[]), true) as one (given, is_part)
     ), reserved as (
       select translate(username_skeleton(word), ${lookalikeTranslation}) as word, as_part from reserved_username
     )
     select exists (select from name join reserved using (word) where as_part or not is_part) as reserved`,
    [reservedCandidates, reservedCandidates.flatMap(listAdjacentParts)],
  )
  return onlyRow(rows).reserved
}

/**
 * True if a username could be mistaken for an account number: it has no letter, or reads as ten digits once lookalike
 * letters are replaced (UTS 39) and separators removed.
 */
export function looksLikeNumber(username: string): boolean {
  if (!/\p{L}/u.test(username)) return true
  const digits = username.normalize('NFKC').toLowerCase().replaceAll(separators, '')
  return /^\d{10}$/.test(digits.replaceAll('o', '0').replaceAll(/[li]/g, '1'))
}

/**
 * Claims a username with all its lookalikes and releases the user's previous one. Refuses `username_taken` if it looks
 * like an account number, is reserved, equals or resembles a taken one, or was released by another user within a year.
 */
export async function claimUsername(
  tx: Tx,
  { userId, username, at }: UserAndTime & { username: string },
): Promise<void> {
  await refuseUnusable(tx, { userId, username, at })
  const { rowCount } = await tx.query(
    `insert into username_claim as known (skeleton, user_id, username, claimed_at)
     values (username_skeleton($2), $1, lower($2), $3)
     on conflict (skeleton) do update
       set user_id = $1, username = excluded.username, claimed_at = $3, released_at = null
     where known.user_id = $1 or known.released_at < $3::timestamptz - interval '${quarantine}'`,
    [userId, username, at],
  )
  // Another transaction claimed it after the check above.
  if (rowCount === 0) await refuseUnusable(tx, { userId, username, at })
  await tx.query(
    `update username_claim set released_at = $3
      where user_id = $1 and released_at is null and skeleton <> username_skeleton($2)`,
    [userId, username, at],
  )
}

/** Refuses `username_taken` like `claimUsername`, without claiming. */
export async function refuseUnusable(
  db: Db,
  { userId, username, at }: UserAndTime & { username: string },
): Promise<void> {
  if (looksLikeNumber(username)) refuseField('username_taken', 'username', 'username_is_number')
  if (await isReservedUsername(db, username)) refuseField('username_taken', 'username', 'username_reserved')
  const { rows } = await db.query<Claim>(
    `select username, released_at is not null as released from username_claim
      where skeleton = username_skeleton($2) and user_id <> $1
        and (released_at is null or released_at >= $3::timestamptz - interval '${quarantine}')`,
    [userId, username, at],
  )
  const [claim] = rows
  if (!claim) return
  if (claim.released) refuseField('username_taken', 'username', 'username_kept')
  const isSame = claim.username === username.toLowerCase()
  refuseField('username_taken', 'username', isSame ? 'username_in_use' : 'username_like_another')
}
