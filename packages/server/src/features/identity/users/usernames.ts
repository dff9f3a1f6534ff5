import { only, type Queryable, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'

// How long a released username is kept for its former owner: links, receipts and habits still name it.
const quarantine = '1 year'

// What people also write for letters; an i for the l of the skeleton, since adm1n is meant to read as admin.
const digitsForLetters = `'i3457', 'least'`

interface Claim {
  readonly userId: bigint
  readonly username: string
  readonly released: boolean
}

/** Whether a username reads as if Tern itself wrote, also with lookalike characters, separators or digits at its end. */
export async function isReservedUsername(db: Queryable, username: string): Promise<boolean> {
  const { rows } = await db.query<{ reserved: boolean }>(
    `with name as (
       select translate(username_skeleton(given), ${digitsForLetters}) as whole
         from unnest(array[$1::text, regexp_replace($1, '[._-]*[0-9]+$', '')]) as given
     ), reserved as (
       select translate(username_skeleton(word), ${digitsForLetters}) as word, as_part from reserved_username
     )
     select exists (
       select from name, reserved
        where word = translate(whole, '._-', '') or (as_part and word = any(regexp_split_to_array(whole, '[._-]+')))
     ) as reserved`,
    [username],
  )
  return only(rows).reserved
}

/**
 * Makes a username, and all that look like it, this user's alone, and releases the one they had. The primary key decides
 * between concurrent claims. Refuses `username_taken`: reserved, taken, like one that is taken, or released by somebody
 * else within a year.
 */
export async function claimUsername(tx: Tx, userId: bigint, username: string, at: Date): Promise<void> {
  if (await isReservedUsername(tx, username)) refuseField('username_taken', 'username', 'username_reserved')
  const { rowCount } = await tx.query(
    `insert into username_claim as known (skeleton, user_id, username, claimed_at)
     values (username_skeleton($2), $1, lower($2), $3)
     on conflict (skeleton) do update
       set user_id = $1, username = excluded.username, claimed_at = $3, released_at = null
     where known.user_id = $1 or known.released_at < $3::timestamptz - interval '${quarantine}'`,
    [userId, username, at],
  )
  if (rowCount === 0) await refuseClaimed(tx, username)
  await tx.query(
    `update username_claim set released_at = $3
      where user_id = $1 and released_at is null and skeleton <> username_skeleton($2)`,
    [userId, username, at],
  )
}

async function refuseClaimed(tx: Tx, username: string): Promise<never> {
  const { rows } = await tx.query<Claim>(
    `select user_id as "userId", username, released_at is not null as released
       from username_claim where skeleton = username_skeleton($1)`,
    [username],
  )
  const claim = only(rows)
  if (claim.released) return refuseField('username_taken', 'username', 'username_kept')
  const isSame = claim.username === username.toLowerCase()
  return refuseField('username_taken', 'username', isSame ? 'username_in_use' : 'username_like_another')
}
