import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, toComparedReadings, foldedWords } from '../names/compared-name.ts'
import { highestOfReview } from '../names/score.ts'
import type { NameIndex } from './name-index.ts'

/** Names of a person, or of a counterparty that may be a company. */
export interface OwnNames {
  readonly names: readonly string[]
  /** `person` for a natural person; absent when it may be a company. */
  readonly kind?: 'person' | undefined
}

const people = ['person'] as const
const peopleAndCompanies = ['person', 'entity'] as const
const nonPersonKinds = ['entity', 'vessel', 'aircraft'] as const

interface NameSearch {
  readonly own: ComparedName
  /** Kinds of entries to search; undefined for all. */
  readonly kinds?: readonly EntryKind[]
}

const isSameFolding = (a: ComparedName, b: ComparedName | undefined): boolean =>
  b !== undefined && foldedWords(a).join(' ') === foldedWords(b).join(' ')

/**
 * Returns the searches for a name. People are compared with people and companies, never with ships and aircraft. Other
 * names are compared with people as a person's name, and with all other kinds as a company's.
 */
function buildSearches({ names, kind }: OwnNames): NameSearch[] {
  return [...new Set(names)].flatMap((name) => {
    const personReadings = toComparedReadings(name, 'person')
    if (kind === 'person') return personReadings.map((own) => ({ own, kinds: peopleAndCompanies }))
    const companyReadings = toComparedReadings(name, 'organization')
    return personReadings.flatMap((own, reading): NameSearch[] => {
      const other = companyReadings[reading]
      if (other === undefined || isSameFolding(own, other)) return [{ own }]
      return [
        { own, kinds: people },
        { own: other, kinds: nonPersonKinds },
      ]
    })
  })
}

/** A company is no person, and ships and aircraft have no accounts: their names never hold a person's money. */
const canBeKind = ({ kind }: OwnNames, entryKind: EntryKind): boolean =>
  entryKind === 'person' || (entryKind === 'entity' && kind !== 'person')

/** Returns the best scores of all listed names that fit any of the given names, by listed name. */
export function findFittingNames(index: NameIndex, ownNames: OwnNames): Map<bigint, number> {
  const scores = new Map<bigint, number>()
  for (const search of buildSearches(ownNames)) {
    for (const { id, score, kind } of index.find(search.own, search.kinds)) {
      const limitedScores = canBeKind(ownNames, kind) ? score : Math.min(score, highestOfReview)
      scores.set(id, Math.max(limitedScores, scores.get(id) ?? 0))
    }
  }
  return scores
}
