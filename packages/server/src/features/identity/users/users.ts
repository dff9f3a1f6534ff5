import { findCountry } from '@tern/contract/countries'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { KycStatus } from '@tern/contract/kyc'
import { fullName } from '@tern/contract/kyc/person-names'
import { canonicalEmail } from '@tern/contract/protocol/text/email'
import { type Db, onlyRow, type Tx } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { notifyUserChanged } from '../sessions/live-sessions.ts'
import type { VerifiedCredentials } from '../sessions/verified-credentials.ts'
import { isUserNumber, newUserNumber } from './user-number.ts'
import { claimUsername } from './usernames.ts'
import type { AppUserRow } from '../row-types.ts'

/** User as other features see them: the name only if verified. The email must not be sent to other users. */
export interface KnownUser {
  readonly id: bigint
  readonly username: string
  readonly name: string | null
  /** Verified name in its original script, such as Cyrillic. */
  readonly localName: string | null
  readonly email: string
  readonly kycStatus: KycStatus
  /** Verified country of residence, as named in the verification form; null unless verified. */
  readonly country: string | null
  /** True while a deletion is pending. */
  readonly isLeaving: boolean
}

export interface NewUser {
  readonly email: string
  readonly username: string
  readonly name?: string | undefined
  /** Null for a user who registered through an identity provider. */
  readonly passwordHash: string | null
  /** Set if an identity provider verified the address. */
  readonly emailVerifiedAt?: Date | undefined
}

type UserRow = Pick<
  AppUserRow,
  | 'id'
  | 'email'
  | 'username'
  | 'name'
  | 'first_name'
  | 'email_proven_at'
  | 'kyc_status'
  | 'frozen_at'
  | 'metadata'
  | 'created_at'
> & {
  readonly has_open_loss: boolean
  readonly call_until: Date | null
  readonly residence: { country: string; city: string } | null
}

const userColumns = `id, email, username, name, first_name, email_proven_at, kyc_status, frozen_at, metadata, created_at,
  exists (select from open_losses_of(app_user.id)) as has_open_loss,
  (select expires_at from desk_call where user_id = app_user.id and ended_at is null and expires_at > now()) as call_until,
  (select to_json(own) from verified_residence(app_user.id) own) as residence`

/** Returns the ISO 3166-1 alpha-2 code of a country named as in the verification form; null if unknown. */
export const countryCode = (name: string | null | undefined): string | null => findCountry(name ?? '')?.code ?? null

/**
 * SQL: verified country of residence of the user in column `user`, as named in the form. Other users see no more than
 * the country.
 */
export const countryForOthersSql = (user: string): string => `(select country from verified_residence(${user}))`

function toResidence(residence: UserRow['residence']): CurrentUser['residence'] {
  const country = countryCode(residence?.country)
  return residence && country !== null ? { country, city: residence.city } : null
}

const toCurrentUser = (row: UserRow): CurrentUser => ({
  // not money: a user number has ten digits
  id: Number(row.id),
  email: row.email,
  username: row.username,
  name: row.name,
  profile: { first_name: row.first_name },
  email_verified: row.email_proven_at !== null,
  kyc_status: row.kyc_status,
  frozen_at: row.frozen_at?.toISOString() ?? null,
  has_open_loss: row.has_open_loss,
  call_until: row.call_until?.toISOString() ?? null,
  residence: toResidence(row.residence),
  metadata: row.metadata,
  created_at: row.created_at.toISOString(),
})

const attemptsAtNumber = 20

/**
 * Adds a user under an unused number. Refuses `email_taken` or `username_taken`; `errors` names both fields if both are
 * taken.
 */
