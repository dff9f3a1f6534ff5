// Certificates of balance: facts frozen under a code, by which anyone who has it can verify them.

import { createHash, randomInt } from 'node:crypto'
import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type { Certificate } from '@tern/contract/statements'
import type { Issuer } from '@tern/contract/transactions'
import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { onlyRow, type Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { AppUserRow } from '../../identity/row-types.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { resolvePeriod, toDay } from '../period.ts'
import { readOpening } from '../read-movements.ts'
import type { BalanceCertificateRow } from '../row-types.ts'

export interface CertificatesContext {
  readonly now: () => Date
  readonly issuer: Issuer
  readonly seal: Seal
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const groups = 4
const groupLength = 5
const maxListed = 200

/** Returns a random code of 100 bits. */
function createCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Hash of a code as a person typed it: in any case, with or without dashes, O for 0, and I or L for 1. */
function hashCode(code: string): Buffer {
  const plain = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return createHash('sha256').update(`balance certificate ${plain}`).digest()
}

/** Reads the available and held balances that the wallet had at a time, in the order of currencies. */
async function readBalances(db: Db, { walletId, at }: { readonly walletId: string; readonly at: Date }) {
  const parts = await readOpening(db, { wallet: { id: walletId }, at })
  const find = (currency: CurrencyCode, part: 'available' | 'on_hold') =>
    parts.find((each) => each.currency === currency && each.part === part)?.balance ?? 0n
  return currencyCodes
    .filter((currency) => parts.some((each) => each.currency === currency))
    .map((currency) => ({
      currency,
      available: toDecimal(money(currency, find(currency, 'available'))),
      on_hold: toDecimal(money(currency, find(currency, 'on_hold'))),
    }))
}

interface CertificateRequest {
  readonly caller: Caller
  readonly date: string | undefined
  readonly timeZone: string | undefined
}

/**
 * Makes a certificate of the caller's balances at the end of a day. Refuses `verification_required`, and
 * `invalid_request` for a day that has not begun and an unknown time zone.
 */
export async function createCertificate(
  { now, issuer, seal }: CertificatesContext,
  pool: pg.Pool,
  { caller: { userId, verified }, date: requestedDate, timeZone = 'UTC' }: CertificateRequest,
): Promise<Certificate> {
  if (!verified) refuse('verification_required')
  if (!isTimeZone(timeZone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const at = now()
  const today = toDay(at, timeZone)
  const date = requestedDate ?? today
  if (date > today) refuseField('invalid_request', 'date', 'period_not_begun')
  const { asOf, endsAt } = resolvePeriod({ from: date, to: date, time_zone: timeZone }, at)
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { rows } = await pool.query<Pick<AppUserRow, 'name' | 'username'>>(
    'select name, username from app_user where id = $1',
    [userId],
  )
  const { name, username } = onlyRow(rows)
  const certificate: Certificate = {
    code: createCode(),
    issuer,
    holder: name ?? username,
    date,
    time_zone: timeZone,
    as_of: asOf.toISOString(),
    balances: await readBalances(pool, { walletId: wallet.id, at: endsAt }),
    created_at: at.toISOString(),
  }
  const id = newId(at)
  await insertRow(pool, 'balance_certificate', {
    id,
    user_id: userId,
    code_hash: hashCode(certificate.code),
    facts: seal.seal(JSON.stringify(certificate), id),
    created_at: at,
  })
  return certificate
}

type StoredCertificate = Pick<BalanceCertificateRow, 'id' | 'facts'>

const openFacts = ({ seal }: Pick<CertificatesContext, 'seal'>, { id, facts }: StoredCertificate): Certificate =>
  JSON.parse(seal.open(facts, id)) as Certificate

/** Lists a user's certificates, newest first. */
export async function listCertificates(
  ctx: Pick<CertificatesContext, 'seal'>,
  db: Db,
  userId: bigint,
): Promise<Certificate[]> {
  const { rows } = await db.query<StoredCertificate>(
    'select id, facts from balance_certificate where user_id = $1 order by created_at desc, id desc limit $2',
    [userId, maxListed],
  )
  return rows.map((row) => openFacts(ctx, row))
}

/** Finds the certificate with a code; with `userId` only if it is this user's. Refuses `not_found`. */
export async function readCertificate(
  ctx: Pick<CertificatesContext, 'seal'>,
  db: Db,
  { code, userId = null }: { readonly code: string; readonly userId?: bigint | null },
): Promise<Certificate> {
  const { rows } = await db.query<StoredCertificate>(
    'select id, facts from balance_certificate where code_hash = $1 and ($2::bigint is null or user_id = $2)',
    [hashCode(code), userId],
  )
  const [row] = rows
  return row ? openFacts(ctx, row) : refuse('not_found')
}

/** Deletes a user's certificate. Refuses `not_found`. */
export async function deleteCertificate(
  db: Db,
  { code, userId }: { readonly code: string; readonly userId: bigint },
): Promise<void> {
  const { rowCount } = await db.query('delete from balance_certificate where code_hash = $1 and user_id = $2', [
    hashCode(code),
    userId,
  ])
  if (rowCount !== 1) refuse('not_found')
}
