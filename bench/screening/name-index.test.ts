import { expect, test } from 'vitest'
import type { EntryKind, ListEntry } from '../../packages/server/src/features/compliance/screening/lists/entry.ts'
import { readListFiles } from '../../packages/server/src/features/compliance/screening/lists/read-files.ts'
import { collectNames } from '../../packages/server/src/features/compliance/screening/matcher/name-index.ts'
import {
  type ComparedName,
  toComparedName,
} from '../../packages/server/src/features/compliance/screening/names/compared-name.ts'
import { toListedName } from '../../packages/server/src/features/compliance/screening/names/listed-name.ts'
import { reviewFrom, computeScore } from '../../packages/server/src/features/compliance/screening/names/score.ts'
import { publishedLists } from '@tern/testkit/compliance/lists/published-lists'
import { readQueries } from './make-queries.ts'
import { takeEvery } from './measure.ts'
import { ordinaryNames } from './ordinary-names.ts'

const entries = readListFiles(publishedLists(), true).flatMap(({ list }) => list.entries)
interface ListedName {
  readonly name: ComparedName
  readonly kind: EntryKind
}
const listNames = (selection: readonly ListEntry[]): ListedName[] =>
  selection.flatMap(({ names, kind }) => names.map(({ name }) => ({ name: toListedName(name, kind), kind })))

function buildIndex(names: readonly ListedName[]) {
  const collector = collectNames()
  for (const [at, { name, kind }] of names.entries()) collector.add(BigInt(at), name, kind)
  return collector.build()
}

// Compares hundreds of thousands of pairs of names; the index scores only a few thousand of them.
test('the index finds what comparing all listed names finds', () => {
  const queries = takeEvery(readQueries(), 197)
  const expectedReferences = new Set(queries.map(({ reference }) => reference))
  const listedNames = listNames([
    ...entries.filter(({ reference }) => expectedReferences.has(reference)),
    ...takeEvery(entries, 17),
  ])
  const index = buildIndex(listedNames)
  const unusualNames = ['', '-', 'X', 'M. K.', 'A'.repeat(200), 'علي', '王', 'Ίων Δ', `${'abdul '.repeat(40)}karim`]
  const searchedNames = [...queries.map(({ query }) => query), ...takeEvery(ordinaryNames, 61), ...unusualNames]
  let foundCount = 0
  for (const name of searchedNames) {
    const comparedName = toComparedName(name)
    const scores = listedNames.map((other, at) => ({
      id: BigInt(at),
      score: computeScore(comparedName, other.name, index.weightOf),
    }))
    const matches = index.find(comparedName).map(({ id, score }) => `${id} ${score}`)
    const all = scores.filter(({ score }) => score >= reviewFrom).map(({ id, score }) => `${id} ${score}`)
    expect(matches.toSorted(), name).toEqual(all.toSorted())
    foundCount += matches.length
  }
  expect(foundCount).toBeGreaterThan(100)
})

test('nothing is found in empty lists, nor for a name without letters', () => {
  expect(buildIndex([]).find(toComparedName('Maria Silva'))).toEqual([])
  expect(
    buildIndex(['---', 'Maria Silva'].map((name) => ({ name: toComparedName(name), kind: 'person' }))).find(
      toComparedName('!'),
    ),
  ).toEqual([])
})
