// For tests of figures: three people, one of whom has money to spend in two countries.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { waitForDayStart } from '../../../tools/aging.ts'
import { startTestApp, type TestPerson } from './app.ts'

/**
 * Starts the application, not shortly before midnight UTC, so that a test stays within one month. Alice and Carol live
 * in the United States, Bruno in Germany; Alice has 500 dollars.
 */
export async function startWithSpender() {
  await waitForDayStart(() => new Date())
  const world = await startTestApp({ unconfirmedPayments: 'any' })
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  const carol = await world.enroll('carol', 'United States')
  await world.fund(alice, 50_000)
  return { world, alice, bruno, carol }
}

/** Exchanges an amount of dollars to USDT. */
export async function exchangeDollars(person: TestPerson, amount: string): Promise<void> {
  const quote = await person.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'USDT', amount, side: 'source' },
  })
  await person.call(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey: randomUUID() })
}
