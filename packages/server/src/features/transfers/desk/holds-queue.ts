import type { DeskFact, DeskSection } from '@tern/contract/desk/queues'
import { money } from '@tern/money/money'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../../../platform/operations/desk-facts.ts'
import type { Product } from '../../../product.ts'
import { readPrice } from '../../exchange/exchange.ts'
import { nameForOperators, personFacts } from '../../identity/identity.ts'
import type { HeldTransfer } from '../held/held-rows.ts'
import { readProofRules } from './proof-rules.ts'

async function listEntries({ identity }: Product, db: Db, transfers: readonly HeldTransfer[]): Promise<QueueEntry[]> {
  const people = await identity.usersById(
    db,
    transfers.map(({ sender_id: id }) => id),
  )
  return transfers.map((row) => ({
    id: row.id,
    kind: row.kind,
    who: nameForOperators(people.get(row.sender_id)),
    amount: money(row.currency, row.amount_minor),
    usdMinor: row.usd_minor,
    people: row.recipient_id === null ? [row.sender_id] : [row.sender_id, row.recipient_id],
    openedAt: row.held_at ?? row.created_at,
    dueAt: row.held_until,
  }))
}

async function readPeople(
  { identity, wallets, now }: Product,
  db: Db,
  { sender_id: senderId, recipient_id: recipientId }: HeldTransfer,
): Promise<DeskSection[]> {
  const people = await identity.usersById(db, recipientId === null ? [senderId] : [senderId, recipientId])
  const sender: DeskSection = { code: 'sender', chapter: 'people', facts: personFacts(people.get(senderId)) }
  if (recipientId === null) return [sender]
  const hasPaid = await wallets.hasPaid(db, { senderId, recipientId, before: now() })
  const paidBeforeFact = codeFact('paid_before', hasPaid ? 'yes' : 'no')
  return [
    sender,
    { code: 'recipient', chapter: 'people', facts: [...personFacts(people.get(recipientId)), paidBeforeFact] },
  ]
}

function transferFacts(heldTransfer: HeldTransfer): DeskFact[] {
  const price = heldTransfer.locked_price === null ? undefined : readPrice(heldTransfer.locked_price)
  return [
    codeFact('kind', heldTransfer.kind),
    moneyFact('on_hold', money(heldTransfer.currency, heldTransfer.amount_minor)),
    moneyFact('worth', money('USD', heldTransfer.usd_minor)),
    ...(price ? [moneyFact('fee', price.fee), moneyFact('arrives', price.target)] : []),
    momentFact('ordered_at', heldTransfer.created_at),
    momentFact('held_at', heldTransfer.held_at ?? heldTransfer.created_at),
    momentFact('goes_back_at', heldTransfer.held_until),
  ]
}

/** Queue of transfers that a rule holds for review. At the deadline the money is returned automatically. */
export const holdsQueue: Queue = {
  name: 'holds',
  verdicts: ['settle', 'reject'],
  reading: { purpose: 'held_transfers', what: ['name', 'payments'] },
  list: async (product, db) => listEntries(product, db, await product.heldTransfers.forOperators(db)),
  find: async (product, db, id) =>
    (await listEntries(product, db, await product.heldTransfers.forOperators(db, id)))[0],

  async readSections(product, db, id) {
    const [heldTransfer] = await product.heldTransfers.forOperators(db, id)
    if (!heldTransfer) return []
    const { facts, ...moves } = await product.heldTransfers.moneyForDesk(id)
    const rules = await readProofRules(db, id)
    return [
      {
        code: 'money',
        chapter: 'money',
        ...moves,
        facts: [...transferFacts(heldTransfer), ...facts, textFact('transfer_id', id)],
      },
      { code: 'why', chapter: 'rules', facts: [codeFact('held_for', heldTransfer.hold_reason)], rules },
      ...(await readPeople(product, db, heldTransfer)),
    ]
  },

  perform: ({ heldTransfers }, _db, { id, verdict, by }) =>
    heldTransfers.decideForOperator({ operator: by, id, decision: verdict === 'settle' ? 'settle' : 'reject' }),
}
