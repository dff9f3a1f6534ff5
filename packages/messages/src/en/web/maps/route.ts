import { plural } from '../../../plural.ts'

const counted = plural('en')

/** What stands on the map of a transfer and beside it. */
export const route = {
  localTime: (time: string) => `${time} there`,
  describe: (from: string, to: string, distance: string) => `Map of the route from ${from} to ${to}, ${distance}.`,
  home: (city: string) => `Map around ${city}.`,
  kilometers: (count: string) => `${count} km`,
  inSeconds: (seconds: number) =>
    seconds < 1 ? 'in under a second' : counted(seconds, { one: 'in 1 second', other: `in ${seconds} seconds` }),
  segment: (count: string) => `One tick on the route is ${count} km. The line is the shortest way over the Earth.`,
}
