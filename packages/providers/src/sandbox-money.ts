import { createSandboxCardProvider } from './collect/sandbox-card.ts'
import { createSandboxDebitProvider } from './collect/sandbox-debit.ts'
import { createSandboxEvents } from './events/sandbox.ts'
import { createSandboxLinkProvider } from './link/sandbox.ts'
import type { MoneyProvider } from './money.ts'
import { createSandboxPayeeProvider } from './payee/sandbox.ts'
import { createSandboxPayoutProvider } from './payout/sandbox.ts'
import { createSandboxReportProvider } from './report/sandbox.ts'
import { neverExpires, type SandboxConnection } from './sandbox-http.ts'

/** Money provider of the sandbox, which has every capability. */
export const createSandboxMoneyProvider = (connection: SandboxConnection) =>
  ({
    name: 'sandbox',
    collect: {
      keysKeptMs: neverExpires,
      card: createSandboxCardProvider(connection),
      debit: createSandboxDebitProvider(connection),
    },
    link: createSandboxLinkProvider(connection),
    payout: createSandboxPayoutProvider(connection),
    payee: createSandboxPayeeProvider(connection),
    events: createSandboxEvents(connection),
    report: createSandboxReportProvider(connection),
  }) satisfies MoneyProvider
