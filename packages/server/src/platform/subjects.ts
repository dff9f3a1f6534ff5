import type { activity } from '@tern/messages/en/activity'
import { type Coded, type PlainCode, sentence } from '@tern/messages/message'
import type { Messages } from './messages.ts'

type Confirmations = (typeof activity)['confirmations']

/** What of an act is confirmed, such as its amount. */
export type SubjectName = keyof Confirmations['subjects']

/** Names and amounts as they are, and sentences as codes of the catalogue: `{ code, params }`. */
export type SubjectText = string | Coded<Confirmations['texts']>

/** A sentence without parameters as it is confirmed. */
export const confirmed = (code: PlainCode<Confirmations['texts']>): SubjectText =>
  // TypeScript compares no union of more than 25 codes member by member.
  ({ code }) as SubjectText

/** What is confirmed as somebody reads it. */
export const subjectInWords = ({ activity: { confirmations } }: Messages, text: SubjectText): string =>
  typeof text === 'string' ? text : sentence(confirmations.texts, text)
