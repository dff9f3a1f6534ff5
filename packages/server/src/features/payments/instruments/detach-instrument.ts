import { only, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { markPolled, type PaymentContext, pollEach, providerOf } from '../context.ts'
import type { InstrumentTable } from './instruments.ts'

interface DetachedRow {
  readonly id: string
  readonly provider: string
  readonly kind: InstrumentTable
  readonly token: string
}

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
  const { pool, log } = context
  try {
    await markPolled(context, 'detached_instrument', id)
    const { rows } = await pool.query<DetachedRow>('select * from detached_instrument where id = $1', [id])
    if (rows[0]) await detach(context, rows[0])
  } catch (error) {
    log.error({ err: error, detachedId: id }, 'a removed card or bank account could not be detached')
  }
}

/** Tries again what was last tried before this moment. */
export const retryDetach = (context: PaymentContext, polledBefore: Date): Promise<void> =>
  pollEach(context, 'detached_instrument', { where: 'true', polledBefore }, ({ id }) => attemptDetach(context, id))

/** A token may have been saved again meanwhile, or still be needed by a payment or payout that is under way. */
async function detach(context: PaymentContext, detached: DetachedRow): Promise<void> {
  const { pool } = context
  const { id, kind, token, provider } = detached
  const isUsing = (table: 'payment' | 'payout') =>
    `exists (select from ${table} where status in ('held', 'pending', 'needs_review') and ${kind}_id is not null
       and (submitted_token = $1
         or (submitted_token is null and ${kind}_id in (select id from ${kind} method where method.token = $1))))`
  const { rows } = await pool.query<{ isSaved: boolean; isUsed: boolean }>(
    `select exists (select from ${kind} where token = $1 and provider = $2 and removed_at is null) as "isSaved",
       ${isUsing('payment')} ${kind === 'bank_account' ? `or ${isUsing('payout')}` : ''} as "isUsed"`,
    [token, provider],
  )
  const { isSaved, isUsed } = only(rows)
  if (!isSaved) {
    if (isUsed) return
    const { card, bank } = providerOf(context, detached)
    const isDetached = await (kind === 'saved_card' ? card.forgetCard(token) : bank.unlink(token))
    if (!isDetached) return
  }
  await pool.query('delete from detached_instrument where id = $1', [id])
}