export async function insertUser(tx: Tx, { user, at }: { user: NewUser; at: Date }): Promise<CurrentUser> {
  const name = user.name || null
  for (let attempt = 0; attempt < attemptsAtNumber; attempt += 1) {
    const { rows } = await tx.query<UserRow>(
      `insert into app_user (id, email, username, name, first_name, password_hash, email_verified_at, email_proven_at,
                             created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7, $8) on conflict do nothing returning ${userColumns}`,
      [
        newUserNumber(),
        user.email,
        user.username,
        name,
        name?.split(/\s+/)[0] ?? null,
        user.passwordHash,
        user.emailVerifiedAt ?? null,
        at,
      ],
    )
    const row = rows[0]
    // Checked after the insert, to see a concurrent change of address that keeps this one reserved.
    if (row && (await isEmailFree(tx, { email: user.email, userId: row.id }))) {
      await claimUsername(tx, { userId: row.id, username: user.username, at })
      return toCurrentUser(row)
    }
    await refuseTaken(tx, user, row?.id)
  }
  throw new Error('no free user number was found')
}

/** SQL condition: no other account than `$2` has the address `$1` or has it reserved by a mailed link. */
const emailFreeSql = `not exists (select from app_user where lower(email) = lower($1) and id is distinct from $2::bigint)
  and not exists (select from mailed_link
                   where keeps_email and used_at is null and expires_at > now() and lower(email) = lower($1)
                     and user_id is distinct from $2::bigint)`

/** True if an address is free for the account `userId` or, without one, for a new account. */
export async function isEmailFree(db: Db, { email, userId }: { email: string; userId?: bigint }): Promise<boolean> {
  const { rows } = await db.query<{ free: boolean }>(`select ${emailFreeSql} as free`, [email, userId ?? null])
  return onlyRow(rows).free
}

/** Refuses an email or username taken by a user other than `userId`: `email_taken`, `username_taken`. */
export async function refuseTaken(
  db: Db,
  { email, username }: { email?: string; username: string },
  userId?: bigint,
): Promise<void> {
  const { rows } = await db.query<{ email: boolean; username: boolean }>(
    `select not (${emailFreeSql}) as email,
            exists (select 1 from app_user where lower(username) = lower($3) and id is distinct from $2::bigint) as username`,
    [email ?? null, userId ?? null, username],
  )
  const errors = [
    ...(rows[0]?.email ? [{ field: 'email', code: 'email_in_use' } as const] : []),
    ...(rows[0]?.username ? [{ field: 'username', code: 'username_in_use' } as const] : []),
  ]
  if (rows[0]?.email) refuse('email_taken', { errors })
  if (rows[0]?.username) refuse('username_taken', { errors })
}

/** Returns the user's own profile. Refuses `unauthenticated` for an unknown user. */
export async function readCurrentUser(db: Db, userId: bigint): Promise<CurrentUser> {
  const { rows } = await db.query<UserRow>(`select ${userColumns} from app_user where id = $1`, [userId])
  return rows[0] ? toCurrentUser(rows[0]) : refuse('unauthenticated')
}

interface Credentials extends VerifiedCredentials {
  readonly passwordHash: string | null
  readonly isBlocked: boolean
}

export async function readCredentials(db: Db, email: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<Credentials>(
    `select id as "userId", password_hash as "passwordHash", password_blocked_at is not null as "isBlocked",
            credentials_version as "credentialsVersion"
       from app_user where lower(email) = lower($1)`,
    [email],
  )
  return rows[0]
}

/** SQL column: name shown to other users. Only verified names are shown, since a user can enter any name. */
export const nameForOthers = `case when kyc_status = 'verified' then app_user.name end as name`

/** SQL column: sealed name in its original script, if verified. */
const localNameForOthers = `case when kyc_status = 'verified' then app_user.local_name end as local_name`

/** Refuses `verification_required` for unverified callers, to prevent enumeration with many accounts. */
export function requireVerifiedToLookUp({ verified }: Caller): void {
  if (!verified) refuse('verification_required', { reason: 'people_need_verification' })
}

/** SQL condition: a payment between the users of two columns or parameters has completed, in either direction. */
export const haveTransactedSql = (a: string, b: string): string =>
  [
    [a, b],
    [b, a],
  ]
    .map(
      ([sender, recipient]) => `exists (select from transaction where kind = 'SEND' and status = 'COMPLETED'
        and user_id = ${sender} and recipient_id = ${recipient})`,
    )
    .join(' or ')

