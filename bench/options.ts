// Options of `npm run bench` without a name.

import { parseArgs } from 'node:util'

const parts = ['movements', 'http', 'quotes', 'operations', 'sizes'] as const

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    /** Seconds of unmeasured HTTP sends: a person's first send of a day costs more than later ones. */
    'warm-up': { type: 'string', default: '2' },
    /** Numbers of callers of movements and of HTTP sends; replaces both defaults. */
    callers: { type: 'string' },
    posters: { type: 'string', default: '1,2,4' },
    /** Sizes of the crowds that send over HTTP; even numbers from 4. */
    people: { type: 'string', default: '8,10000' },
    only: { type: 'string', default: parts.join(',') },
    /** For an otherwise idle machine: also enforces the goals for latency and the whole stack. */
    quiet: { type: 'boolean', default: false },
  },
})

const numbers = (text: string): number[] => text.split(',').map(Number)

function chooseParts(text: string): ReadonlySet<string> {
  const selected = text.split(',')
  const knownParts: readonly string[] = parts
  const unknown = selected.find((part) => !knownParts.includes(part))
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}"; the parts: ${parts.join(', ')}`)
  return new Set(selected)
}

export const options = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  warmUpSeconds: Number(values['warm-up']),
  callers: {
    movements: numbers(values.callers ?? '1,16,64,256,1024'),
    http: numbers(values.callers ?? '1,16,64,256'),
  },
  posters: numbers(values.posters),
  people: numbers(values.people),
  only: chooseParts(values.only),
  quiet: values.quiet,
}
