// For sound books: transfers waiting for cases and confirmations, a repaid loss, objections and limits.

import { objectToCheck } from '@tern/contract/compliance/checks'
import { objectToDispute } from '@tern/contract/disputes/disputes'
import { setOwnLimit } from '@tern/contract/limits'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import { money } from '@tern/money/money'
import { expect } from 'vitest'
import { decideAsTwo, openTestCase, send } from '../compliance/cases.ts'
import { dispute, passTime, sendTo } from '../disputes.ts'
import { idOf, streetModeClient } from '../street-mode.ts'
import type { TestApp, TestPerson } from '../app.ts'
import { createTestBooks, type TestBooks } from './books.ts'

/** Creates repaid losses of a payment and a dispute, and sends waiting for a case, cleared, and held by street mode. */
export async function waitInEveryWay(world: TestApp): Promise<void> {
  await payForLoss(world, createTestBooks(world))
  await payForCredit(world)
  const [ines, jo, kim] = await Promise.all(['ines', 'jo', 'kim'].map((name) => world.enroll(name, 'United States')))
  if (!ines || !jo || !kim) throw new Error('nobody was enrolled')
  for (const person of [ines, jo, kim]) await world.fund(person, 10_000)
  const openCase = (person: typeof ines) =>
    openTestCase(world, { userId: BigInt(person.id), kind: 'pattern', evidence: {} })
  await openCase(ines)
  await send(ines, kim, '3.00')
  const cleared = await openCase(jo)
  await send(jo, kim, '4.00')
  await decideAsTwo(world, cleared, 'clear')
  const street = streetModeClient(world, kim)
  await street.set()
  const waiting = idOf(await street.send(jo, '60.00'))
  expect(await street.statusOf(waiting)).toMatchObject({ hold: { reason: 'street_mode' } })
}

/** Charges back a deposit that was spent. Its payer deposits again and repays the loss. */
async function payForLoss(world: TestApp, books: TestBooks): Promise<void> {
  const [lea, max] = [await world.enroll('lea', 'United States'), await world.enroll('max', 'United States')]
  const { paymentId: reference } = await world.fund(lea, 2_000)
  await send(lea, max, '15.00')
  await books.write({ kind: 'chargeback', amount: money('USD', 2_000n), reference })
  await world.fund(lea, 2_000)
  const [missing] = (await lea.call(openLosses, {})).losses
  const body = { expected_total: missing?.amount ?? '' }
  expect(await lea.call(payLoss, { params: { id: reference }, body })).toEqual({ losses: [] })
}

/** Dismisses a dispute whose credit was already spent. The account holder deposits again and repays the loss. */
async function payForCredit(world: TestApp): Promise<void> {
  const { operators, runDue } = world.app.product.disputes
  const [nia, oto] = [await world.enroll('nia', 'United States'), await world.enroll('oto', 'United States')]
  await world.fund(nia, 2_000)
  // Makes the recipient a known payee before a later dispute.
  await send(nia, oto, '0.50')
  const disputed = await sendTo(nia, oto, '15.00')
  const { id } = await dispute(nia, disputed)
  await passTime({ world }, id, ['credit_by'])
  await runDue()
  await send(nia, oto, '15.00')
  await operators.decide(id, 'dismiss')
  await world.fund(nia, 2_000)
  const [missing] = (await nia.call(openLosses, {})).losses
  const body = { expected_total: missing?.amount ?? '' }
  expect(await nia.call(payLoss, { params: { id }, body })).toEqual({ losses: [] })
}

/**
 * Files objections to a decided case and a decided dispute, and sets limits as the account holder and as an operator.
 */
export async function objectAndLimit(world: TestApp, anna: TestPerson): Promise<void> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from dispute where user_id = $1 and state = 'dismissed'`,
    [anna.id],
  )
  await anna.call(objectToDispute, { params: { id: rows[0]?.id ?? '' }, body: { text: 'My phone was stolen.' } })
  const olga = await world.enroll('olga', 'United States')
  const caseId = await openTestCase(world, { userId: BigInt(olga.id), kind: 'pattern', evidence: {} })
  await decideAsTwo(world, caseId, 'confirm')
  await olga.call(objectToCheck, { params: { id: caseId }, body: { text: 'It was my own money.' } })
  await olga.call(setOwnLimit, { body: { direction: 'out', period: 'day', max: '500.00' } })
  await world.app.product.treasury.setLimit({ name: 'long', limit: money('ETH', 10n ** 20n), operator: 'ada' })
}
