import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../../../platform/operations/desk-facts.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { DeskFact } from '@tern/contract/desk/queues'
import { findPayeeCheck } from '../payees/payee-answers.ts'
import { findPayout } from '../records/payment-rows.ts'
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

/** Bank's answer about the account holder's name, and the holder's reply. */
async function readPayeeFacts(db: Db, id: string): Promise<DeskFact[]> {
  const payout = await findPayout(db, id)
  if (!payout || payout.payee_result === null) return [codeFact('payee', 'payee_not_checked')]
  const facts = [
    codeFact('payee', `payee_${payout.payee_result}`),
    codeFact('payee_answer', `payee_answer_${payout.payee_answer}`),
  ]
  const check = await findPayeeCheck(db, payout.payee_check_id)
  if (!check) return facts
  const scheme = check.scheme === 'none' ? 'payee_no_scheme' : check.scheme
  return [...facts, codeFact('payee_scheme', scheme), momentFact('payee_checked_at', check.checked_at)]
}

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
    const payeeFacts = await readPayeeFacts(db, id)
    return [
      { code: 'payout', chapter: 'money', facts: [...facts, ...payeeFacts] },
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
