import { readSqlState } from '@tern/ledger/ledger'
import { isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { Db, Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { refuse, type RefusalDetails } from '../../platform/refuse.ts'

/** Reason for refusing every movement out of an account. */
export interface AccountStop {
  readonly code: 'account_frozen' | 'loss_open'
  readonly details: RefusalDetails
}

/** Columns of `stopColumnsSql`. */
export interface AccountStopRow {
  readonly is_frozen: boolean
  /** Open loss, in minor units. */
  readonly lost: string | null
  readonly currency: string | null
}

/** SQL columns of `AccountStopRow` from `app_user`; `openLossSql` joins `missing`. */
export const stopColumnsSql = 'app_user.frozen_at is not null as is_frozen, missing.lost, missing.currency'
export const openLossSql = `left join lateral (
  select sum(amount_minor)::text as lost, currency from open_losses_of(app_user.id) group by currency limit 1
) as missing on true`

/**
 * Reason why nothing may leave an account: `account_frozen` while its owner has frozen it, `loss_open` while a loss
 * from a payment or a dispute credit is open. Undefined if nothing stops it.
 */
export async function findAccountStop(db: Db, userId: bigint): Promise<AccountStop | undefined> {
  const { rows } = await db.query<AccountStopRow>({
    name: 'stop_of_account',
    text: `select ${stopColumnsSql} from app_user ${openLossSql} where id = $1`,
    values: [userId],
  })
  return toAccountStop(rows[0])
}

/** Reason for which the account of a row is stopped, if any. */
export function toAccountStop(found: AccountStopRow | undefined): AccountStop | undefined {
  if (found?.is_frozen) return { code: 'account_frozen', details: {} }
  const { lost = null, currency = null } = found ?? {}
  if (lost === null || currency === null) return undefined
  if (!isCurrencyCode(currency)) throw new Error(`a loss is in ${currency}`)
  const params = { amount: amountText(money(currency, BigInt(lost))) }
  return { code: 'loss_open', details: { reason: { code: 'loss_is_open', params } } }
}

/** SQLSTATE of `require_no_stop` for money leaving an account that is frozen or has an open loss. */
const stopState = 'TR001'

/** Thrown to roll back a movement from an account that was frozen, or got an open loss, after the decision. */
export class AccountStopped extends Error {
  constructor() {
    super('the account is frozen or has an open loss')
    this.name = 'AccountStopped'
  }
}

/** True if a movement failed because its account was stopped after the decision. Nothing has moved. */
export const isAccountStopped = (error: unknown): boolean =>
  error instanceof AccountStopped || readSqlState(error) === stopState

/**
 * Throws AccountStopped while no money may leave this account. Call it after the money has moved in this transaction: a
 * freeze waits only for movements that have locked their accounts.
 */
export async function requireAccountNotStopped(tx: Tx, userId: bigint): Promise<void> {
  if (await findAccountStop(tx, userId)) throw new AccountStopped()
}

/** True if the user has an open loss, also while the account is frozen. */
export async function hasOpenLoss(db: Db, userId: bigint): Promise<boolean> {
  return (await db.query('select from open_losses_of($1) limit 1', [userId])).rowCount === 1
}

export async function isFrozen(db: Db, userId: bigint): Promise<boolean> {
  return (await db.query('select from app_user where id = $1 and frozen_at is not null', [userId])).rowCount === 1
}

/** Refuses `account_frozen`: nothing is pulled into a frozen account. */
export async function requireNotFrozen(db: Db, userId: bigint): Promise<void> {
  if (await isFrozen(db, userId)) refuse('account_frozen')
}
