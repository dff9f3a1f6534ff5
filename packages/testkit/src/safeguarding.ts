// For tests: days of a running product whose customers' money is kept at the sandbox's safeguarding banks.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import type { CurrencyCode } from '@tern/money/currency'
import type { TestApp, TestPerson } from './app.ts'
import { linkAccount } from './payments.ts'

export interface SandboxEntry {
  readonly id: string
  readonly bank: string
  readonly currency: CurrencyCode
  readonly amount_minor: string
  readonly booked_on: string
}

/** Calls the sandbox's control API; returns the reply. */
export async function callSandbox<Reply>(
  { sandboxUrl, sandboxSecret }: Pick<TestApp, 'sandboxUrl' | 'sandboxSecret'>,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const answer = await fetch(`${sandboxUrl}/api/control/${path}`, {
    method,
    headers: { authorization: `Bearer ${sandboxSecret}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
  })
  if (!answer.ok) throw new Error(`the sandbox refuses ${path}: ${await answer.text()}`)
  return (await answer.json()) as Reply
}

/** Makes the sandbox charge fees and settle with the operator's bank daily, as `npm start` does. */
export const chargeFees = (world: TestApp): Promise<object> =>
  callSandbox(world, 'PUT', 'own-money', {
    ...{ card_fee_basis_points: 290, dispute_fee_minor: 1500, payout_fee_minor: 150, settles_daily: true },
  })

/** Entries that the safeguarding banks book on a day. */
export async function listEntries(world: TestApp, day: string): Promise<SandboxEntry[]> {
  const { entries } = await callSandbox<{ entries: SandboxEntry[] }>(world, 'GET', 'safeguarding')
  return entries.filter(({ booked_on: bookedOn }) => bookedOn === day)
}

/** Sets the clock, and refreshes the rates, which are too old otherwise. */
export async function setTime({ app: { product } }: TestApp, time: string): Promise<void> {
  await product.providers.sandboxClock?.set(new Date(time))
  await product.exchange.refreshRates()
}

/** Lets the worker's nightly tasks run: the comparison with payment providers, then that of safeguarded money. */
export async function runNight({ app: { product } }: TestApp): Promise<void> {
  await product.payments.reconcile()
  await product.safeguarding.compare()
}

interface Trader {
  readonly person: TestPerson
  readonly currency: CurrencyCode
  readonly bankAccountId: string
}

export async function enrollTrader(
  world: TestApp,
  name: string,
  { country, code, currency }: { readonly country: string; readonly code: string; readonly currency: CurrencyCode },
): Promise<Trader> {
  const person = await world.enroll(name, country)
  return { person, currency, bankAccountId: await linkAccount(world, person, { currency, country: code }) }
}

/** One day's ordinary traffic: deposits by card, exchanges with a fee, and a withdrawal every third day. */
export async function trade(world: TestApp, traders: readonly Trader[], dayNumber: number): Promise<void> {
  // Limits count by the real clock, in which these days are seconds.
  await world.database.pool.query('delete from rate_limit')
  for (const [place, { person, currency, bankAccountId }] of traders.entries()) {
    if ((dayNumber + place) % 2 === 0) await world.fund(person, 10_000 + 137 * dayNumber + place)
    if ((dayNumber + place) % 4 === 0) {
      const amount = currency === 'JPY' ? '1000' : '20.00'
      const body = { source_currency: currency, target_currency: 'USDT', amount, side: 'source' } as const
      const { quote_id } = await person.call(createQuote, { body })
      await person.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
    }
    if ((dayNumber + place) % 6 === 0) {
      const amount = currency === 'JPY' ? '1500' : '15.00'
      const order = { body: { amount, currency, bankAccountId }, idempotencyKey: randomUUID() }
      const { payout_id: id } = await person.call(withdraw, order)
      await world.app.product.payments.submitPayout(id)
    }
  }
}
