import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import type { MoneyProvider } from '../../../platform/providers.ts'
import type { PaymentContext } from '../context.ts'
import type { MethodTable } from './default-instrument.ts'

/** Cards and bank accounts that were removed here are forgotten at the provider too, now or when it answers again. */
export interface DetachInstrument {
  /** Writes down, in the transaction that removes it, that a token is to be made worthless. Gives a number for `attempt`. */
  note(tx: Tx, kind: MethodTable, token: string): Promise<string>
  /** Tells the provider, after the commit. What fails, or is still needed, is tried again later. */
  attempt(id: string): Promise<void>
  /** Tries again what was last tried before this moment. */
  retry(polledBefore: Date): Promise<void>
}

interface Forgotten {
  readonly kind: MethodTable
  readonly token: string
}

const mostAtOnce = 100

export function createDetachInstrument({
  pool,
  provider,
  now,
  log,
}: Pick<PaymentContext, 'pool' | 'provider' | 'now' | 'log'>): DetachInstrument {
  async function attempt(id: string): Promise<void> {
    try {
      const { rows } = await pool.query<Forgotten>(
        'update detached_instrument set last_polled_at = $2 where id = $1 and provider = $3 returning kind, token',
        [id, now(), provider.name],
      )
      const forgotten = rows[0]
      if (!forgotten) return
      const use = await useOf(pool, forgotten)
      if (use === 'under way') return
      if (use === 'none' && !(await forgetAt(provider, forgotten))) return
      await pool.query('delete from detached_instrument where id = $1', [id])
    } catch (error) {
      log.error({ err: error, forgottenId: id }, 'a removed card or bank account could not be forgotten')
    }
  }

  return {
    async note(tx, kind, token) {
      const id = newId(now())
      await tx.query(
        'insert into detached_instrument (id, provider, kind, token, last_polled_at) values ($1, $2, $3, $4, $5)',
        [id, provider.name, kind, token, now()],
      )
      return id
    },
    attempt,
    async retry(polledBefore) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from detached_instrument where provider = $1 and last_polled_at < $2 order by last_polled_at limit $3',
        [provider.name, polledBefore, mostAtOnce],
      )
      for (const { id } of rows) await attempt(id)
    },
  }
}

const forgetAt = (provider: MoneyProvider, { kind, token }: Forgotten): Promise<boolean> =>
  kind === 'saved_card' ? provider.card.forgetCard(token) : provider.bank.unlink(token)

/**
 * A token may have been saved again meanwhile, or still be needed by what is under way to or from it: by what was ordered
 * with it, and by what will be.
 */
async function useOf(pool: pg.Pool, { kind, token }: Forgotten): Promise<'again' | 'under way' | 'none'> {
  const again = await pool.query(`select from ${kind} where token = $1 and removed_at is null limit 1`, [token])
  if (again.rowCount) return 'again'
  const using = (table: 'payment' | 'payout') =>
    pool.query(
      `select from ${table} where status in ('held', 'pending', 'needs_review') and ${kind}_id is not null
          and (submitted_token = $1
            or (submitted_token is null and ${kind}_id in (select id from ${kind} method where method.token = $1)))
        limit 1`,
      [token],
    )
  const payments = await using('payment')
  const payouts = kind === 'bank_account' ? await using('payout') : undefined
  return payments.rowCount || payouts?.rowCount ? 'under way' : 'none'
}
