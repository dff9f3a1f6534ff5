// Ways in which a thief can pass stolen card money to an accomplice, who then withdraws it to a bank.

import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { directPayment } from '@tern/contract/payments'
import { settleTransfer } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { expect } from 'vitest'
import { dueTime, dateAfterDays, createConfirmedSchedule, runDueSends, createWorkerAt } from '../schedules.ts'
import type { TestApp, TestPerson } from '../app.ts'
import { requestMoney, pay, splitBill, waitForPayment } from '../payments.ts'
import { payCheckout } from '../people.ts'
import { readCode, send } from './attack.ts'

export interface TransferAttempt {
  readonly world: TestApp
  readonly thief: TestPerson
  readonly mule: TestPerson
  readonly newPerson: (name: string) => Promise<TestPerson>
}

export async function loadAvailable(person: TestPerson, currency: CurrencyCode): Promise<string> {
  const { assets } = await person.wallet()
  return assets.find((asset) => asset.currency === currency)?.available ?? '0'
}

export async function exchange(
  person: TestPerson,
  from: CurrencyCode,
  to: CurrencyCode,
  amount: string,
): Promise<void> {
  const body = { source_currency: from, target_currency: to, amount, side: 'source' } as const
  const { quote_id } = await person.call(createQuote, { body })
  await person.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
}

/** Formats minor units as a decimal with `scale` places. */
export function minorText(minor: bigint, scale: number): string {
  const unit = 10n ** BigInt(scale)
  return `${minor / unit}.${String(minor % unit).padStart(scale, '0')}`
}

const stolenAmount = '1950.00'
const exchangeThrough =
  (code: 'USDT' | 'BTC') =>
  async ({ thief, mule }: TransferAttempt) => {
    expect(readCode(await send(thief, mule, stolenAmount))).toBe('passed')
    await exchange(mule, 'USD', code, '1900.00')
    const [integerPart = '0', fraction = ''] = (await loadAvailable(mule, code)).split('.')
    // Leaves 1 % for the fee.
    await exchange(mule, code, 'USD', minorText((BigInt(integerPart + fraction) * 99n) / 100n, fraction.length))
  }

/** Ways to move more than 1,500 dollars from the thief's card to the accomplice (mule). */
export const transferMethods: Readonly<Record<string, (attempt: TransferAttempt) => Promise<void>>> = {
  'sent at once': async ({ thief, mule }) => {
    expect(readCode(await send(thief, mule, stolenAmount))).toBe('passed')
  },
  'sent on by a second person': async ({ thief, mule, newPerson }) => {
    const intermediary = await newPerson('middle')
    expect(readCode(await send(thief, intermediary, stolenAmount))).toBe('passed')
    expect(readCode(await send(intermediary, mule, '1900.00'))).toBe('passed')
  },
  'exchanged into USDT and back': exchangeThrough('USDT'),
  'exchanged into BTC and back': exchangeThrough('BTC'),
  'sent in USDT and exchanged': async ({ thief, mule }) => {
    expect(readCode(await send(thief, mule, stolenAmount, { target_currency: 'USDT' }))).toBe('passed')
    await exchange(mule, 'USDT', 'USD', '1800.00')
  },
  'paid for a request': async ({ thief, mule }) => {
    const { data } = await requestMoney(mule, { amount: stolenAmount })
    await pay(thief, data)
  },
  'paid as a part of a bill': async ({ thief, mule }) => {
    const { parts } = await splitBill(mule, [thief], {
      total: '3900.00',
      own: { amount: stolenAmount },
      people: [{ user_id: thief.id, amount: stolenAmount }],
    })
    await pay(thief, parts[0]?.request.data ?? '')
  },
  'sent on a scheduled date': async ({ world, thief, mule }) => {
    const date = dateAfterDays(world, 1)
    await createConfirmedSchedule(thief, mule, { next_on: date, amount: stolenAmount, target_currency: 'USD' })
    await runDueSends(createWorkerAt(world, dueTime(date)))
  },
  'sent with time to undo, and then settled': async ({ thief, mule }) => {
    const response = await send(thief, mule, stolenAmount, { undo_seconds: 60 })
    const { transaction_id: id } = response as { transaction_id: string }
    await thief.call(settleTransfer, { params: { id } })
  },
  'sent by card': async ({ thief, mule }) => {
    const body = { amount: 195_000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'card' } as const
    const { payment_id: id, redirectUrl } = await thief.call(directPayment, { body, idempotencyKey: randomUUID() })
    await payCheckout(redirectUrl ?? '')
    await waitForPayment(thief, id, 'completed')
  },
}
