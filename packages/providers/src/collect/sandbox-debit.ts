import { readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { DebitProvider } from './port.ts'
import { buildOrder, readCollection } from './sandbox-card.ts'

/** Debits accounts at the sandbox's banks. */
export function createSandboxDebitProvider(connection: SandboxConnection): DebitProvider {
  const http = createSandboxHttp(connection)
  const debitPath = (sessionId: string) => `/api/bank/debits/${encodeURIComponent(sessionId)}`
  return {
    debit: ({ paymentId, accountToken, ...order }) =>
      http.order(
        '/api/bank/debits',
        { ...buildOrder(paymentId, order), account_token: accountToken },
        'a new debit',
        (body) => {
          const sessionId = readText(body, 'session_id')
          return sessionId ? { status: 'created', sessionId } : undefined
        },
      ),
    lookupDebit: (sessionId) => http.ask(['GET', debitPath(sessionId)], 'a debit', readCollection),
    cancelDebit: (sessionId) => http.ask(['POST', `${debitPath(sessionId)}/cancel`], 'a debit', readCollection),
  }
}
