import { createHash } from 'node:crypto'
import { OperatorError } from '../../../../platform/refuse.ts'

/** Sources of lists. Each has one list, of which one version is in force. */
export const listSources = ['ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep'] as const
export type ListSource = (typeof listSources)[number]

export type NameKind = 'primary' | 'alias' | 'weak'
export const entryKinds = ['person', 'entity', 'vessel', 'aircraft'] as const
export type EntryKind = (typeof entryKinds)[number]

export interface ListName {
  readonly name: string
  /** `weak`: by the publisher's own statement, the name alone identifies no person. */
  readonly kind: NameKind
}

/** Person, organisation, ship or aircraft as published. */
export interface ListEntry {
  /** Publisher's identifier. */
  readonly reference: string
  readonly kind: EntryKind
  readonly programme: string
  readonly names: readonly ListName[]
  /** YYYY, YYYY-MM, YYYY-MM-DD, or a range of years YYYY/YYYY. */
  readonly birthDates: readonly string[]
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
}

export interface ParsedList {
  readonly source: ListSource
  /** Publication time, if the files state it. */
  readonly publishedAt: Date | undefined
  readonly entries: readonly ListEntry[]
  /** Sentences for the operator about skipped data. */
  readonly notes?: readonly string[]
}

/** Error of a file that cannot be downloaded or is not a valid list. */
export class ListFileError extends OperatorError {}

const kindOrder: Readonly<Record<NameKind, number>> = { primary: 0, alias: 1, weak: 2 }

/** Collects the names, dates and countries of an entry and removes duplicates. */
export function createEntryDraft(reference: string, kind: EntryKind, programme: string) {
  const names = new Map<string, NameKind>()
  const birthDates = new Set<string>()
  const countries = new Set<string>()
  return {
    reference,
    addName(text: string | undefined, nameKind: NameKind): void {
      const name = text?.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
      if (!name) return
      const knownKind = names.get(name)
      if (knownKind === undefined || kindOrder[nameKind] < kindOrder[knownKind]) names.set(name, nameKind)
    },
    addBirthDate(date: string | undefined): void {
      if (date) birthDates.add(date)
    },
    addCountry(code: string | undefined): void {
      if (code) countries.add(code)
    },
    /** Returns the entry. Throws ListFileError if it has no name. */
    build(): ListEntry {
      if (names.size === 0) throw new ListFileError(`Entry ${reference} has no name.`)
      const entryNames = [...names].map(([name, nameKind]) => ({ name, kind: nameKind }))
      return {
        ...{ reference, kind, programme },
        names: entryNames.toSorted((a, b) => kindOrder[a.kind] - kindOrder[b.kind]),
        birthDates: [...birthDates].toSorted(),
        countries: [...countries].toSorted(),
      }
    },
  }
}

export type EntryDraft = ReturnType<typeof createEntryDraft>

/** Returns the hash of an entry's content; the order of names does not matter. */
export function hashContent({ kind, programme, names, birthDates, countries }: ListEntry): string {
  const content = [
    kind,
    programme,
    names.map(({ name, kind: nameKind }) => `${nameKind}:${name}`).toSorted(),
    birthDates,
    countries,
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
