import type { Mover, MoveRequest } from '../../packages/server/src/features/wallets/move.ts'

const batchSize = 500

/** Posts a movement for each item, `batchSize` at once. Throws unless all are posted. */
export async function moveAll<T>(
  mover: Mover,
  items: readonly T[],
  buildRequest: (item: T) => MoveRequest,
): Promise<void> {
  for (let start = 0; start < items.length; start += batchSize) {
    const batch = items.slice(start, start + batchSize)
    await Promise.all(batch.map((item) => moveOne(mover, buildRequest(item))))
  }
}

/** Posts one movement. Throws unless it is posted. */
export async function moveOne(mover: Mover, request: MoveRequest): Promise<void> {
  const outcome = await mover.move(request)
  if (outcome.status !== 'posted') throw new Error(`a movement of the benchmark was ${JSON.stringify(outcome)}`)
}
