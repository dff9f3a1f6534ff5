import { createHash } from 'node:crypto'

/** Pseudorandom numbers, repeatable by seed and names. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** Integer from `min` to `max`, inclusive. */
  pickInteger(min: number, max: number): number
  rollPercent(percent: number): boolean
  pick<T>(choices: readonly T[]): T
  /** Returns a key, chosen by weight. */
  pickWeighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T
}

const wordBytes = 6
const wordRange = 2 ** (8 * wordBytes)

/** Creates a stream of numbers that depends only on `names`, so that other streams do not affect it. */
export function createRandom(...names: readonly (string | number)[]): Random {
  let block: Buffer = Buffer.alloc(0)
  let offset = 0
  let count = 0

  function next(): number {
    if (offset + wordBytes > block.length) {
      block = createHash('sha256')
        .update(JSON.stringify([...names, count]))
        .digest()
      count += 1
      offset = 0
    }
    const word = block.readUIntBE(offset, wordBytes)
    offset += wordBytes
    return word / wordRange
  }

  const pickInteger = (min: number, max: number) => min + Math.floor(next() * (max - min + 1)) // not money: a choice
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[pickInteger(0, choices.length - 1)]
    if (choice === undefined) throw new Error('there is nothing to choose from')
    return choice
  }

  return {
    next,
    pickInteger,
    pick,
    rollPercent: (percent) => next() * 100 < percent,
    pickWeighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
      const names = Object.keys(weights) as T[]
      let remainingWeight = next() * names.reduce((sum, name) => sum + (weights[name] ?? 0), 0)
      for (const name of names) {
        remainingWeight -= weights[name] ?? 0
        if (remainingWeight < 0) return name
      }
      return pick(names)
    },
  }
}
