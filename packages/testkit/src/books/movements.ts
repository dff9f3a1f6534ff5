// Movements made up for tests of statements and exports.

import type { Movement } from '@tern/server/features/statements/movement'

export async function* fromArray<T>(values: readonly T[]): AsyncGenerator<T, void, undefined> {
  for (const value of values) yield await Promise.resolve(value)
}

export async function collectText(chunks: AsyncIterable<string>): Promise<string> {
  const texts: string[] = []
  for await (const chunk of chunks) texts.push(chunk)
  return texts.join('')
}

interface ExampleSend {
  /** Becomes part of the ids. */
  readonly number: number
  readonly at: string
  /** Balance afterwards. */
  readonly balance: bigint
  readonly name?: string
  readonly description?: string
}

/** Send of 10.00 USD with a fee of 0.10 USD. */
export function exampleSend({ number, at, balance, name = 'Ben Baker', description = 'Lunch' }: ExampleSend): Movement {
  const digits = String(number).padStart(12, '0')
  return {
    postingId: `00000000-0000-5000-8000-${digits}`,
    at: new Date(at),
    postingKind: 'transfer',
    isInternal: false,
    transaction: {
      id: `00000000-0000-7000-8000-${digits}`,
      kind: 'SEND',
      status: 'COMPLETED',
      description,
      source_amount: 1000n,
      source_currency: 'USD',
      target_amount: 1000n,
      target_currency: 'USD',
      rate_numerator: null,
      rate_denominator: null,
      fee_amount: 10n,
      fee_currency: 'USD',
      payment_source: 'wallet',
      changed_at: null,
      counterparty: { id: 7n, username: 'ben', name },
    },
    changes: [
      { part: 'available', currency: 'USD', amount: -1010n, fee: -10n, internal: 0n, balance, version: BigInt(number) },
    ],
  }
}
