import type { DeskPerson } from '@tern/contract/desk/watch'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { readResidence } from '../kyc/kyc.ts'
import { readLimits } from '../limits/limits.ts'
import { findWallet, readWallet } from '../wallets/wallets.ts'
import type { Product } from '../../product.ts'
import type { Operator } from './context.ts'
import { findPerson } from './find-person.ts'
import { writeLine } from './log.ts'
import { isOwnAccount } from './operators/own-accounts.ts'
import { recordReadings } from './record-readings.ts'

/**
 * Returns a person by exact user number, username or email; null if there is none. Logs every lookup. Refuses
 * `desk_involved` for the operator's own account.
 */
export async function lookUpPerson(
  product: Product,
  pool: pg.Pool,
  { reader, text }: { readonly reader: Operator; readonly text: string },
): Promise<DeskPerson | null> {
  const { identity, now, desk } = product
  const id = await findPerson(pool, text)
  const user = id === undefined ? undefined : (await identity.usersById(pool, [id])).get(id)
  if (user && (await isOwnAccount(pool, { operatorId: reader.id, userId: user.id }))) {
    await writeLine(pool, reader, { act: 'refused', subject: String(user.id) }, desk.context.realNow())
    refuse('desk_involved')
  }
  await transact(pool, async (tx) => {
    const access = { purpose: 'support', what: ['name', 'email', 'balances'] } as const
    await recordReadings(product, tx, { reader, people: user ? [user.id] : [], ...access })
    await writeLine(
      tx,
      reader,
      { act: 'looked_up', subject: user ? String(user.id) : 'nobody' },
      desk.context.realNow(),
    )
  })
  if (!user) return null
  const { rows } = await pool.query<{ createdAt: Date; holds: bigint; verifications: bigint }>(
    `select created_at as "createdAt",
           (select count(*) from transfer where sender_id = u.id and state = 'held' and hold_reason = 'review') as holds,
           (select count(*) from kyc_submission where user_id = u.id and status = 'in_review') as verifications
         from app_user u where id = $1`,
    [user.id],
  )
  const wallet = await findWallet(pool, user.id)
  const limits = await readLimits(pool, { userId: user.id, at: now() })
  const [row] = rows
  const dollars = (minor: bigint) => toDecimal(money('USD', minor))
  return {
    id: wireId(user.id),
    username: user.username,
    name: user.name,
    email: user.email,
    kyc_status: user.kycStatus,
    country: (await readResidence(pool, user.id)) ?? null,
    created_at: (row?.createdAt ?? new Date(0)).toISOString(),
    balances: wallet ? (await readWallet(pool, wallet)).assets : [],
    limits: limits.map((limit) => ({
      direction: limit.direction,
      method: limit.method,
      period: limit.period,
      is_own: limit.is_own,
      max: limit.max_usd_minor === null ? null : dollars(limit.max_usd_minor),
      used: dollars(limit.used_usd_minor),
    })),
    // not money: counts
    waiting: { holds: Number(row?.holds ?? 0), verifications: Number(row?.verifications ?? 0) },
  }
}
