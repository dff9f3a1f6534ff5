import type { BankAccount, bankAccounts, chooseBankAccount } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import type { LinkedAccount } from '@tern/providers/bank/port'
import { only, transact, type Tx } from '../../../platform/database/db.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { DetachInstrument } from './detach-instrument.ts'
import type { PaymentContext } from '../context.ts'
import { chooseMethod, countMethods, lockMethods, removeMethod } from './default-instrument.ts'

/** A linked account as the parts that move money to and from it need it. */
export interface UsableAccount {
  readonly id: string
  readonly token: string
  readonly bankName: string
  readonly last4: string
  readonly currency: CurrencyCode
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly linkedAt: Date
}

/** What became of an account that was shared with us. `full`: the user has as many as one may have. */
export type Added = { readonly status: 'added' | 'known'; readonly id: string } | { readonly status: 'full' }

export interface BankAccounts {
  bankAccounts(userId: bigint): Promise<Reply<typeof bankAccounts>>
  /** Refuses `not_found`. */
  removeBankAccount(userId: bigint, id: string): Promise<void>
  /** Refuses `not_found`. */
  chooseBankAccount(userId: bigint, id: string): Promise<Reply<typeof chooseBankAccount>>
  /** One linked account of the user, the default one unless named. Refuses `bank_account_needed`. */
  usableAccount(userId: bigint, id: string | undefined): Promise<UsableAccount>
  /** The account of a payment or payout, also when it was unlinked since. */
  anyAccount(id: string): Promise<{ view: BankAccount; usable: UsableAccount } | undefined>
  /** Adds an account, or takes up again the one that is linked already; the first one becomes the default. */
  addBankAccount(tx: Tx, userId: bigint, account: LinkedAccount): Promise<Added>
}

/** More than anybody needs, and few enough to look through. */
export const mostBankAccounts = 10

interface AccountRow {
  readonly id: string
  readonly token: string
  readonly bank_name: string
  readonly last4: string
  readonly currency: CurrencyCode
  readonly country: string
  readonly is_default: boolean
  readonly linked_at: Date
}

const columns = 'id, token, bank_name, last4, currency, country, is_default, linked_at'

const viewOf = (row: AccountRow): BankAccount => ({
  id: row.id,
  bank_name: row.bank_name,
  last4: row.last4,
  currency: row.currency,
  country: row.country,
  is_default: row.is_default,
  linked_at: row.linked_at.toISOString(),
})

const usableOf = (row: AccountRow): UsableAccount => ({
  id: row.id,
  token: row.token,
  bankName: row.bank_name,
  last4: row.last4,
  currency: row.currency,
  country: row.country,
  linkedAt: row.linked_at,
})

/** The bank accounts that people have linked. */
export function createBankAccounts(context: PaymentContext, detachInstrument: DetachInstrument): BankAccounts {
  const { pool, provider, now } = context

  async function rowsOf(userId: bigint): Promise<AccountRow[]> {
    const { rows } = await pool.query<AccountRow>(
      `select ${columns} from bank_account where user_id = $1 and provider = $2 and removed_at is null
        order by is_default desc, id desc`,
      [userId, provider.name],
    )
    return rows
  }

  return {
    bankAccounts: async (userId) => (await rowsOf(userId)).map(viewOf),

    async removeBankAccount(userId, id) {
      const forgotten = await transact(pool, async (tx) => {
        const token = await removeMethod(tx, 'bank_account', { userId, id, at: now() })
        return token === undefined ? refuse('not_found') : detachInstrument.note(tx, 'bank_account', token)
      })
      await detachInstrument.attempt(forgotten)
    },

    async chooseBankAccount(userId, id) {
      const isOwn = await transact(pool, (tx) => chooseMethod(tx, 'bank_account', userId, id))
      const chosen = isOwn ? (await rowsOf(userId)).find((row) => row.id === id) : undefined
      return chosen ? viewOf(chosen) : refuse('not_found')
    },

    async usableAccount(userId, id) {
      const rows = await rowsOf(userId)
      const row = rows.find((one) => (id === undefined ? one.is_default : one.id === id))
      return row ? usableOf(row) : refuseField('bank_account_needed', 'bankAccountId')
    },

    async anyAccount(id) {
      if (!isUuid(id)) return undefined
      const { rows } = await pool.query<AccountRow>(`select ${columns} from bank_account where id = $1`, [id])
      return rows[0] && { view: viewOf(rows[0]), usable: usableOf(rows[0]) }
    },

    addBankAccount: (tx, userId, account) => addAccount(context, detachInstrument, tx, { userId, account }),
  }
}

async function addAccount(
  { provider, now }: PaymentContext,
  detachInstrument: DetachInstrument,
  tx: Tx,
  { userId, account }: { userId: bigint; account: LinkedAccount },
): Promise<Added> {
  const { token, fingerprint, bankName, last4, currency, country } = account
  await lockMethods(tx, userId)
  const linked = await tx.query<{ id: string; token: string }>(
    `select id, token from bank_account
      where user_id = $1 and provider = $2 and fingerprint = $3 and removed_at is null for update`,
    [userId, provider.name, fingerprint],
  )
  const known = linked.rows[0]
  if (known) {
    // The same account shared again may come with a newer consent, and is still the same account.
    await tx.query(
      'update bank_account set token = $2, bank_name = $3, last4 = $4, currency = $5, country = $6 where id = $1',
      [known.id, token, bankName, last4, currency, country],
    )
    if (known.token !== token) await detachInstrument.note(tx, 'bank_account', known.token)
    return { status: 'known', id: known.id }
  }
  const count = await countMethods(tx, 'bank_account', userId)
  if (count >= mostBankAccounts) {
    await detachInstrument.note(tx, 'bank_account', token)
    return { status: 'full' }
  }
  const at = now()
  const { rows } = await tx.query<{ id: string }>(
    `insert into bank_account (id, user_id, provider, token, fingerprint, bank_name, last4, currency, country, is_default,
       linked_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    [newId(at), userId, provider.name, token, fingerprint, bankName, last4, currency, country, count === 0, at],
  )
  return { status: 'added', id: only(rows).id }
}
