import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { statementFile } from '@tern/contract/statements'
import { personLocale } from '../../ui/format/locale.ts'

export type Paper = NonNullable<NonNullable<CallInput<typeof statementFile>['query']>['paper']>

/** Countries that print on Letter; all others print on A4. */
const letterCountries = 'US CA MX PR PH CL CO CR DO GT NI PA SV VE'.split(' ')

/** Paper of the person's region. */
export const defaultPaper = (): Paper =>
  letterCountries.includes(new Intl.Locale(personLocale()).maximize().region ?? '') ? 'letter' : 'a4'
