// What the mails of every kind are put together from.

import { amountTextInWords, momentInWords } from '@tern/messages/formats'
import { deviceInWords, placeInWords } from '../../../platform/devices.ts'
import type { Messages } from '../../../platform/messages.ts'
import type { Message, Part } from './mail-layout.ts'
import { type BankAccountText, type MailTemplate, usefulMinutes, type WhereFrom } from './templates.ts'

export const words = (text: string): Part => ({ kind: 'words', text })
export const note = (text: string): Part => ({ kind: 'note', text })
export const button = (label: string, link: string): Part => ({ kind: 'button', label, link })

interface Said {
  readonly subject: string
  readonly preview: string
  /** The subject, unless the heading is another. */
  readonly heading?: string
}

/** A mail of these parts; `reason` says why this person gets it. */
export const message = ({ subject, preview, heading = subject }: Said, reason: string, ...parts: Part[]): Message => ({
  subject,
  preview,
  heading,
  parts,
  reason,
})

type Row = readonly [label: string, value: string]
/** Rows whose value says something. */
export const facts = (...rows: readonly Row[]): Part => ({
  kind: 'facts',
  rows: rows.filter(([, value]) => value !== ''),
})

/** A moment for people anywhere, such as 'Nov 21, 2026, 2:05 PM UTC'. */
export const dated = ({ language, mails }: Messages, at: Date): string =>
  mails.frame.moment(momentInWords(language, at))

/** An amount, such as '1234.50 USD', as people write it. */
export const amount = ({ language }: Messages, text: string): string => amountTextInWords(language, text)

const minutesPerHour = 60

/** How long a link or code of this mail is good, in words. */
export function lifetime({ mails: { frame } }: Messages, template: MailTemplate): { lifetime: string } {
  const minutes = usefulMinutes[template]
  if (minutes < minutesPerHour) return { lifetime: frame.lifetimes.minutes({ count: minutes }) }
  if (minutes === minutesPerHour) return { lifetime: frame.lifetimes.one_hour }
  return { lifetime: frame.lifetimes.hours({ count: minutes / minutesPerHour }) }
}

const longestValue = 200
// Control characters could break lines; direction marks could make a text read as another.
const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu

/** What somebody else may have chosen: one line of bounded length. */
export function fromOutside(value: string): string {
  const line = value.replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim()
  const signs = Array.from(line)
  return signs.length > longestValue ? `${signs.slice(0, longestValue - 1).join('')}…` : line
}

const longestName = 40

/** Somebody's name as a subject may hold it: without the username behind it, and short, in whole words where it has some. */
export function nameInSubject(text: string): string {
  const name = fromOutside(text).replace(/ \(@[^)]*\)$/, '')
  const signs = Array.from(name)
  if (signs.length <= longestName) return name
  return `${signs
    .slice(0, longestName - 1)
    .join('')
    .replace(/\s+\S*$/, '')}…`
}

/** The device and the place of a call, as label and value. */
export function whereRows(messages: Messages, { device, place }: WhereFrom): Row[] {
  const { labels } = messages.mails.frame
  return [
    [labels.device, fromOutside(deviceInWords(messages, device))],
    [labels.place, fromOutside(placeInWords(messages, place))],
  ]
}

/** A bank account, as label and value. */
export const accountRow = ({ mails: { frame } }: Messages, { bankName, last4 }: BankAccountText): Row => [
  frame.labels.bank_account,
  frame.account({ bank: fromOutside(bankName), last4: fromOutside(last4) }),
]
