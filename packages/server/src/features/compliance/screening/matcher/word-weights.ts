import type { Queryable } from '../../../../platform/database/db.ts'
import { currentEpoch } from '../store/epochs.ts'
import type { WordWeight } from '../names/score.ts'

const fewest = 4
const lightest = 0.35
const perTenfold = 0.3

/** 1 for a word of one listed name, less by 0.3 for each tenfold. */
const weightOfCount = (names: number): number => Math.max(lightest, 1 - perTenfold * Math.log10(Math.max(1, names)))

async function readWeights(db: Queryable): Promise<WordWeight> {
  const { rows } = await db.query<{ spelling: string; names: number }>(
    `select spelling, count(*)::int as names
       from screening_name, unnest(string_to_array(spellings, ' ')) as spelling group by 1 having count(*) >= $1`,
    [fewest],
  )
  const weights = new Map(rows.map(({ spelling, names }) => [spelling, weightOfCount(names)]))
  return (spelling) => weights.get(spelling) ?? 1
}

/** How much each word tells, by how many listed names have it; read again after each import. */
export function createWordWeights() {
  let known: { epoch: number; weights: Promise<WordWeight> } | undefined
  return {
    async read(db: Queryable): Promise<WordWeight> {
      const { number: epoch } = await currentEpoch(db)
      if (known?.epoch !== epoch) {
        const weights = readWeights(db)
        known = { epoch, weights }
        weights.catch(() => {
          known = undefined
        })
      }
      return known.weights
    },
  }
}
