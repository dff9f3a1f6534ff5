import type { DeskFact, DeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { formatDateTime, formatWithCode } from '../../src/ui/format/format.ts'

const lookUp = (texts: object, code: string): string => (texts as Readonly<Record<string, string>>)[code] ?? code

export const labelOf = (code: string): string => lookUp(facts.labels, code)
export const sectionName = (code: string): string => lookUp(facts.sections, code)
export const kindName = (code: string): string => lookUp(entries.kinds, code)
export const verdictName = (queue: DeskQueue, verdict: string): string => lookUp(entries.verdicts[queue], verdict)

/** A fact in words. */
export function factText(fact: DeskFact): string {
  switch (fact.kind) {
    case 'text':
    case 'file':
      return fact.text
    case 'money':
      return formatWithCode(fact.amount, fact.currency)
    case 'moment':
      return formatDateTime(fact.at)
    case 'code':
      return lookUp({ ...entries.kinds, ...facts.codes }, fact.code)
  }
}

const minuteMs = 60_000

/** How long until something is due, or how late it is; null where it has no deadline. */
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

/** The letter that chooses a verdict. */
export const verdictKeys: Readonly<Record<DeskQueue, Readonly<Record<string, string>>>> = {
  holds: { settle: 'c', reject: 'r' },
  verifications: { verify: 'c', reject: 'r', ask_document: 'i' },
  exceptions: { close: 'c', release: 'r', settle: 's' },
  payouts: { release: 'r', settle: 's' },
  cases: { clear: 'c', confirm: 'r', ask_explanation: 'i' },
  objections: { uphold: 'c', dismiss: 'r' },
  disputes: { uphold: 'c', dismiss: 'r', ask_explanation: 'i' },
}
