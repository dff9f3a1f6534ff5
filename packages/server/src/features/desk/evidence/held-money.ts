import type { DeskFact, DeskPosting } from '@tern/contract/desk/queues'
import { toDecimal } from '@tern/money/money'
import type { QueueContext } from '../context.ts'
import { codeFact } from '../facts.ts'

/** Returns the postings of a held transfer, and those of both possible ends; none once it has ended. */
export async function readHeldMoney(
  { heldTransfers }: QueueContext,
  transferId: string,
): Promise<{ postings?: DeskPosting[]; facts: DeskFact[] }> {
  const held = await heldTransfers.movementsOf(transferId)
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
    facts: held.release === 'moves' ? [] : [codeFact('on_release', `release_${held.release}`)],
  }
}
