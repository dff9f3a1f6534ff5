import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { requireLinks, type PaymentContext } from '../context.ts'
import type { BankAccountRow } from '../row-types.ts'

// Holders of bank accounts that were linked before holders were screened. Their names were not stored, so the bank is
// queried again through the session in which the account was linked.

type AccountHolding = Pick<BankAccountRow, 'id' | 'provider' | 'fingerprint' | 'holder_told'> & {
  readonly user_id: bigint
}

const batchSize = 100
const retryMs = 3_600_000

/**
 * Queries the bank for an account's holder, and screens the name if there is one. `unknown`: the bank did not answer;
 * `unlinked`: the account must be linked again.
 */
async function lookUpHolder(
  ctx: PaymentContext,
  pool: pg.Pool,
  account: AccountHolding,
): Promise<'asked' | 'unknown' | 'unlinked'> {
  const { id, provider, fingerprint, user_id: userId } = account
  const { rows } = await pool.query<{ session_id: string }>(
    `select session_id from bank_link where bank_account_id = $1 and status = 'linked' and session_id is not null
      order by created_at desc limit 1`,
    [id],
  )
  if (!rows[0]) return 'unlinked'
  const state = await requireLinks(ctx, { id, provider }).lookupLink(rows[0].session_id)
  if (state.status === 'unknown') return 'unknown'
  if (state.status !== 'linked' || state.account.fingerprint !== fingerprint) return 'unlinked'
  const name = state.account.holderName?.trim()
  await transact(pool, async (tx) => {
    const { rowCount } = await tx.query(
      'update bank_account set holder_told = $2, holder_asked_at = $3 where id = $1 and holder_told is null and removed_at is null',
      [id, Boolean(name), ctx.now()],
    )
    // No row matches if the account was linked again, queried by another process, or removed meanwhile.
    if (rowCount === 1 && name) await ctx.counterparties.check(tx, { id, kind: 'account_holder', userId, name })
  })
  return 'asked'
}

/**
 * Queries the bank for an account's holder unless it was queried before. Refuses `provider_unavailable` without an
 * answer, and `bank_account_needed` if the account must be linked again.
 */
export async function requireKnownHolder(ctx: PaymentContext, pool: pg.Pool, account: AccountHolding): Promise<void> {
  if (account.holder_told !== null) return
  const lookup = await lookUpHolder(ctx, pool, account)
  if (lookup === 'unknown') refuse('provider_unavailable')
  if (lookup === 'unlinked') refuseField('bank_account_needed', 'bankAccountId', 'bank_account_to_link_again')
}

/** Queries the unknown holder of the account that a settled payment was pulled from. A failure is only logged. */
export async function lookUpUnknownHolder(
  ctx: PaymentContext,
  pool: pg.Pool,
  { paymentId, status }: { readonly paymentId: string; readonly status: string },
): Promise<void> {
  if (status !== 'settled' || !isUuid(paymentId)) return
  const { rows } = await pool.query<AccountHolding>(
    `select account.* from payment join bank_account account on account.id = payment.bank_account_id
      where payment.id = $1 and payment.method = 'bank' and holder_told is null`,
    [paymentId],
  )
  if (rows[0]) await lookUpOrLog(ctx, pool, rows[0])
}

/**
 * Queries a batch of unknown holders, least recently queried first, and returns its size. Accounts are marked before
 * the query, so that concurrent workers take different ones and a crash of one blocks none of them.
 */
export async function lookUpHolders(ctx: PaymentContext, pool: pg.Pool): Promise<number> {
  const at = ctx.now()
  const { rows } = await pool.query<AccountHolding>(
    `update bank_account set holder_asked_at = $1 where id in (
       select id from bank_account
        where holder_told is null and removed_at is null and (holder_asked_at is null or holder_asked_at < $2)
        order by holder_asked_at nulls first, id limit $3 for update skip locked)
     returning *`,
    [at, new Date(at.getTime() - retryMs), batchSize],
  )
  for (const account of rows) await lookUpOrLog(ctx, pool, account)
  return rows.length
}

async function lookUpOrLog(ctx: PaymentContext, pool: pg.Pool, account: AccountHolding): Promise<void> {
  try {
    await lookUpHolder(ctx, pool, account)
  } catch (error) {
    ctx.log.error({ err: error, bankAccountId: account.id }, 'the holder of a bank account could not be asked for')
  }
}
