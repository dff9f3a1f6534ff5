import type { DeskFact, DeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { formatDate, formatDateTime, formatMoney } from '@tern/web/ui/format/format.ts'

/** Returns the text for a code; for an unknown code, the code itself with spaces and a capital letter. */
const findText = (texts: object, code: string): string =>
  (texts as Readonly<Record<string, string>>)[code] ??
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`.replaceAll('_', ' ')

export const describeLabel = (code: string): string => findText(facts.labels, code)
export const sectionName = (code: string): string => findText(facts.sections, code)
export const kindName = (code: string): string => findText(entries.kinds, code)
export const verdictName = (queue: DeskQueue, verdict: string): string => findText(entries.verdicts[queue], verdict)

/** Labels of facts whose text the server writes with ISO dates. Text written by people is never reformatted. */
const dateFields = new Set(['date_of_birth', 'expected_on', 'let_pass_by', 'confirmed_with', 'logged_in'])
const isoDate = /\b(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?/g

/** Formats the ISO dates and times in a text for display. Dates without a time are not shifted between time zones. */
const formatDates = (text: string): string =>
  text.replaceAll(isoDate, (iso, year: string, month: string, day: string) =>
    iso.length > 10 ? formatDateTime(iso) : formatDate(new Date(Number(year), Number(month) - 1, Number(day))),
  )

export function factText(fact: DeskFact): string {
  switch (fact.kind) {
    case 'text':
      return dateFields.has(fact.label) ? formatDates(translateLeadingCode(fact)) : fact.text
    case 'file':
      return fact.text
    case 'money':
      return formatMoney(fact.amount, fact.currency)
    case 'moment':
      return formatDateTime(fact.at)
    case 'code':
      return describeCode(fact.code)
  }
}

/** Translates the code with which some texts begin, such as the rule that let a payment pass. */
const translateLeadingCode = ({ label, text }: { label: string; text: string }): string =>
  label === 'let_pass_by' || label === 'confirmed_with'
    ? text.replace(/^[a-z_]+/, (code) => findText(facts.codes, code))
    : text

/** Returns the text for a code of any kind. */
export const describeCode = (code: string): string => findText({ ...entries.kinds, ...facts.codes }, code)

/**
 * Formats a name match score in basis points, such as 0.93. Truncated, so that it is never rounded up to a threshold.
 */
export const scoreText = (basisPoints: number): string =>
  `${String(basisPoints).padStart(5, '0').slice(0, 1)}.${String(basisPoints).padStart(5, '0').slice(1, 3)}`

const monthFormat = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats a birth date in the given precision: a day, a month, a year, or a range of years. */
export function comparedDate(date: string): string {
  if (date.includes('/')) return date.replace('/', '–')
  if (date.length === 7) return monthFormat.format(new Date(`${date}-01T00:00:00Z`))
  return formatDates(date)
}

const regionNames = new Intl.DisplayNames('en', { type: 'region' })

/** Returns the name of a country by its two-letter code; returns any other text unchanged. */
export const countryName = (country: string): string =>
  /^[A-Z]{2}$/.test(country) ? (regionNames.of(country) ?? country) : country

const minuteMs = 60_000

/**
 * Returns the time until the deadline, or the delay after it; null without a deadline. `isLate` from one hour before
 * it.
 */
export function dueText(
  { due_at: dueAt }: Pick<DeskItem, 'due_at'>,
  now: number,
): { text: string; isLate: boolean } | null {
  if (dueAt === null) return null
  const minutes = Math.floor((new Date(dueAt).getTime() - now) / minuteMs)
  const size = Math.abs(minutes)
  const hours = Math.floor(size / 60)
  const text = hours >= 48 ? entries.days(Math.floor(hours / 24), hours % 24) : entries.hours(hours, size % 60)
  return minutes < 0 ? { text: entries.late(text), isLate: true } : { text, isLate: hours < 1 }
}

export const verdictKeys: Readonly<Record<DeskQueue, Readonly<Record<string, string>>>> = {
  holds: { settle: 'c', reject: 'r' },
  verifications: { verify: 'c', reject: 'r', ask_document: 'i' },
  exceptions: { close: 'c', release: 'r', settle: 's' },
  payouts: { release: 'r', settle: 's' },
  cases: { clear: 'c', confirm: 'r', ask_explanation: 'i' },
  objections: { uphold: 'c', dismiss: 'r' },
  disputes: { uphold: 'c', dismiss: 'r', ask_explanation: 'i', give_credit: 'g', suspect_fraud: 's' },
}
