import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, comparedReadings, foldedWords } from '../names/compared-name.ts'
import { highestOfReview } from '../names/score.ts'
import type { NameIndex } from './name-index.ts'

/** The names of a person, or of a counterparty that may be a company. */
export interface OwnNames {
  readonly names: readonly string[]
  /** A natural person. Left out where a company is possible. */
  readonly kind?: 'person' | undefined
}

const people = ['person'] as const
const peopleAndCompanies = ['person', 'entity'] as const
const companiesAndThings = ['entity', 'vessel', 'aircraft'] as const

interface Search {
  readonly own: ComparedName
  /** Undefined for all. */
  readonly kinds?: readonly EntryKind[]
}

const isSameFolding = (a: ComparedName, b: ComparedName | undefined): boolean =>
  b !== undefined && foldedWords(a).join(' ') === foldedWords(b).join(' ')

/**
 * What is looked for among which entries. People are compared with people and companies, never with ships and aircraft. Other names
 * are compared with people as a person's and with all else as a company's.
 */
function searchesOf({ names, kind }: OwnNames): Search[] {
  return [...new Set(names)].flatMap((name) => {
    const asPerson = comparedReadings(name, 'person')
    if (kind === 'person') return asPerson.map((own) => ({ own, kinds: peopleAndCompanies }))
    const asCompany = comparedReadings(name, 'organization')
    return asPerson.flatMap((own, reading): Search[] => {
      const other = asCompany[reading]
      if (other === undefined || isSameFolding(own, other)) return [{ own }]
      return [
        { own, kinds: people },
        { own: other, kinds: companiesAndThings },
      ]
    })
  })
}

/** No company is a person, and no ship or aircraft has an account: money is not held because of their names. */
const mayHold = ({ kind }: OwnNames, listed: EntryKind): boolean =>
  listed === 'person' || (listed === 'entity' && kind !== 'person')

/** The scores of all listed names that fit any of the given ones, by the listed name. */
export function fittingNames(index: NameIndex, own: OwnNames): Map<bigint, number> {
  const scores = new Map<bigint, number>()
  for (const search of searchesOf(own)) {
    for (const { id, score, kind } of index.find(search.own, search.kinds)) {
      const limited = mayHold(own, kind) ? score : Math.min(score, highestOfReview)
      scores.set(id, Math.max(limited, scores.get(id) ?? 0))
    }
  }
  return scores
}
