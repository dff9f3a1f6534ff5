import type { DeskFact, DeskPosting } from '@tern/contract/desk/queues'
import { toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { codeFact } from '../../../platform/operations/desk-facts.ts'
import type { HeldContext } from '../held/context.ts'
import { readHeldMovements } from '../held/held-movements.ts'

/** Returns a held transfer's postings, and those that a settlement or return would make; none once it has ended. */
export async function readHeldMoney(
  ctx: HeldContext,
  pool: pg.Pool,
  transferId: string,
): Promise<{ postings?: DeskPosting[]; facts: DeskFact[] }> {
  const held = await readHeldMovements(ctx, pool, transferId)
  if (!held) return { facts: [] }
  return {
    postings: held.movements.map(({ when, at, from, to, amount }) => ({
      when,
      at: at?.toISOString() ?? null,
      from,
      to,
      amount: toDecimal(amount),
      currency: amount.currency,
    })),
    facts: [
      ...(held.release === 'moves' ? [] : [codeFact('on_release', `release_${held.release}`)]),
      ...(held.return === 'moves' ? [] : [codeFact('on_return', `release_${held.return}`)]),
    ],
  }
}
