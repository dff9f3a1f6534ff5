import type { Db } from '../../../platform/database/db.ts'
import type { Identity } from '../../identity/identity.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { StuckPayout } from '../../payments/payments.ts'
import { type PaymentQueueOptions, resolving } from './exceptions.ts'
import { nameOf, personFacts } from './people-facts.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import type { Queue, QueueEntry } from './queue.ts'

interface Options extends PaymentQueueOptions {
  readonly pool: Db
  readonly identity: Pick<Identity, 'usersById'>
}

/** Queue of payouts whose result is overdue. An unknown answer is never guessed. */
export function createPayoutsQueue({ pool, payments, identity, usdMinorOf }: Options): Queue {
  async function entriesOf(stuck: readonly StuckPayout[]): Promise<QueueEntry[]> {
    const people = await identity.usersById(
      pool,
      stuck.map(({ userId }) => userId),
    )
    return stuck.map(({ id, userId, status, amount, createdAt }) => ({
      ...{ id, kind: `payout_${status}`, who: nameOf(people.get(userId)), amount },
      ...{ usdMinor: usdMinorOf(amount), people: [userId], openedAt: createdAt, dueAt: null },
    }))
  }
  const findPayout = async (id: string) => (await payments.stuckPayouts(id))[0] ?? refuse('desk_item_closed')

  return {
    name: 'payouts',
    verdicts: ['release', 'settle'],
    reading: { purpose: 'support', what: ['name', 'payments', 'instruments'] },
    list: async () => entriesOf(await payments.stuckPayouts()),
    find: async (id) => (await entriesOf(await payments.stuckPayouts(id)))[0],

    async sectionsOf({ id }) {
      const payout = await findPayout(id)
      const people = await identity.usersById(pool, [payout.userId])
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

    async perform({ id }, verdict, { note }) {
      await payments.openLatePayout(await findPayout(id))
      await resolving(
        verdict === 'settle' ? payments.settle({ id, because: note }) : payments.release({ id, because: note }),
      )
    },

    ask: async ({ id }) => payments.pollPayout(await findPayout(id)),
  }
}
