// The parts of a long run.

export const parts = [
  'crash',
  'flood',
  'conversions',
  'orders',
  'races',
  'statements',
  'audit',
  'texts',
  'browsers',
  'postgres',
  'rolling',
  'upgrade',
  'failover',
  'image',
  'cells',
  'backup',
  'simulation',
  'kills',
] as const

export type Part = (typeof parts)[number]

/** Integration tests that `npm test` shortens, by part. */
export const shortenedFiles = {
  conversions: [
    'packages/server/src/features/exchange/conversions.property.test.ts',
    'packages/server/src/features/transfers/conversions.test.ts',
  ],
  orders: ['packages/server/src/features/orders/fills/order-walks.test.ts'],
  races: [
    'packages/server/src/features/orders/fills/order-races.test.ts',
    'packages/server/src/features/schedules/orders/schedule-races.test.ts',
    'packages/server/src/features/schedules/orders/confirmed-rhythm.test.ts',
    'packages/server/src/features/exchange/liquidity/liquidity.test.ts',
    'packages/server/src/features/payments/reversals/reversals.property.test.ts',
    'packages/server/src/features/payments/pay-ins/multi-process-payments.test.ts',
    'packages/server/src/features/identity/sessions/refresh-tokens.test.ts',
    'packages/server/src/features/wallets/history/history.test.ts',
    'packages/server/src/attacks/restricted-races.test.ts',
    'packages/server/src/attacks/restricted-walks.test.ts',
    'packages/server/src/attacks/idempotency-key-reuse.test.ts',
    'packages/server/src/attacks/freeze-race.test.ts',
  ],
  statements: [
    'packages/server/src/commands/resolution-pack/flat-memory.test.ts',
    'packages/server/src/features/statements/formats/flat-memory.test.ts',
    'packages/server/src/features/statements/long-statements.test.ts',
  ],
  audit: ['packages/server/src/commands/audit/since-seal/large-books.test.ts'],
  texts: ['packages/server/src/platform/http/text/naughty-strings.test.ts'],
} satisfies Partial<Record<Part, readonly string[]>>
