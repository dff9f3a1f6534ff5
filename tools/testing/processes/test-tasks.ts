import { manifests } from '../../../packages/server/src/manifests/manifests.ts'
import type { Product } from '../../../packages/server/src/product.ts'

/** Runs a task of the worker once. */
export async function runTask(product: Product, name: string): Promise<void> {
  const task = manifests.flatMap(({ tasks = [] }) => tasks).find((one) => one.name === name)
  if (task === undefined) throw new Error(`no feature has the task ${name}`)
  await task.run(product)
}
