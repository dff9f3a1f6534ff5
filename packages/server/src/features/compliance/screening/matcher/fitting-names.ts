import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, toComparedReadings, foldedWords } from '../names/compared-name.ts'
import { highestOfReview } from '../names/score.ts'
import type { NameIndex } from './name-index.ts'

/** Names of a person, or of a party that may be a company. */
export interface OwnNames {
  readonly names: readonly string[]
  /** `person` for a natural person; absent for a party that may be a company. */
  readonly kind?: 'person' | undefined
}

const people = ['person'] as const
const peopleAndCompanies = ['person', 'entity'] as const
const nonPersonKinds = ['entity', 'vessel', 'aircraft'] as const

interface NameSearch {
  readonly own: ComparedName
  /** Kinds of entries to search; all if undefined. */
  readonly kinds?: readonly EntryKind[]
}

const isSameFolding = (a: ComparedName, b: ComparedName | undefined): boolean =>
  b !== undefined && foldedWords(a).join(' ') === foldedWords(b).join(' ')

/**
 * Returns the searches for all names of a party. A natural person is compared with people and companies. Any other name
 * is read as a person's for entries of people, and as a company's for all other entries.
 */
function buildSearches({ names, kind }: OwnNames): NameSearch[] {
  return [...new Set(names)].flatMap((name) => {
    const personReadings = toComparedReadings(name, 'person')
    if (kind === 'person') return personReadings.map((own) => ({ own, kinds: peopleAndCompanies }))
    const companyReadings = toComparedReadings(name, 'organization')
    return personReadings.flatMap((own, readingIndex): NameSearch[] => {
      const other = companyReadings[readingIndex]
      if (other === undefined || isSameFolding(own, other)) return [{ own }]
      return [
        { own, kinds: people },
        { own: other, kinds: nonPersonKinds },
      ]
    })
  })
}

/**
 * Returns whether an entry of this kind can be the party itself: a person, or a company if the party may be one. Only
 * then may a match put money on hold; otherwise its score is capped for review. Ships and aircraft have no accounts.
 */
const canBeKind = ({ kind }: OwnNames, entryKind: EntryKind): boolean =>
  entryKind === 'person' || (entryKind === 'entity' && kind !== 'person')

/** Returns the listed names that fit any name of the party, with their best scores in basis points. */
export function findFittingNames(index: NameIndex, ownNames: OwnNames): Map<bigint, number> {
  const scores = new Map<bigint, number>()
  for (const search of buildSearches(ownNames)) {
    for (const { id, score, kind } of index.find(search.own, search.kinds)) {
      const limitedScore = canBeKind(ownNames, kind) ? score : Math.min(score, highestOfReview)
      scores.set(id, Math.max(limitedScore, scores.get(id) ?? 0))
    }
  }
  return scores
}
