import type { activity } from '@tern/messages/en/activity'
import { type Coded, type PlainCode, sentence } from '@tern/messages/message'
import type { Messages } from './messages.ts'

type Confirmations = (typeof activity)['confirmations']

/** Name of a detail that a person confirms, such as the amount. */
export type SubjectName = keyof Confirmations['subjects']

/** Value of a detail: names and amounts as text, sentences as codes of the catalogue with their parameters. */
export type SubjectText = string | Coded<Confirmations['texts']>

/** Returns a confirmed sentence that has no parameters. */
export const confirmedSubject = (code: PlainCode<Confirmations['texts']>): SubjectText =>
  // TypeScript does not compare unions of more than 25 members one by one.
  ({ code }) as SubjectText

/** Formats the value of a confirmed detail in the reader's language. */
export const subjectInWords = ({ activity: { confirmations } }: Messages, text: SubjectText): string =>
  typeof text === 'string' ? text : sentence(confirmations.texts, text)
