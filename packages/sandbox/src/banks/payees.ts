import { ApiError, newId } from '../server/api.ts'
import { type BankAccounts, findBank, type LinkedAccount } from './bank-accounts.ts'
import { type PayeeAnswer, payeeAnswers } from './banks.ts'
import type { Fields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

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

const settingName = 'payee_answer'

/** Reads the answer that all banks give; undefined: each gives its own. Throws ApiError 422. */
function readAnswer(fields: Fields): PayeeAnswer | undefined {
  const text = fields.text('answer', { max: 20, optional: true })
  const answer = payeeAnswers.find((known) => known === text)
  if (text !== '' && answer === undefined) fields.addProblem('answer', `Must be one of ${payeeAnswers.join(', ')}.`)
  fields.check()
  return answer
}

export type Payees = ReturnType<typeof createPayees>

/** Banks' answers about account holders. */
export function createPayees(store: Store, accounts: BankAccounts) {
  const readOverride = () => store.setting<{ answer: PayeeAnswer | null }>(settingName) ?? { answer: null }
  return {
    getOverride: readOverride,
    /** Makes all banks give one answer from now on, or each its own again. Throws ApiError 422. */
    override(fields: Fields): { answer: PayeeAnswer | null } {
      store.saveSetting(settingName, { answer: readAnswer(fields) ?? null })
      return readOverride()
    },
    /** Throws ApiError 404 for an unknown account, and 503 if the bank does not answer. */
    check: (token: string, name: string): object => checkPayee(accounts.find(token), name, readOverride().answer),
  }
}

/**
 * Compares a name with that of the account's holder. The bank decides the outcome, unless `override` does. Throws
 * ApiError 503 for a bank that does not answer.
 */
function checkPayee(account: LinkedAccount, name: string, override: PayeeAnswer | null): object {
  const result = override ?? findBank(account).payee ?? 'match'
  if (result === 'unanswered') throw new ApiError(503, 'bank_unavailable', 'The bank does not answer.')
  return {
    check_id: newId('pc'),
    scheme: schemes[account.country] ?? 'bank_lookup',
    result,
    ...(result === 'close_match' && { known_name: buildSimilarName(name) }),
  }
}
