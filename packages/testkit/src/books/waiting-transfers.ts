// For sound books: transfers that wait for cases and confirmations, repaid losses, objections and limits.

import { objectToCheck } from '@tern/contract/compliance/checks'
import { objectToDispute } from '@tern/contract/disputes/disputes'
import { setOwnLimit } from '@tern/contract/limits'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import { money } from '@tern/money/money'
import { expect } from 'vitest'
import { decideByTwoOperators, openTestCase, send } from '../compliance/cases.ts'
import { dispute, expireDeadlines, sendTo } from '../disputes.ts'
import { readTransferId, createStreetModeClient } from '../street-mode.ts'
import type { TestApp, TestPerson } from '../app.ts'
import { createTestBooks, type TestBooks } from './books.ts'

/**
 * Creates repaid losses of a payment and of a dispute, and sends that are held by a case, cleared by a case, and held
 * by street mode.
 */
export async function createWaitingTransfers(world: TestApp): Promise<void> {
  await repayLoss(world, createTestBooks(world))
  await repayCredit(world)
  const [ines, joan, kim] = await Promise.all(['ines', 'jo', 'kim'].map((name) => world.enroll(name, 'United States')))
  if (!ines || !joan || !kim) throw new Error('nobody was enrolled')
  for (const person of [ines, joan, kim]) await world.fund(person, 10_000)
  const openPatternCase = (person: typeof ines) =>
    openTestCase(world, { userId: BigInt(person.id), kind: 'pattern', evidence: {} })
  await openPatternCase(ines)
  await send(ines, kim, '3.00')
  const clearedCaseId = await openPatternCase(joan)
  await send(joan, kim, '4.00')
  await decideByTwoOperators(world, clearedCaseId, 'clear')
  const client = createStreetModeClient(world, kim)
  await client.set()
  const heldId = readTransferId(await client.send(joan, '60.00'))
  expect(await client.loadStatus(heldId)).toMatchObject({ hold: { reason: 'street_mode' } })
}

/** Charges back a deposit that is spent already. The payer deposits again and repays the loss. */
async function repayLoss(world: TestApp, books: TestBooks): Promise<void> {
  const [lea, max] = [await world.enroll('lea', 'United States'), await world.enroll('max', 'United States')]
  const { paymentId: reference } = await world.fund(lea, 2_000)
  await send(lea, max, '15.00')
  await books.write({ kind: 'chargeback', amount: money('USD', 2_000n), reference })
  await world.fund(lea, 2_000)
  const [loss] = (await lea.call(openLosses, {})).losses
  const body = { expected_total: loss?.amount ?? '' }
  expect(await lea.call(payLoss, { params: { id: reference }, body })).toEqual({ losses: [] })
}

/**
 * Dismisses a dispute whose provisional credit is spent already. The account holder deposits again and repays the loss.
 */
async function repayCredit(world: TestApp): Promise<void> {
  const { operators, runDue } = world.app.product.disputes
  const [nia, otto] = [await world.enroll('nia', 'United States'), await world.enroll('oto', 'United States')]
  await world.fund(nia, 2_000)
  // Makes the recipient a known payee before the disputed send.
  await send(nia, otto, '0.50')
  const disputedSend = await sendTo(nia, otto, '15.00')
  const { id } = await dispute(nia, disputedSend)
  await expireDeadlines({ world }, id, ['credit_by'])
  await runDue()
  await send(nia, otto, '15.00')
  await operators.decide(id, 'dismiss')
  await world.fund(nia, 2_000)
  const [loss] = (await nia.call(openLosses, {})).losses
  const body = { expected_total: loss?.amount ?? '' }
  expect(await nia.call(payLoss, { params: { id }, body })).toEqual({ losses: [] })
}

/**
 * Files objections to a decided case and to a decided dispute, and sets limits as the account holder and as an
 * operator.
 */
export async function fileObjectionsAndLimits(world: TestApp, anna: TestPerson): Promise<void> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from dispute where user_id = $1 and state = 'dismissed'`,
    [anna.id],
  )
  await anna.call(objectToDispute, { params: { id: rows[0]?.id ?? '' }, body: { text: 'My phone was stolen.' } })
  const olga = await world.enroll('olga', 'United States')
  const caseId = await openTestCase(world, { userId: BigInt(olga.id), kind: 'pattern', evidence: {} })
  await decideByTwoOperators(world, caseId, 'confirm')
  await olga.call(objectToCheck, { params: { id: caseId }, body: { text: 'It was my own money.' } })
  await olga.call(setOwnLimit, { body: { direction: 'out', period: 'day', max: '500.00' } })
  await world.app.product.treasury.setLimit({ name: 'long', limit: money('ETH', 10n ** 20n), operator: 'ada' })
}
