import type pg from 'pg'
import type { BankAccount, SavedCard } from '@tern/contract/banking'
import type { LinkedAccount } from '@tern/providers/link/port'
import type { KeptCard } from '@tern/providers/collect/port'
import { onlyRow, type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { markPolled, type PaymentContext, readPending, requireCards, requireLinks } from '../context.ts'
import type { BankAccountRow, SavedCardRow } from '../row-types.ts'

/** Columns common to bank accounts and saved cards. */
type Instrument = Pick<BankAccountRow, keyof BankAccountRow & keyof SavedCardRow>

interface Rows {
  bank_account: BankAccountRow
  saved_card: SavedCardRow
}

/** Tables of instruments. Each user has at most one default in each. */
export type InstrumentTable = keyof Rows

export const maxBankAccounts = 10

/** Usable instruments of a user: their provider is configured and has the capability. The default one comes first. */
export async function loadInstruments<T extends InstrumentTable>(
  { providers }: Pick<PaymentContext, 'providers'>,
  db: Db,
  { table, userId }: { readonly table: T; readonly userId: bigint },
): Promise<Rows[T][]> {
  const capableProviders = providers.all.filter(({ collect, link }) => (table === 'saved_card' ? collect?.card : link))
  const { rows } = await db.query<Rows[T]>(
    `select * from ${table} where user_id = $1 and provider = any($2) and removed_at is null
      order by is_default desc, id desc`,
    [userId, capableProviders.map(({ name }) => name)],
  )
  return rows
}

export const readBankAccounts = async (ctx: PaymentContext, db: Db, userId: bigint): Promise<BankAccount[]> =>
  (await loadInstruments(ctx, db, { table: 'bank_account', userId })).map(bankAccountView)

export const readCards = async (ctx: PaymentContext, db: Db, userId: bigint): Promise<SavedCard[]> =>
  (await loadInstruments(ctx, db, { table: 'saved_card', userId })).map(cardView)

interface InstrumentKey {
  readonly userId: bigint
  readonly id: string
}

/** Makes a bank account the default. Refuses `not_found`. */
export const chooseBankAccount = async (
  ctx: PaymentContext,
  pool: pg.Pool,
  instrumentKey: InstrumentKey,
): Promise<BankAccount> =>
  bankAccountView(await chooseInstrument(ctx, pool, { ...instrumentKey, table: 'bank_account' }))

/** Makes a saved card the default. Refuses `not_found`. */
export const chooseCard = async (
  ctx: PaymentContext,
  pool: pg.Pool,
  instrumentKey: InstrumentKey,
): Promise<SavedCard> => cardView(await chooseInstrument(ctx, pool, { ...instrumentKey, table: 'saved_card' }))

interface InstrumentOfTable<T extends InstrumentTable> extends InstrumentKey {
  readonly table: T
}

/** Makes an instrument the default. Refuses `not_found`. */
async function chooseInstrument<T extends InstrumentTable>(
  ctx: PaymentContext,
  pool: pg.Pool,
  { table, userId, id }: InstrumentOfTable<T>,
): Promise<Rows[T]> {
  const activeOfUserSql = 'user_id = $1 and removed_at is null'
  await transact(pool, async (tx) => {
    await lockInstruments(tx, userId)
    // Cleared first: a unique index allows only one default.
    await tx.query(`update ${table} set is_default = false where ${activeOfUserSql} and is_default`, [userId])
    const updateResult = await tx.query(`update ${table} set is_default = true where ${activeOfUserSql} and id = $2`, [
      userId,
      id,
    ])
    if (updateResult.rowCount !== 1) refuse('not_found')
  })
  const rows = await loadInstruments(ctx, pool, { table, userId })
  return rows.find((row) => row.id === id) ?? refuse('not_found')
}

/**
 * Removes an instrument here and at its provider. If it was the default, the newest one left becomes the default.
 * Refuses `not_found`.
 */
export async function removeInstrument(
  ctx: PaymentContext,
  pool: pg.Pool,
  { table, userId, id }: InstrumentOfTable<InstrumentTable>,
): Promise<void> {
  const at = ctx.now()
  const detachedRow = await transact(pool, async (tx) => {
    await lockInstruments(tx, userId)
    const { rows } = await tx.query<Token>(
      `update ${table} set removed_at = $3 where id = $1 and user_id = $2 and removed_at is null
        returning provider, token`,
      [id, userId, at],
    )
    await tx.query(
      `update ${table} set is_default = true
        where id = (select id from ${table} where user_id = $1 and removed_at is null order by id desc limit 1)
          and not exists (select from ${table} where user_id = $1 and removed_at is null and is_default)`,
      [userId],
    )
    if (table === 'bank_account') await ctx.counterparties.end(tx, id)
    return recordDetach(tx, table, rows[0] ?? refuse('not_found'), at)
  })
  await attemptDetach(ctx, pool, detachedRow)
}

/** Removes all instruments of a closing account in its transaction. `retryDetach` detaches them at their providers. */
export async function removeAllInstruments(
  { now, counterparties }: PaymentContext,
  tx: Tx,
  userId: bigint,
): Promise<void> {
  const at = now()
  await lockInstruments(tx, userId)
  for (const table of ['bank_account', 'saved_card'] as const) {
    const { rows } = await tx.query<Token & { id: string }>(
      `update ${table} set removed_at = $2, is_default = false where user_id = $1 and removed_at is null
        returning id, provider, token`,
      [userId, at],
    )
    for (const row of rows) {
      await recordDetach(tx, table, row, at)
      if (table === 'bank_account') await counterparties.end(tx, row.id)
    }
  }
}

interface Owner {
  readonly userId: bigint
  readonly provider: string
}

/** `full`: the user already has the maximum of bank accounts. */
export type StoreResult = { readonly status: 'added' | 'known'; readonly id: string } | { readonly status: 'full' }

/** Stores a linked bank account. An account that is linked again keeps its id and gets the newer token. */
export function storeBankAccount(tx: Tx, owner: Owner, account: LinkedAccount, at: Date): Promise<StoreResult> {
  const { bankName, holderName, isFingerprintOfLink: _, ...facts } = account
  const holder = { holder_told: Boolean(holderName?.trim()), holder_asked_at: at }
  return storeInstrument(tx, 'bank_account', owner, { ...facts, ...holder, bank_name: bankName }, at)
}

/** Stores a card. A card that is already saved keeps its id and gets the newer token. */
export function storeCard(
  tx: Tx,
  owner: Owner,
  { expMonth, expYear, ...card }: KeptCard,
  at: Date,
): Promise<StoreResult> {
  return storeInstrument(tx, 'saved_card', owner, { ...card, exp_month: expMonth, exp_year: expYear }, at)
}

async function storeInstrument(
  tx: Tx,
  table: InstrumentTable,
  { userId, provider }: Owner,
  facts: Pick<LinkedAccount, 'token' | 'fingerprint'> & Readonly<Record<string, unknown>>,
  at: Date,
): Promise<StoreResult> {
  await lockInstruments(tx, userId)
  const { rows } = await tx.query<Instrument & { fingerprint: string }>(
    `select * from ${table} where user_id = $1 and removed_at is null for update`,
    [userId],
  )
  const existingRow = rows.find((row) => row.provider === provider && row.fingerprint === facts.fingerprint)
  if (existingRow) {
    await updateRow(tx, table, existingRow.id, { ...facts })
    if (existingRow.token !== facts.token) await recordDetach(tx, table, existingRow, at)
    return { status: 'known', id: existingRow.id }
  }
  if (table === 'bank_account' && rows.length >= maxBankAccounts) {
    await recordDetach(tx, table, { provider, token: facts.token }, at)
    return { status: 'full' }
  }
  const id = newId(at)
  const since = table === 'bank_account' ? { linked_at: at } : { saved_at: at }
  await insertRow(tx, table, { id, user_id: userId, provider, ...facts, is_default: rows.length === 0, ...since })
  return { status: 'added', id }
}

export const lockInstruments = (tx: Tx, userId: bigint): Promise<void> => lockName(tx, `payment methods of ${userId}`)

/** Usable bank account of the user with this id, or the default one without an id. Refuses `bank_account_needed`. */
export async function usableAccount(
  ctx: Pick<PaymentContext, 'providers'>,
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string | undefined },
): Promise<BankAccountRow> {
  const accounts = await loadInstruments(ctx, db, { table: 'bank_account', userId })
  const account = accounts.find((candidate) => (id === undefined ? candidate.is_default : candidate.id === id))
  return account ?? refuseField('bank_account_needed', 'bankAccountId')
}

