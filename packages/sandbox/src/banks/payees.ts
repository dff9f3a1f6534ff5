import { ApiError, newId } from '../server/api.ts'
import { findBank, type LinkedAccount } from './bank-accounts.ts'
import type { PayeeAnswer } from './banks.ts'

/** Schemes by which banks compare names, by country; elsewhere the sandbox's banks look the name up themselves. */
const schemes: Readonly<Record<string, string>> = {
  AU: 'confirmation_of_payee',
  GB: 'confirmation_of_payee',
  DE: 'verification_of_payee',
  FR: 'verification_of_payee',
}

/** Similar name: the first name as an initial, or the only name with its last letter doubled. */
function buildSimilarName(name: string): string {
  const [first = '', ...others] = name.split(' ')
  return others.length === 0 ? first + first.slice(-1) : `${first.slice(0, 1)}. ${others.join(' ')}`
}

/**
 * Compares a name with that of the account's holder. The bank decides the outcome, unless `override` does. Throws
 * ApiError 503 for a bank that does not answer.
 */
export function checkPayee(account: LinkedAccount, name: string, override: PayeeAnswer | null): object {
  const result = override ?? findBank(account).payee ?? 'match'
  if (result === 'unanswered') throw new ApiError(503, 'bank_unavailable', 'The bank does not answer.')
  return {
    check_id: newId('pc'),
    scheme: schemes[account.country] ?? 'bank_lookup',
    result,
    ...(result === 'close_match' && { known_name: buildSimilarName(name) }),
  }
}
