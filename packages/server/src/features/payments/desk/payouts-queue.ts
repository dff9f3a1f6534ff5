import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../../../platform/operations/desk-facts.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import { nameForOperators, personFacts } from '../../identity/identity.ts'
import type { StuckPayout } from '../payouts/stuck-payouts.ts'
import { resolveManually } from './exceptions-queue.ts'

async function listEntries(product: Product, db: Db, payouts: readonly StuckPayout[]): Promise<QueueEntry[]> {
  const people = await product.identity.usersById(
    db,
    payouts.map(({ userId }) => userId),
  )
  return payouts.map(({ id, userId, status, amount, createdAt }) => ({
    id,
    kind: `payout_${status}`,
    who: nameForOperators(people.get(userId)),
    amount,
    usdMinor: product.exchange.usdMinorIfKnown(amount),
    people: [userId],
    openedAt: createdAt,
    dueAt: null,
  }))
}

/** Refuses `desk_item_closed` unless the payout is still in the queue. */
const requirePayout = async ({ payments }: Product, db: Db, id: string): Promise<StuckPayout> =>
  (await payments.stuckPayouts(db, id))[0] ?? refuse('desk_item_closed')

/** Queue of payouts that are overdue, unconfirmed by the provider, or under review. */
export const payoutsQueue: Queue = {
  name: 'payouts',
  verdicts: ['release', 'settle'],
  reading: { purpose: 'support', what: ['name', 'payments', 'instruments'] },
  list: async (product, db) => listEntries(product, db, await product.payments.stuckPayouts(db)),
  find: async (product, db, id) => (await listEntries(product, db, await product.payments.stuckPayouts(db, id)))[0],

  async readSections(product, db, id) {
    const payout = await requirePayout(product, db, id)
    const people = await product.identity.usersById(db, [payout.userId])
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

  async perform(product, db, { id, verdict, by }) {
    await product.payments.openLatePayout(await requirePayout(product, db, id))
    await resolveManually(product, { id, because: by.note, event: verdict === 'settle' ? 'settle' : 'release' })
  },

  async askProvider(product, db, id) {
    await product.payments.pollPayout(await requirePayout(product, db, id))
  },
}
