import { money } from '@tern/money/money'
import { measure, type LoadMeasurement } from '../load.ts'
import type { Stack } from './stack.ts'

const dollarInEuros = {
  amount: money('USD', 100n),
  side: 'source',
  sourceCurrency: 'USD',
  targetCurrency: 'EUR',
  useStablecoin: true,
} as const

/** Measures quotes of one dollar in euros, without HTTP: its rate limits per person would refuse most of them. */
export function measureQuotes({ app, crowds }: Stack, callers: number, seconds: number): Promise<LoadMeasurement> {
  const [members = []] = crowds.values()
  return measure({ callers, durationMs: seconds * 1000 }, async () => {
    const person = members[Math.floor(Math.random() * members.length)]
    await app.app.product.exchange.quote({
      userId: person?.userId ?? 0n,
      request: dollarInEuros,
      recipientId: undefined,
    })
  })
}
