import { readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import { type PayeeOutcome, type PayeeProvider, payeeSchemes } from './port.ts'

/** Parses a check in a sandbox reply; undefined if unreadable. */
function readCheck(body: unknown): PayeeOutcome | undefined {
  const status = readText(body, 'result')
  const reference = readText(body, 'check_id')
  const scheme = payeeSchemes.find((known) => known === readText(body, 'scheme'))
  if (reference === undefined || scheme === undefined) return undefined
  if (status === 'close_match') return { status, scheme, reference, knownName: readText(body, 'known_name') }
  return status === 'match' || status === 'no_match' || status === 'not_possible'
    ? { status, scheme, reference }
    : undefined
}

export function createSandboxPayeeProvider(connection: SandboxConnection): PayeeProvider {
  const http = createSandboxHttp(connection)
  return {
    verify: ({ accountToken, holderName }) =>
      http.ask(
        ['POST', `/api/bank/accounts/${encodeURIComponent(accountToken)}/payee-checks`, { holder_name: holderName }],
        'a payee',
        readCheck,
      ),
  }
}