/** True if a payment between two users has completed, in either direction. Lists then show their full names. */
export async function haveTransacted(
  db: Db,
  { userId, otherId }: { userId: bigint; otherId: bigint },
): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>(
    `select ${haveTransactedSql('$1::bigint', '$2::bigint')} as known`,
    [userId, otherId],
  )
  return onlyRow(rows).known
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Abbreviates a name to initials such as `J. P.`, for users who have not transacted with its owner. */
export const abbreviateName = (name: string): string =>
  name
    .split(/\s+/u)
    .filter(Boolean)
    .map((word) => `${[...graphemes.segment(word)][0]?.segment.toUpperCase() ?? ''}.`)
    .join(' ')

/** Row from which `toPublicUser` builds a public profile. */
export type PublicRow = Pick<UserRow, 'id' | 'username' | 'name'> & {
  base_currency: string
  wallet_address: string
  proven_email?: string | null
  is_known: boolean
  country: string | null
}

/**
 * Public profile of a user. Has the full name if `is_known`, otherwise initials. Has the email only if the caller
 * searched for it in full (`enteredText`).
 */
export const toPublicUser = (row: PublicRow, enteredText?: string): PublicUser => ({
  // not money: a user number has ten digits
  id: Number(row.id),
  username: row.username,
  name: row.name === null || row.is_known ? row.name : abbreviateName(row.name),
  ...(row.proven_email && row.proven_email.toLowerCase() === enteredText ? { email: row.proven_email } : {}),
  base_currency: row.base_currency,
  wallet_address: row.wallet_address,
  country: countryCode(row.country),
})

const maxResults = 8
const escapeLikePattern = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** Parses an account number, with full-width digits or separators allowed; undefined for other texts. */
function parseUserNumber(text: string): bigint | undefined {
  const digits = text.normalize('NFKC').replaceAll(/[\s._-]/g, '')
  return /^[1-9]\d{9}$/.test(digits) && isUserNumber(BigInt(digits)) ? BigInt(digits) : undefined
}

/**
 * SQL of the first users by the beginning of their username, within a range of usernames. The two ranges around
 * `deleted-<number>` avoid reading every deleted account.
 */
const prefixMatchesSql = (range: string) => `(select id, 2 from app_user
  where lower(username) like $2 and lower(username) ${range} and deletion_due_at is null
  order by lower(username) using ~<~ limit $3)`

/**
 * Finds at most eight users by the beginning of their username, or by their whole proven email; only by whole texts if
 * `exact`. Exact matches come first; an account number finds only its account. Callers also find themselves by an
 * unproven email. Full names are returned for the caller and users they have transacted with, otherwise initials.
 */
export async function searchUsers(
  db: Db,
  { query, exact, callerId }: { query: string; exact: boolean; callerId?: bigint },
): Promise<PublicUser[]> {
  const searchText = canonicalEmail(query) ?? query.trim().toLowerCase()
  const prefix = searchText.length >= 2 && !exact ? `${escapeLikePattern(searchText)}%` : null
  // Stops at eight in index order, so that a common prefix costs no more than a rare one.
  const { rows } = await db.query<PublicRow>(
    `with found as (
       select id, 0 as place from app_user where id = $5
       union all
       select id, 1 from app_user
        where lower(username) = $1 or (lower(email) = $1 and (email_proven_at is not null or id = $4))
       union all
       ${prefixMatchesSql("~<~ 'deleted-'")} union all ${prefixMatchesSql("~>=~ 'deleted.'")}
     ), placed as (
       select id, min(place) as place from found
        where place = 0 or not exists (select from app_user where id = $5 and deleted_at is null)
        group by id
     )
     select app_user.id, username, ${nameForOthers}, base_currency, wallet.id as wallet_address,
            case when email_proven_at is not null or app_user.id = $4 then email end as proven_email,
            ${countryForOthersSql('app_user.id')} as country,
            coalesce(app_user.id = $4 or ${haveTransactedSql('$4::bigint', 'app_user.id')}, false) as is_known
       from placed join app_user using (id) join wallet on wallet.user_id = app_user.id
      where app_user.deleted_at is null and app_user.deletion_due_at is null
      order by place, username limit $3`,
    [searchText, prefix, maxResults, callerId ?? null, parseUserNumber(searchText) ?? null],
  )
  return rows.map((row) => toPublicUser(row, searchText))
}

