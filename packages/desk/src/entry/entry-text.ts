import type { DeskFact, DeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { formatDate, formatDateTime, formatMoney } from '@tern/web/ui/format/format.ts'

/** Text for a code; without one, the code itself spelled out. */
const findText = (texts: object, code: string): string =>
  (texts as Readonly<Record<string, string>>)[code] ??
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`.replaceAll('_', ' ')

export const describeLabel = (code: string): string => findText(facts.labels, code)
export const sectionName = (code: string): string => findText(facts.sections, code)
export const kindName = (code: string): string => findText(entries.kinds, code)
export const verdictName = (queue: DeskQueue, verdict: string): string => findText(entries.verdicts[queue], verdict)

/** Labels whose text the product writes with ISO dates; text written by people stays unchanged. */
const dateFields = new Set(['date_of_birth', 'expected_on', 'let_pass_by', 'confirmed_with', 'logged_in'])
const isoDate = /\b(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?/g

/** Formats the ISO dates and times in a text for the reader; a date has no time zone. */
const formatDates = (text: string): string =>
  text.replaceAll(isoDate, (iso, year: string, month: string, day: string) =>
    iso.length > 10 ? formatDateTime(iso) : formatDate(new Date(Number(year), Number(month) - 1, Number(day))),
  )

export function factText(fact: DeskFact): string {
  switch (fact.kind) {
    case 'text':
      return dateFields.has(fact.label) ? formatDates(formatTerm(fact)) : fact.text
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

/** Replaces a code at the start of a text, such as the rule by which a payment passed, with its words. */
const formatTerm = ({ label, text }: { label: string; text: string }): string =>
  label === 'let_pass_by' || label === 'confirmed_with'
    ? text.replace(/^[a-z_]+/, (code) => findText(facts.codes, code))
    : text

/** Words for a code of any kind. */
export const describeCode = (code: string): string => findText({ ...entries.kinds, ...facts.codes }, code)

/** Name match score such as 0.93, from basis points; truncated, so it never rounds up to a threshold. */
export const scoreText = (basisPoints: number): string =>
  `${String(basisPoints).padStart(5, '0').slice(0, 1)}.${String(basisPoints).padStart(5, '0').slice(1, 3)}`

const monthFormat = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', timeZone: 'UTC' })

/** Birth date as precise as it is given: a day, a month, a year, or a range of years. */
export function comparedDate(date: string): string {
  if (date.includes('/')) return date.replace('/', '–')
  if (date.length === 7) return monthFormat.format(new Date(`${date}-01T00:00:00Z`))
  return formatDates(date)
}

const regionNames = new Intl.DisplayNames('en', { type: 'region' })

/** Name of a two-letter country code; other text is returned unchanged. */
export const countryName = (country: string): string =>
  /^[A-Z]{2}$/.test(country) ? (regionNames.of(country) ?? country) : country

const minuteMs = 60_000

/** Time until an entry is due, or how late it is; null without a deadline. `isLate` from an hour before. */
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

/** Letter that chooses each verdict. */
export const verdictKeys: Readonly<Record<DeskQueue, Readonly<Record<string, string>>>> = {
  holds: { settle: 'c', reject: 'r' },
  verifications: { verify: 'c', reject: 'r', ask_document: 'i' },
  exceptions: { close: 'c', release: 'r', settle: 's' },
  payouts: { release: 'r', settle: 's' },
  cases: { clear: 'c', confirm: 'r', ask_explanation: 'i' },
  objections: { uphold: 'c', dismiss: 'r' },
  disputes: { uphold: 'c', dismiss: 'r', ask_explanation: 'i', give_credit: 'g', suspect_fraud: 's' },
}
