import type { Transparency, WitnessState } from '../features/transparency/transparency.ts'
import { OperatorError } from '../platform/refuse.ts'
import { alignedColumns, parse, type RunCommand } from './terminal.ts'
import { withProduct } from './with-product.ts'

const formatSecond = (date: Date | undefined): string =>
  date ? `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC` : 'never'

const describeState = ({ failure, failedAt, isRefused }: WitnessState): string =>
  failure === undefined ? 'cosigns' : `${isRefused ? 'REFUSES' : 'fails'} (${failure}) since ${formatSecond(failedAt)}`

function formatTable(states: readonly WitnessState[]): string {
  if (states.length === 0) return 'TRANSPARENCY_WITNESSES names no witness.'
  const rows = states.map((state) => [
    state.name,
    state.address,
    String(state.size),
    formatSecond(state.cosignedAt),
    describeState(state),
  ])
  return alignedColumns([['witness', 'address', 'size', 'last cosigned', 'state'], ...rows], 5).join('\n')
}

async function retry(transparency: Transparency, pool: Parameters<Transparency['retry']>[0], name: string) {
  if (await transparency.retry(pool, name)) return `${name} is asked again within seconds.`
  throw new OperatorError(`No configured witness ${name} refuses the log.`)
}

/** Lists the witnesses of the log, or lets one that has refused be asked again; exit code 1 if one refuses. */
export const run: RunCommand = ({ environment, print }, parameters) => {
  const { values } = parse({ args: [...parameters], options: { retry: { type: 'string' } } })
  return withProduct(environment, async ({ transparency, pool }) => {
    if (values.retry !== undefined) {
      print(await retry(transparency, pool, values.retry))
      return 0
    }
    const states = await transparency.readWitnessStates(pool)
    print(formatTable(states))
    return states.some(({ isRefused }) => isRefused) ? 1 : 0
  })
}
