// Building blocks shared by all mails.

import { amountTextInWords, momentInWords } from '@tern/messages/formats'
import { deviceInWords, placeInWords } from '../../../platform/devices.ts'
import type { Messages } from '../../../platform/messages.ts'
import type { Message, MailPart } from './mail-layout.ts'
import { type BankAccountText, type MailTemplate, usefulMinutes, type SignInOrigin } from './templates.ts'

export const words = (text: string): MailPart => ({ kind: 'words', text })
export const note = (text: string): MailPart => ({ kind: 'note', text })
export const button = (label: string, link: string): MailPart => ({ kind: 'button', label, link })

interface MessageWording {
  readonly subject: string
  readonly preview: string
  /** Defaults to the subject. */
  readonly heading?: string
}

/** Builds a mail from its parts. `reason` explains why the reader gets it. */
export const message = (
  { subject, preview, heading = subject }: MessageWording,
  reason: string,
  ...parts: MailPart[]
): Message => ({
  subject,
  preview,
  heading,
  parts,
  reason,
})

type LabelledRow = readonly [label: string, value: string]
/** Builds a table of facts, omitting rows without a value. */
export const facts = (...rows: readonly LabelledRow[]): MailPart => ({
  kind: 'facts',
  rows: rows.filter(([, value]) => value !== ''),
})

/** Formats a time in UTC, such as 'Nov 21, 2026, 2:05 PM UTC'. */
export const momentText = ({ language, mails }: Messages, at: Date): string =>
  mails.frame.moment(momentInWords(language, at))

/** Formats an amount such as '1234.50 USD' for its reader. */
export const formatAmount = ({ language }: Messages, text: string): string => amountTextInWords(language, text)

const minutesPerHour = 60

/** Returns the validity of a mail's link or code, in words. */
export function lifetimeParams({ mails: { frame } }: Messages, template: MailTemplate): { lifetime: string } {
  const minutes = usefulMinutes[template]
  if (minutes < minutesPerHour) return { lifetime: frame.lifetimes.minutes({ count: minutes }) }
  if (minutes === minutesPerHour) return { lifetime: frame.lifetimes.one_hour }
  return { lifetime: frame.lifetimes.hours({ count: minutes / minutesPerHour }) }
}

const longestValue = 200
// Control characters could break lines, and direction marks could reorder a text.
const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu

/** Reduces untrusted text to one line of bounded length. */
export function sanitizeText(value: string): string {
  const line = value.replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim()
  const signs = Array.from(line)
  return signs.length > longestValue ? `${signs.slice(0, longestValue - 1).join('')}…` : line
}

const longestName = 40

/** Shortens a name for a subject: drops the username after it, and cuts between words if possible. */
export function shortenSubjectName(text: string): string {
  const name = sanitizeText(text).replace(/ \(@[^)]*\)$/, '')
  const signs = Array.from(name)
  if (signs.length <= longestName) return name
  return `${signs
    .slice(0, longestName - 1)
    .join('')
    .replace(/\s+\S*$/, '')}…`
}

/** Rows with the device and place of a request. */
export function originRows(messages: Messages, { device, place }: SignInOrigin): LabelledRow[] {
  const { labels } = messages.mails.frame
  return [
    [labels.device, sanitizeText(deviceInWords(messages, device))],
    [labels.place, sanitizeText(placeInWords(messages, place))],
  ]
}

export const accountRow = ({ mails: { frame } }: Messages, { bankName, last4 }: BankAccountText): LabelledRow => [
  frame.labels.bank_account,
  frame.account({ bank: sanitizeText(bankName), last4: sanitizeText(last4) }),
]
