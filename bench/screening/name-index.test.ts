import { expect, test } from 'vitest'
import { readListFiles } from '../../packages/server/src/features/compliance/screening/lists/read-files.ts'
import { collectNames } from '../../packages/server/src/features/compliance/screening/matcher/name-index.ts'
import {
  type ComparedName,
  comparedName,
} from '../../packages/server/src/features/compliance/screening/names/compared-name.ts'
import { reviewFrom, scoreOf } from '../../packages/server/src/features/compliance/screening/names/score.ts'
import { publishedLists } from '../../packages/server/test/lists/published-lists.ts'
import { readQueries } from './make-queries.ts'
import { someOf } from './measure.ts'
import { ordinaryNames } from './ordinary-names.ts'

const listedNames = readListFiles(publishedLists(), true).flatMap(({ list }) =>
  list.entries.flatMap(({ names }) => names.map(({ name }) => name)),
)

function indexOf(names: readonly ComparedName[]) {
  const collected = collectNames()
  for (const [at, name] of names.entries()) collected.add(BigInt(at), name)
  return collected.done()
}

// Millions of pairs of names, of which the index scores a few thousand.
test('the index finds what comparing all listed names finds', () => {
  const listed = someOf(listedNames, 11).map(comparedName)
  const index = indexOf(listed)
  const odd = ['', '-', 'X', 'M. K.', 'A'.repeat(200), 'علي', '王', 'Ίων Δ', `${'abdul '.repeat(40)}karim`]
  const asked = [...someOf(readQueries(), 97).map(({ query }) => query), ...someOf(ordinaryNames, 61), ...odd]
  let found = 0
  for (const name of asked) {
    const own = comparedName(name)
    const scores = listed.map((other, at) => ({ id: BigInt(at), score: scoreOf(own, other, index.weightOf) }))
    const fits = index.find(own).map(({ id, score }) => `${id} ${score}`)
    const all = scores.filter(({ score }) => score >= reviewFrom).map(({ id, score }) => `${id} ${score}`)
    expect(fits.toSorted(), name).toEqual(all.toSorted())
    found += fits.length
  }
  expect(found).toBeGreaterThan(100)
})

test('nothing is found in empty lists, nor for a name without letters', () => {
  expect(indexOf([]).find(comparedName('Maria Silva'))).toEqual([])
  expect(indexOf(['---', 'Maria Silva'].map(comparedName)).find(comparedName('!'))).toEqual([])
})
