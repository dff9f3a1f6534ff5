import type { ComparedRow } from '@tern/contract/desk/comparison'
import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import { currentNames } from '../matcher/listed-names.ts'
import type { NameIndex } from '../matcher/name-index.ts'
import { toComparedReadings } from '../names/compared-name.ts'
import { toListedName } from '../names/listed-name.ts'
import { computeScore } from '../names/score.ts'
import { compareWithEntry, type ListedDetails, type NameScores, type OwnDetails } from './compare-entry.ts'

interface Comparison {
  readonly own: OwnDetails
  readonly entries: readonly ListedDetails[]
}

/** Compares a party with each of these list entries, with the word weights of the lists in force. */
export async function compareWithEntries(
  ctx: Pick<ScreeningContext, 'listedNames'>,
  db: Db,
  { own, entries }: Comparison,
): Promise<ComparedRow[][]> {
  const { index } = await currentNames(ctx, db)
  return entries.map((listed) => compareWithEntry(own, listed, scoreNames(own, listed, index)))
}

function scoreNames(
  ownDetails: OwnDetails,
  { names, matched, kind }: ListedDetails,
  { weightOf }: NameIndex,
): NameScores {
  const listedNames = [matched.name, ...names.map(({ name }) => name)].map(
    (name) => [name, toListedName(name, kind)] as const,
  )
  const scores = ownDetails.names.map((name) => {
    const readings = toComparedReadings(name, kind === 'person' ? 'person' : 'organization')
    const listedScores = listedNames.map(([listedName, comparedName]) => {
      const score = Math.max(0, ...readings.map((reading) => computeScore(reading, comparedName, weightOf)))
      return [listedName, score] as const
    })
    return [name, new Map(listedScores)] as const
  })
  return new Map(scores)
}