/** Encryption context of a user's sealed name. `tables.ts` has the same in SQL. */
const localNameContext = (userId: bigint): string => `local name ${userId}`

/**
 * Returns a user's public profile with the full name, also in its original script. Refuses `not_found`, without a query
 * if the check digit is wrong.
 */
export async function readProfile(
  { seals }: Pick<IdentityContext, 'seals'>,
  db: Db,
  userId: bigint,
): Promise<PublicUser> {
  if (!isUserNumber(userId)) refuse('not_found')
  const { rows } = await db.query<PublicRow & { local_name: Buffer | null }>(
    `select app_user.id, username, ${nameForOthers}, ${localNameForOthers}, base_currency, wallet.id as wallet_address,
            true as is_known, ${countryForOthersSql('app_user.id')} as country
       from app_user join wallet on wallet.user_id = app_user.id where app_user.id = $1 and deleted_at is null and deletion_due_at is null`,
    [userId],
  )
  const [row] = rows
  if (!row) return refuse('not_found')
  const { local_name: sealedName } = row
  const user = toPublicUser(row)
  return sealedName === null
    ? user
    : { ...user, local_name: seals.localName.open(sealedName, localNameContext(userId)) }
}

/** Returns the users with these numbers; unknown numbers are omitted. */
export async function readUsers(
  { seals }: Pick<IdentityContext, 'seals'>,
  db: Db,
  ids: readonly bigint[],
): Promise<Map<bigint, KnownUser>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<Omit<KnownUser, 'localName'> & { local_name: Buffer | null }>({
    name: 'users_by_id',
    text: `select id, username, ${nameForOthers}, ${localNameForOthers}, email, kyc_status as "kycStatus",
                  deletion_due_at is not null as "isLeaving", ${countryForOthersSql('app_user.id')} as country
             from app_user where id = any($1)`,
    values: [ids],
  })
  return new Map(
    rows.map(({ local_name: sealedName, ...user }) => {
      const localName = sealedName === null ? null : seals.localName.open(sealedName, localNameContext(user.id))
      return [user.id, { ...user, localName }]
    }),
  )
}

/** Stores a verification status and notifies every process on commit. Call `forgetUser` after the commit. */
export async function setKycStatus(tx: Tx, { userId, status }: { userId: bigint; status: KycStatus }): Promise<void> {
  await tx.query('update app_user set kyc_status = $2 where id = $1', [userId, status])
  await notifyUserChanged(tx, userId)
}

/** Returns the verification status and locks the user until the transaction ends. */
export async function lockKycStatus(tx: Tx, userId: bigint): Promise<KycStatus> {
  const { rows } = await tx.query<Pick<UserRow, 'kyc_status'>>(
    'select kyc_status from app_user where id = $1 for update',
    [userId],
  )
  return rows[0]?.kyc_status ?? refuse('not_found')
}

/** Verified name. `firstName` is empty for a person with a single name. */
export interface LegalName {
  readonly firstName: string
  readonly lastName: string
  /** Name in its original script. */
  readonly localName?: string | undefined
}

/** Replaces the chosen name with the verified one. A single name also serves as first name. */
export async function updateLegalName(
  { seals }: Pick<IdentityContext, 'seals'>,
  tx: Tx,
  { userId, firstName, lastName, localName }: LegalName & { userId: bigint },
): Promise<void> {
  await tx.query('update app_user set first_name = $2, name = $3, local_name = $4 where id = $1', [
    userId,
    firstName || lastName,
    fullName({ firstName, lastName }),
    localName ? seals.localName.seal(localName, localNameContext(userId)) : null,
  ])
}
