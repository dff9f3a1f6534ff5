import { holdAccount, walletAccount } from '@tern/ledger/chart'
import type { Wallet as WalletView } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import { onlyRow, type Db } from '../../../platform/database/db.ts'

/** Reason why a part of a balance may not go to a bank yet. */
export type RestrictionReason = 'card' | 'bank_debit' | 'provisional_credit'

/** Part of a balance that may not go to a bank until a time or, if `until` is undefined, its dispute's decision. */
export interface RestrictedPart {
  readonly amount: Money
  readonly reason: RestrictionReason
  readonly until: Date | undefined
  /** True if the part includes money that another user brought in. */
  readonly isReceived: boolean
}

/** Sum of the restricted parts of a balance, and the parts. */
export interface RestrictedMoney {
  readonly amount: Money
  /** Earliest maturity first. */
  readonly parts: readonly RestrictedPart[]
}

interface PartRow {
  readonly reason: RestrictionReason
  readonly until: Date | null
  readonly minor: bigint
  readonly is_received: boolean
}

/** SQL condition: lot `r` originates from another user's payment or dispute. */
const foreignOriginSql = `not exists (select from payment p where p.id = r.origin and p.user_id = r.user_id)
  and not exists (select from dispute d where d.id = r.origin and d.user_id = r.user_id)`

interface RestrictedInput {
  readonly walletId: string
  readonly currency: CurrencyCode
  readonly at: Date
  readonly holdFor?: string
}

/** Returns the restricted parts of a wallet's balance in a currency, and those on hold for transaction `holdFor`. */
export async function readRestricted(
  db: Db,
  { walletId, currency, at, holdFor }: RestrictedInput,
): Promise<RestrictedMoney> {
  const { rows } = await db.query<PartRow>(
    `select r.reason, nullif(r.matures_at, 'infinity') as until, sum(r.minor) as minor, bool_or(${foreignOriginSql}) as is_received
       from restricted_money r join ledger.account a on a.id = r.account_id
      where (a.name = $1 or (a.name = $2 and r.hold_reference = $3)) and is_restricted(r, $4)
      group by r.reason, r.matures_at order by r.matures_at, r.reason`,
    [walletAccount(walletId, currency).name, holdAccount(walletId, currency).name, holdFor ?? null, at],
  )
  const parts = rows.map(({ reason, until, minor, is_received: isReceived }): RestrictedPart => ({
    amount: money(currency, minor),
    reason,
    until: until ?? undefined,
    isReceived,
  }))
  return {
    amount: money(
      currency,
      parts.reduce((sum, { amount }) => sum + amount.minor, 0n),
    ),
    parts,
  }
}

interface WalletPartRow extends PartRow {
  readonly currency: CurrencyCode
  readonly since: Date
}

interface WalletParts {
  readonly walletId: string
  readonly currencies: readonly CurrencyCode[]
  readonly at: Date
}

/** Returns the restricted parts of all spendable balances of a wallet, as its owner sees them. */
export async function readWalletParts(
  db: Db,
  { walletId, currencies, at }: WalletParts,
): Promise<WalletView['restricted']> {
  const { rows } = await db.query<WalletPartRow>(
    `select r.currency, r.reason, nullif(r.matures_at, 'infinity') as until, sum(r.minor) as minor,
            bool_or(${foreignOriginSql}) as is_received,
            min(coalesce((select p.created_at from payment p where p.id = r.origin),
              (select d.opened_at from dispute d where d.id = r.origin), r.created_at)) as since
       from restricted_money r join ledger.account a on a.id = r.account_id
      where a.name = any ($1) and is_restricted(r, $2)
      group by r.currency, r.reason, r.matures_at order by r.matures_at, r.currency, r.reason`,
    [currencies.map((currency) => walletAccount(walletId, currency).name), at],
  )
  return rows.map(({ currency, reason, until, minor, is_received, since }) => ({
    currency,
    amount: toDecimal(money(currency, minor)),
    reason,
    from: until?.toISOString() ?? null,
    is_received,
    since: since.toISOString(),
  }))
}

interface Payer {
  readonly userId: bigint
  readonly method: 'card' | 'bank'
  readonly bankAccountId: string | undefined
  readonly at: Date
}

/** Returns for how many hours money received at `at` cannot go to a bank; `bankAccountId` only for bank debits. */
export async function readMaturityHours(db: Db, { userId, method, bankAccountId, at }: Payer): Promise<number> {
  const { rows } = await db.query<{ hours: number }>('select maturity_hours($1, $2, $3, $4) as hours', [
    userId,
    method,
    bankAccountId ?? null,
    at,
  ])
  return onlyRow(rows).hours
}