/** Bank account with this id, even if it was removed. */
export async function findBankAccount(db: Db, id: string | null): Promise<BankAccountRow | undefined> {
  if (id === null || !isUuid(id)) return undefined
  return (await db.query<BankAccountRow>('select * from bank_account where id = $1', [id])).rows[0]
}

/** Saved card with this id, even if it was removed. */
export async function findSavedCard(db: Db, id: string | null): Promise<SavedCardRow | undefined> {
  if (id === null || !isUuid(id)) return undefined
  return (await db.query<SavedCardRow>('select * from saved_card where id = $1', [id])).rows[0]
}

export const bankAccountView = (row: BankAccountRow): BankAccount => {
  const { id, bank_name, last4, currency, country, is_default } = row
  return { id, bank_name, last4, currency, country, is_default, linked_at: row.linked_at.toISOString() }
}

export const cardView = (row: SavedCardRow): SavedCard => {
  const { id, brand, last4, exp_month, exp_year, is_default } = row
  return { id, brand, last4, exp_month, exp_year, is_default, saved_at: row.saved_at.toISOString() }
}

// Tokens that are no longer needed are invalidated at the provider too.

type Token = Pick<Instrument, 'provider' | 'token'>
type DetachedRow = Token & { readonly id: string; readonly kind: InstrumentTable }

