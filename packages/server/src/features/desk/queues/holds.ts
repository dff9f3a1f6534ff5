import type { DeskSection } from '@tern/contract/desk/queues'
import { money } from '@tern/money/money'
import { priceFrom } from '../../exchange/exchange.ts'
import type pg from 'pg'
import type { Identity } from '../../identity/identity.ts'
import type { HeldTransfer, HeldTransfers } from '../../transfers/transfers.ts'
import type { Wallets } from '../../wallets/wallets.ts'
import { proofRules } from '../evidence/fired-rules.ts'
import { heldMoney } from '../evidence/held-money.ts'
import { nameOf, personFacts } from './people-facts.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import type { Queue, QueueEntry } from './queue.ts'

interface Options {
  readonly pool: pg.Pool
  readonly heldTransfers: Pick<HeldTransfers, 'forOperators' | 'decideAs' | 'movementsOf'>
  readonly identity: Pick<Identity, 'usersById'>
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly now: () => Date
}

/** Queue of transfers that a rule holds for review. At the deadline the money returns automatically. */
export function createHoldsQueue({ pool, heldTransfers, identity, wallets, now }: Options): Queue {
  async function entriesOf(held: readonly HeldTransfer[]): Promise<QueueEntry[]> {
    const people = await identity.usersById(
      pool,
      held.map(({ sender_id: id }) => id),
    )
    return held.map((row) => ({
      id: row.id,
      kind: row.kind,
      who: nameOf(people.get(row.sender_id)),
      amount: money(row.currency, row.amount_minor),
      usdMinor: row.usd_minor,
      people: row.recipient_id === null ? [row.sender_id] : [row.sender_id, row.recipient_id],
      openedAt: row.held_at ?? row.created_at,
      dueAt: row.held_until,
    }))
  }

  async function peopleSections(held: HeldTransfer): Promise<DeskSection[]> {
    const { sender_id: senderId, recipient_id: recipientId } = held
    const people = await identity.usersById(pool, recipientId === null ? [senderId] : [senderId, recipientId])
    const sender: DeskSection = { code: 'sender', chapter: 'people', facts: personFacts(people.get(senderId)) }
    if (recipientId === null) return [sender]
    const hasPaid = await wallets.hasPaid(pool, { senderId, recipientId, before: now() })
    const before = codeFact('paid_before', hasPaid ? 'yes' : 'no')
    return [sender, { code: 'recipient', chapter: 'people', facts: [...personFacts(people.get(recipientId)), before] }]
  }

  return {
    name: 'holds',
    verdicts: ['settle', 'reject'],
    reading: { purpose: 'held_transfers', what: ['name', 'payments'] },
    list: async () => entriesOf(await heldTransfers.forOperators()),
    find: async (id) => (await entriesOf(await heldTransfers.forOperators(id)))[0],

    async sectionsOf({ id }) {
      const [held] = await heldTransfers.forOperators(id)
      if (!held) return []
      const price = held.locked_price === null ? undefined : priceFrom(held.locked_price)
      const facts = [
        codeFact('kind', held.kind),
        moneyFact('on_hold', money(held.currency, held.amount_minor)),
        moneyFact('worth', money('USD', held.usd_minor)),
        ...(price ? [moneyFact('fee', price.fee), moneyFact('arrives', price.target)] : []),
        momentFact('ordered_at', held.created_at),
        momentFact('held_at', held.held_at ?? held.created_at),
        momentFact('goes_back_at', held.held_until),
      ]
      const moves = await heldMoney(heldTransfers, id)
      const rules = await proofRules(pool, id)
      return [
        { code: 'money', chapter: 'money', ...moves, facts: [...facts, ...moves.facts, textFact('transfer_id', id)] },
        { code: 'why', chapter: 'rules', facts: [codeFact('held_for', held.hold_reason)], rules },
        ...(await peopleSections(held)),
      ]
    },

    perform: ({ id }, verdict, by) =>
      heldTransfers.decideAs({ operator: by, id, decision: verdict === 'settle' ? 'settle' : 'reject' }),
  }
}
