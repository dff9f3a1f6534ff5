import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { type PaymentContext, providerOf } from '../context.ts'
import type { InstrumentTable } from './instruments.ts'

interface DetachedRow {
  readonly id: string
  readonly provider: string
  readonly kind: InstrumentTable
  readonly token: string
}

const mostAtOnce = 100

/** Records, in the transaction that removes it, that a token has to be made worthless; gives its id. */
export async function noteDetach(
  { now }: Pick<PaymentContext, 'now'>,
  tx: Tx,
  kind: InstrumentTable,
  { provider, token }: Pick<DetachedRow, 'provider' | 'token'>,
): Promise<string> {
  const id = newId(now())
  await insertRow(tx, 'detached_instrument', { id, provider, kind, token, last_polled_at: now() })
  return id
}

/** Tells the provider, after the commit. What fails, or is still needed, is tried again later. */
export async function attemptDetach(context: PaymentContext, id: string): Promise<void> {
  const { pool, now, log } = context
  try {
    const { rows } = await pool.query<DetachedRow>(
      'update detached_instrument set last_polled_at = $2 where id = $1 returning *',
      [id, now()],
    )
    const [detached] = rows
    if (!detached) return
    const use = await useOf(pool, detached)
    if (use === 'under way') return
    const { card, bank } = providerOf(context, detached)
    const forget = () =>
      detached.kind === 'saved_card' ? card.forgetCard(detached.token) : bank.unlink(detached.token)
    if (use === 'none' && !(await forget())) return
    await pool.query('delete from detached_instrument where id = $1', [id])
  } catch (error) {
    log.error({ err: error, detachedId: id }, 'a removed card or bank account could not be detached')
  }
}

/** Tries again what was last tried before this moment. */
export async function retryDetach(context: PaymentContext, polledBefore: Date): Promise<void> {
  const { rows } = await context.pool.query<{ id: string }>(
    'select id from detached_instrument where last_polled_at < $1 order by last_polled_at limit $2',
    [polledBefore, mostAtOnce],
  )
  for (const { id } of rows) await attemptDetach(context, id)
}

/** A token may have been saved again meanwhile, or still be needed by a payment or payout that is under way. */
async function useOf(pool: pg.Pool, { kind, token, provider }: DetachedRow): Promise<'again' | 'under way' | 'none'> {
  const again = await pool.query(
    `select from ${kind} where token = $1 and provider = $2 and removed_at is null limit 1`,
    [token, provider],
  )
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
