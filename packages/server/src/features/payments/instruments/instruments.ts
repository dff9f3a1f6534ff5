import type { BankAccount, SavedCard } from '@tern/contract/banking'
import type { CurrencyCode } from '@tern/money/currency'
import type { LinkedAccount } from '@tern/providers/bank/port'
import type { KeptCard } from '@tern/providers/card/port'
import { type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { attemptDetach, noteDetach } from './detach-instrument.ts'

interface Instrument {
  readonly id: string
  readonly provider: string
  /** Means something to this provider alone. */
  readonly token: string
  readonly last4: string
  readonly is_default: boolean
}

export interface BankAccountRow extends Instrument {
  readonly bank_name: string
  readonly currency: CurrencyCode
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly linked_at: Date
}

interface CardRow extends Instrument {
  readonly brand: string
  readonly exp_month: number
  readonly exp_year: number
  readonly saved_at: Date
}

interface Rows {
  bank_account: BankAccountRow
  saved_card: CardRow
}

/** What people pay with or are paid to. Each user has one default in each table. */
export type InstrumentTable = keyof Rows

export const mostBankAccounts = 10

/** The instruments of a user that can be used: their provider is configured. The default one comes first. */
export async function instrumentsOf<T extends InstrumentTable>(
  { pool, providers }: Pick<PaymentContext, 'pool' | 'providers'>,
  table: T,
  userId: bigint,
): Promise<Rows[T][]> {
  const { rows } = await pool.query<Rows[T]>(
    `select * from ${table} where user_id = $1 and provider = any($2) and removed_at is null
      order by is_default desc, id desc`,
    [userId, providers.all.map(({ name }) => name)],
  )
  return rows
}

/** Makes an instrument the default one. Refuses `not_found`. */
export async function chooseInstrument<T extends InstrumentTable>(
  context: PaymentContext,
  table: T,
  userId: bigint,
  id: string,
): Promise<Rows[T]> {
  await transact(context.pool, async (tx) => {
    await lockInstruments(tx, userId)
    const own = await tx.query(`select from ${table} where id = $1 and user_id = $2 and removed_at is null`, [
      id,
      userId,
    ])
    if (own.rowCount !== 1) refuse('not_found')
    // In this order there is never more than one.
    await tx.query(`update ${table} set is_default = false where user_id = $1 and is_default and removed_at is null`, [
      userId,
    ])
    await updateRow(tx, table, id, { is_default: true })
  })
  const rows = await instrumentsOf(context, table, userId)
  return rows.find((row) => row.id === id) ?? refuse('not_found')
}

/** Removes an instrument, here and at its provider; the newest one left becomes the default. Refuses `not_found`. */
export async function removeInstrument(context: PaymentContext, table: InstrumentTable, userId: bigint, id: string) {
  const detachId = await transact(context.pool, async (tx) => {
    await lockInstruments(tx, userId)
    const { rows } = await tx.query<Instrument>(
      `update ${table} set removed_at = $3 where id = $1 and user_id = $2 and removed_at is null
        returning provider, token`,
      [id, userId, context.now()],
    )
    await tx.query(
      `update ${table} set is_default = true
        where id = (select id from ${table} where user_id = $1 and removed_at is null order by id desc limit 1)
          and not exists (select from ${table} where user_id = $1 and removed_at is null and is_default)`,
      [userId],
    )
    return noteDetach(context, tx, table, rows[0] ?? refuse('not_found'))
  })
  await attemptDetach(context, detachId)
}

interface Owner {
  readonly userId: bigint
  readonly provider: string
}

/** `full`: the user has as many bank accounts as allowed. */
export type Kept = { readonly status: 'added' | 'known'; readonly id: string } | { readonly status: 'full' }

/** Adds a bank account that its owner shared. Shared again, with a newer consent, it stays the same account. */
export function keepBankAccount(
  context: Pick<PaymentContext, 'now'>,
  tx: Tx,
  owner: Owner,
  { bankName, ...account }: LinkedAccount,
): Promise<Kept> {
  return keep(context, tx, 'bank_account', owner, { ...account, bank_name: bankName })
}

/** Saves a card for later. One that is saved already gets its newer token. */
export function keepCard(
  context: Pick<PaymentContext, 'now'>,
  tx: Tx,
  owner: Owner,
  { expMonth, expYear, ...card }: KeptCard,
): Promise<Kept> {
  return keep(context, tx, 'saved_card', owner, { ...card, exp_month: expMonth, exp_year: expYear })
}

async function keep(
  context: Pick<PaymentContext, 'now'>,
  tx: Tx,
  table: InstrumentTable,
  { userId, provider }: Owner,
  facts: Pick<LinkedAccount, 'token' | 'fingerprint'> & Readonly<Record<string, unknown>>,
): Promise<Kept> {
  await lockInstruments(tx, userId)
  const { rows } = await tx.query<Instrument & { fingerprint: string }>(
    `select * from ${table} where user_id = $1 and removed_at is null for update`,
    [userId],
  )
  const known = rows.find((row) => row.provider === provider && row.fingerprint === facts.fingerprint)
  if (known) {
    await updateRow(tx, table, known.id, { ...facts })
    if (known.token !== facts.token) await noteDetach(context, tx, table, known)
    return { status: 'known', id: known.id }
  }
  if (table === 'bank_account' && rows.length >= mostBankAccounts) {
    await noteDetach(context, tx, table, { provider, token: facts.token })
    return { status: 'full' }
  }
  const at = context.now()
  const id = newId(at)
  const since = table === 'bank_account' ? { linked_at: at } : { saved_at: at }
  await insertRow(tx, table, { id, user_id: userId, provider, ...facts, is_default: rows.length === 0, ...since })
  return { status: 'added', id }
}

const lockInstruments = (tx: Tx, userId: bigint): Promise<void> => lockName(tx, `payment methods of ${userId}`)

/** One usable bank account of the user, the default one unless named. Refuses `bank_account_needed`. */
export async function usableAccount(context: PaymentContext, userId: bigint, id: string | undefined) {
  const accounts = await instrumentsOf(context, 'bank_account', userId)
  const account = accounts.find((one) => (id === undefined ? one.is_default : one.id === id))
  return account ?? refuseField('bank_account_needed', 'bankAccountId')
}

/** The account of a payment or payout, also when it was unlinked since. */
export async function findBankAccount(pool: Queryable, id: string | null): Promise<BankAccountRow | undefined> {
  if (id === null || !isUuid(id)) return undefined
  return (await pool.query<BankAccountRow>('select * from bank_account where id = $1', [id])).rows[0]
}

/** A bank account as its owner sees it. */
export const bankAccountView = (row: BankAccountRow): BankAccount => {
  const { id, bank_name, last4, currency, country, is_default } = row
  return { id, bank_name, last4, currency, country, is_default, linked_at: row.linked_at.toISOString() }
}

/** A card as its owner sees it. */
export const cardView = (row: CardRow): SavedCard => {
  const { id, brand, last4, exp_month, exp_year, is_default } = row
  return { id, brand, last4, exp_month, exp_year, is_default, saved_at: row.saved_at.toISOString() }
}
