import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { StuckPayout } from '../../payments/payments.ts'
import type { QueueContext } from '../context.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import { resolveByHand } from './exceptions.ts'
import { nameOf, personFacts } from './people-facts.ts'
import { type Queue, type QueueEntry, usdMinorIfKnown } from './queue.ts'

async function listEntries(ctx: QueueContext, db: Db, payouts: readonly StuckPayout[]): Promise<QueueEntry[]> {
  const people = await ctx.identity.usersById(
    db,
    payouts.map(({ userId }) => userId),
  )
  return payouts.map(({ id, userId, status, amount, createdAt }) => ({
    id,
    kind: `payout_${status}`,
    who: nameOf(people.get(userId)),
    amount,
    usdMinor: usdMinorIfKnown(ctx, amount),
    people: [userId],
    openedAt: createdAt,
    dueAt: null,
  }))
}

/** Refuses `desk_item_closed`. */
const requirePayout = async ({ payments }: QueueContext, db: Db, id: string): Promise<StuckPayout> =>
  (await payments.stuckPayouts(db, id))[0] ?? refuse('desk_item_closed')

/** Queue of payouts whose result is overdue. An unknown answer is never guessed. */
export const payoutsQueue: Queue = {
  name: 'payouts',
  verdicts: ['release', 'settle'],
  reading: { purpose: 'support', what: ['name', 'payments', 'instruments'] },
  list: async (ctx, db) => listEntries(ctx, db, await ctx.payments.stuckPayouts(db)),
  find: async (ctx, db, id) => (await listEntries(ctx, db, await ctx.payments.stuckPayouts(db, id)))[0],

  async readSections(ctx, db, id) {
    const payout = await requirePayout(ctx, db, id)
    const people = await ctx.identity.usersById(db, [payout.userId])
    const facts = [
      codeFact('state', `payout_${payout.status}`),
      moneyFact('amount', payout.amount),
      textFact('bank', payout.bank),
      textFact('provider', payout.provider),
      payout.providerPayoutId === null
        ? codeFact('provider_says', 'never_answered')
        : textFact('provider_id', payout.providerPayoutId),
      textFact('expected_on', payout.expectedOn),
      momentFact('ordered_at', payout.createdAt),
      momentFact('last_asked', payout.lastPolledAt),
      textFact('payout_id', id),
    ]
    return [
      { code: 'payout', chapter: 'money', facts },
      { code: 'owner', chapter: 'people', facts: personFacts(people.get(payout.userId)) },
    ]
  },

  async perform(ctx, db, { id, verdict, by }) {
    await ctx.payments.openLatePayout(await requirePayout(ctx, db, id))
    await resolveByHand(ctx, { id, because: by.note, event: verdict === 'settle' ? 'settle' : 'release' })
  },

  async askProvider(ctx, db, id) {
    await ctx.payments.pollPayout(await requirePayout(ctx, db, id))
  },
}
