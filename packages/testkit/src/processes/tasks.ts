import { manifests } from '@tern/server/manifests/manifests'
import type { Product } from '@tern/server/product'

/** Runs a task of the worker once. */
export async function runTask(product: Product, name: string): Promise<void> {
  const task = manifests.flatMap(({ tasks = [] }) => tasks).find((candidate) => candidate.name === name)
  if (task === undefined) throw new Error(`no feature has the task ${name}`)
  await task.run(product)
}