/** Records a token to invalidate at its provider after the commit: of a removed, replaced or rejected instrument. */
export async function recordDetach(
  tx: Tx,
  kind: InstrumentTable,
  { provider, token }: Token,
  at: Date,
): Promise<DetachedRow> {
  const row = { id: newId(at), provider, kind, token }
  await insertRow(tx, 'detached_instrument', { ...row, last_polled_at: at })
  return row
}

/** Detaches a token at its provider, after the commit. A token that is still needed, or a failure, is retried later. */
async function attemptDetach(ctx: PaymentContext, pool: pg.Pool, row: DetachedRow): Promise<void> {
  const { id } = row
  try {
    await markPolled(ctx, pool, { table: 'detached_instrument', id })
    await detach(ctx, pool, row)
  } catch (error) {
    ctx.log.error({ err: error, detachedId: id }, 'a removed card or bank account could not be detached')
  }
}

/** Detaches recorded tokens whose last attempt was before `polledBefore`. */
export async function retryDetach(ctx: PaymentContext, pool: pg.Pool, polledBefore: Date): Promise<void> {
  const detachedQuery = { table: 'detached_instrument', where: 'true', polledBefore }
  for (const row of await readPending<DetachedRow>(pool, detachedQuery)) await attemptDetach(ctx, pool, row)
}

/** SQL condition: a held deposit came from the account with token `$1`, and may have to be returned to it. */
const hasPendingReturnSql = `exists (select from transfer t join payment p on p.id = t.payment_id join bank_account a on a.id = p.bank_account_id
  where t.kind = 'deposit' and t.state = 'held' and a.token = $1)`

/** Invalidates a token, unless it was saved again, or a pending payment or payout or a held deposit still needs it. */
async function detach(ctx: PaymentContext, pool: pg.Pool, row: DetachedRow): Promise<void> {
  const { id, kind, token, provider } = row
  const isUsedSql = (table: 'payment' | 'payout') =>
    `exists (select from ${table} where status in ('held', 'pending', 'needs_review') and ${kind}_id is not null
       and (submitted_token = $1
         or (submitted_token is null and ${kind}_id in (select id from ${kind} method where method.token = $1))))`
  const { rows } = await pool.query<{ isSaved: boolean; isUsed: boolean }>(
    `select exists (select from ${kind} where token = $1 and provider = $2 and removed_at is null) as "isSaved",
       ${isUsedSql('payment')} ${kind === 'bank_account' ? `or ${isUsedSql('payout')} or ${hasPendingReturnSql}` : ''} as "isUsed"`,
    [token, provider],
  )
  const { isSaved, isUsed } = onlyRow(rows)
  const forget = () =>
    kind === 'saved_card' ? requireCards(ctx, row).forgetCard(token) : requireLinks(ctx, row).unlink(token)
  if (!isSaved && (isUsed || !(await forget()))) return
  await pool.query('delete from detached_instrument where id = $1', [id])
}
