import { createSandboxBank } from './bank/sandbox.ts'
import { createSandboxCard } from './card/sandbox.ts'
import { createSandboxEvents } from './events/sandbox.ts'
import type { MoneyProvider } from './money.ts'
import { createSandboxPayout } from './payout/sandbox.ts'
import { createSandboxReport } from './report/sandbox.ts'
import type { SandboxConnection } from './sandbox-http.ts'

/** Moves money at the sandbox, which never forgets an idempotency key. */
export const createSandboxMoney = (connection: SandboxConnection): MoneyProvider => ({
  name: 'sandbox',
  keysKeptMs: { collections: Number.POSITIVE_INFINITY, payouts: Number.POSITIVE_INFINITY }, // not money: times
  card: createSandboxCard(connection),
  bank: createSandboxBank(connection),
  payout: createSandboxPayout(connection),
  events: createSandboxEvents(connection),
  report: createSandboxReport(connection),
})
