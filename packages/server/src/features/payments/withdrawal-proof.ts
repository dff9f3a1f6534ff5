import { toDecimal } from '@tern/money/money'
import type pg from 'pg'
import type { Caller } from '../../serve.ts'
import type { ProvenAct } from '../identity/identity.ts'
import type { Ground } from './ground.ts'
import type { Order } from './withdrawal-order.ts'

/**
 * Above which value, in US dollar cents, a withdrawal needs a fresh proof: to an account that was first paid less than a
 * day ago, or never, and to any.
 */
const provenAboveUsdMinor = { newAccount: 10_000n, any: 100_000n } as const

const newAccountHours = 24

/** Passes when the withdrawal needs no fresh proof, or when there is one of exactly it; refuses `proof_required` otherwise. */
export async function demandWithdrawalProof(
  { pool, identity }: Ground,
  caller: Caller,
  order: Order,
  proof: string | undefined,
): Promise<void> {
  if (order.usdMinor <= provenAboveUsdMinor.newAccount) return
  if (order.usdMinor <= provenAboveUsdMinor.any && (await isKnown(pool, order))) return
  await identity.proofs.demand(caller, actOf(order), proof)
}

async function isKnown(pool: pg.Pool, { account, at }: Order): Promise<boolean> {
  const dayAgo = new Date(at.getTime() - newAccountHours * 3_600_000)
  const { rowCount } = await pool.query(
    `select from payout where bank_account_id = $1 and status = 'completed' and created_at < $2 limit 1`,
    [account.id, dayAgo],
  )
  return rowCount === 1
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

const actOf = ({ account, amount, expectedOn, idempotencyKey }: Order): ProvenAct => ({
  action: 'withdraw_money',
  subject: {
    to: `${account.bankName}, ending in ${account.last4}`,
    amount: `${toDecimal(amount)} ${amount.currency}`,
    arrives: `by ${dayFormat.format(new Date(`${expectedOn}T00:00:00Z`))}`,
  },
  hidden: { account: account.id, idempotencyKey },
})
