import { createSandboxCard } from './collect/sandbox-card.ts'
import { createSandboxDebit } from './collect/sandbox-debit.ts'
import { createSandboxEvents } from './events/sandbox.ts'
import { createSandboxLink } from './link/sandbox.ts'
import type { MoneyProvider } from './money.ts'
import { createSandboxPayout } from './payout/sandbox.ts'
import { createSandboxReport } from './report/sandbox.ts'
import { neverExpires, type SandboxConnection } from './sandbox-http.ts'

/** Money provider of the sandbox, which has every capability. */
export const createSandboxMoney = (connection: SandboxConnection) =>
  ({
    name: 'sandbox',
    collect: {
      keysKeptMs: neverExpires,
      card: createSandboxCard(connection),
      debit: createSandboxDebit(connection),
    },
    link: createSandboxLink(connection),
    payout: createSandboxPayout(connection),
    events: createSandboxEvents(connection),
    report: createSandboxReport(connection),
  }) satisfies MoneyProvider
