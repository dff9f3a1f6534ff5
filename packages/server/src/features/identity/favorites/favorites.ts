import type { PublicUser } from '@tern/contract/identity'
import type pg from 'pg'
import type { UserAndTime } from '../context.ts'
import { type Db, transact } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { countryForOthersSql, haveTransacted, nameForOthers, toPublicUser, type PublicRow } from '../users/users.ts'

const maxFavorites = 24

/** Returns the favorites of a user, newest first, with full names, since the users have transacted. */
export async function readFavorites(db: Db, userId: bigint): Promise<PublicUser[]> {
  const { rows } = await db.query<PublicRow>(
    `select app_user.id, username, ${nameForOthers}, base_currency, wallet.id as wallet_address, true as is_known,
            ${countryForOthersSql('app_user.id')} as country
       from favorite
       join app_user on app_user.id = favorite_id
       join wallet on wallet.user_id = app_user.id
      where favorite.user_id = $1 and deletion_due_at is null
      order by favorite.created_at desc, app_user.id`,
    [userId],
  )
  return rows.map((row) => toPublicUser(row))
}

/**
 * Marks a favorite. Refuses `not_found` unless a payment between the two users has completed, so that the reply reveals
 * nothing about strangers, and `too_many_favorites` beyond the maximum.
 */
export async function addFavorite(
  pool: pg.Pool,
  { userId, favoriteId, at }: UserAndTime & { favoriteId: bigint },
): Promise<void> {
  if (userId === favoriteId || !(await haveTransacted(pool, { userId, otherId: favoriteId }))) refuse('not_found')
  await transact(pool, async (tx) => {
    // Serializes additions per user, so that the count is right.
    await tx.query('select from app_user where id = $1 for update', [userId])
    const { rowCount } = await tx.query(
      `insert into favorite (user_id, favorite_id, created_at)
       select $1, $2, $3 where (select count(*) from favorite where user_id = $1 and favorite_id <> $2) < $4
       on conflict (user_id, favorite_id) do update set created_at = favorite.created_at`,
      [userId, favoriteId, at, maxFavorites],
    )
    if (rowCount === 0) refuse('too_many_favorites')
  })
}

export async function removeFavorite(
  db: Db,
  { userId, favoriteId }: { userId: bigint; favoriteId: bigint },
): Promise<void> {
  await db.query('delete from favorite where user_id = $1 and favorite_id = $2', [userId, favoriteId])
}
