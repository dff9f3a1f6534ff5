// For tests: disputes, and decisions of operators on them.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { type DisputeKind, openDispute } from '@tern/contract/disputes/disputes'
import { sendMoney } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import type { TestPerson } from './app.ts'
import { loadStoredPayout } from './banking.ts'
import type { TestDesk, TestOperator } from './desk.ts'
import { linkAccount } from './payments.ts'

/** Sends money; returns the transaction id. */
export async function sendTo(
  sender: TestPerson,
  recipient: TestPerson,
  amount: string,
  currency: CurrencyCode = 'USD',
): Promise<string> {
  const body = { recipient_id: recipient.id, amount, source_currency: currency } as const
  return (await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

/** Adds 50 cents by card and sends them, which makes the recipient a known payee before a disputed send. */
export async function payOnce(
  { world }: Pick<TestDesk, 'world'>,
  sender: TestPerson,
  recipient: TestPerson,
): Promise<void> {
  await world.fund(sender, 50)
  await sendTo(sender, recipient, '0.50')
}

/**
 * Withdraws money to a sandbox bank, whose name determines the outcome; returns the ids of the payout and its
 * transaction.
 */
export async function withdrawToBank(
  { world }: Pick<TestDesk, 'world'>,
  person: TestPerson,
  amount: string,
  bank: string,
) {
  const bankAccountId = await linkAccount(world, person, { bank })
  const body = { amount, currency: 'USD', bankAccountId } as const
  const { payout_id: id } = await person.call(withdraw, { body, idempotencyKey: randomUUID() })
  await world.app.product.payments.submitPayout(id)
  return { id, transactionId: (await loadStoredPayout(world, id)).transaction_id }
}

export const dispute = (
  person: TestPerson,
  transactionId: string,
  kind: DisputeKind = 'unauthorized',
  overrides: Partial<Parameters<typeof person.call<typeof openDispute>>[1]['body']> = {},
) =>
  person.call(openDispute, {
    body: { transaction_id: transactionId, kind, statement: 'I was asleep then.', ...overrides },
  })

const reason = 'Compared with what is on record.'

/** Returns the id of the open desk item of a dispute; without one, a random id. */
export async function findReview({ world }: Pick<TestDesk, 'world'>, disputeId: string): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from dispute_review where dispute_id = $1 and closed_at is null',
    [disputeId],
  )
  return rows[0]?.id ?? randomUUID()
}

export async function decideAsOperator(
  desk: Pick<TestDesk, 'world'>,
  operator: TestOperator,
  disputeId: string,
  verdict: string,
) {
  const id = await findReview(desk, disputeId)
  return operator.call('POST', `/queues/disputes/${id}/decision`, { verdict, reason })
}

/** Moves these deadlines of a dispute, and that of its objection, into the past. */
export async function expireDeadlines(
  { world }: Pick<TestDesk, 'world'>,
  disputeId: string,
  columns: readonly ('decide_by' | 'credit_by' | 'need_by')[],
): Promise<void> {
  const changes = columns.map((column) => `${column} = case when ${column} is null then null else opened_at end`)
  if (changes.length > 0) {
    await world.database.pool.query(`update dispute set ${changes.join(', ')} where id = $1`, [disputeId])
  }
  await world.database.pool.query('update dispute_objection set decide_by = made_at where dispute_id = $1', [disputeId])
}
