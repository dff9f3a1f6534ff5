import type { activity } from '@tern/messages/en/activity'
import { type Coded, type PlainCode, sentence } from '@tern/messages/message'
import type { Messages } from './messages.ts'

type Confirmations = (typeof activity)['confirmations']

/** Confirmed detail of an act, such as its amount. */
export type SubjectName = keyof Confirmations['subjects']

/** Names and amounts as text, and sentences as codes of the catalogue: `{ code, params }`. */
export type SubjectText = string | Coded<Confirmations['texts']>

/** Returns a confirmed sentence without parameters. */
export const confirmedSubject = (code: PlainCode<Confirmations['texts']>): SubjectText =>
  // TypeScript does not compare unions of more than 25 codes member by member.
  ({ code }) as SubjectText

/** Formats a confirmed detail in the reader's language. */
export const subjectInWords = ({ activity: { confirmations } }: Messages, text: SubjectText): string =>
  typeof text === 'string' ? text : sentence(confirmations.texts, text)
