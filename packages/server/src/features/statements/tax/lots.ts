// Lots of one currency, disposed of in the order of their acquisition (FIFO).

import assert from 'node:assert'

/** Quantity acquired at once, in minor units, with its cost in minor units of the base currency. */
export interface Lot {
  readonly acquiredAt: Date
  readonly quantity: bigint
  readonly cost: bigint
}

/** Queue of lots. Taken ones stay in the array until there are many, so that taking is fast. */
export interface LotQueue {
  readonly lots: Lot[]
  first: number
}

const maxTaken = 1000

export const createLots = (): LotQueue => ({ lots: [], first: 0 })

export function addLot({ lots }: LotQueue, lot: Lot): void {
  if (lot.quantity > 0n) lots.push(lot)
}

/** Returns what is left, oldest first. */
export const listLots = ({ lots, first }: LotQueue): readonly Lot[] => lots.slice(first)

/**
 * Takes a quantity from the oldest lots. The cost of a part of a lot is its share, rounded down; the rest stays with the
 * rest of the lot, so no cost is lost or counted twice.
 */
export function takeLots(queue: LotQueue, quantity: bigint): Lot[] {
  const taken: Lot[] = []
  let missing = quantity
  while (missing > 0n) {
    const lot = queue.lots[queue.first]
    assert(lot, `${missing} more are disposed of than were acquired`)
    const part = lot.quantity < missing ? lot.quantity : missing
    const cost = (lot.cost * part) / lot.quantity
    taken.push({ acquiredAt: lot.acquiredAt, quantity: part, cost })
    missing -= part
    if (part === lot.quantity) queue.first += 1
    else queue.lots[queue.first] = { ...lot, quantity: lot.quantity - part, cost: lot.cost - cost }
  }
  if (queue.first > maxTaken) {
    queue.lots.splice(0, queue.first)
    queue.first = 0
  }
  return taken
}
