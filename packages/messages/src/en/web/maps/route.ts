import { plural } from '../../../plural.ts'

const counted = plural('en')

/** Map of a transfer, with captions. */
export const route = {
  localTime: (time: string) => `${time} there`,
  describe: (from: string, to: string) => `Map of the route: ${from} to ${to}.`,
  country: (name: string) => `Map: ${name}.`,
  arrivedIn: (seconds: number) =>
    seconds < 1
      ? 'Arrived in under a second'
      : counted(seconds, { one: 'Arrived in 1 second', other: `Arrived in ${seconds} seconds` }),
}
