import { isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { Queryable } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { refuse, type RefusalDetails } from '../../platform/refuse.ts'

interface Stopped {
  readonly code: 'account_frozen' | 'loss_open'
  readonly details: RefusalDetails
}

interface StoppedRow {
  readonly is_frozen: boolean
  /** What is missing, in minor units. */
  readonly lost: string | null
  readonly currency: string | null
}

/**
 * Why nothing may leave an account: `account_frozen` while its owner has frozen it, `loss_open` while money that was taken back
 * from them is missing. Undefined where nothing stops it.
 */
export async function whyStopped(db: Queryable, userId: bigint): Promise<Stopped | undefined> {
  const { rows } = await db.query<StoppedRow>(
    `select frozen_at is not null as is_frozen, missing.lost, missing.currency
       from app_user left join lateral (
         select sum(e.amount_minor)::text as lost, e.currency from reconciliation_exception e join payment p on p.id = e.reference
          where e.kind = 'loss' and e.closed_at is null and p.user_id = app_user.id group by e.currency limit 1
       ) as missing on true
      where id = $1`,
    [userId],
  )
  const [found] = rows
  if (found?.is_frozen) return { code: 'account_frozen', details: {} }
  const { lost = null, currency = null } = found ?? {}
  if (lost === null || currency === null) return undefined
  if (!isCurrencyCode(currency)) throw new Error(`a loss is in ${currency}`)
  const params = { amount: amountText(money(currency, BigInt(lost))) }
  return { code: 'loss_open', details: { reason: { code: 'loss_is_open', params } } }
}

/** Refuses `account_frozen`: nothing is pulled into an account that its owner has frozen. */
export async function requireNotFrozen(db: Queryable, userId: bigint): Promise<void> {
  const { rowCount } = await db.query('select from app_user where id = $1 and frozen_at is not null', [userId])
  if (rowCount === 1) refuse('account_frozen')
}
