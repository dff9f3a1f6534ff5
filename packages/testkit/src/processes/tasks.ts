import { manifests } from '@tern/server/manifests/manifests'
import type { Product } from '@tern/server/product'

export async function runTask(product: Product, name: string): Promise<void> {
  const task = manifests.flatMap(({ tasks = [] }) => tasks).find((candidate) => candidate.name === name)
  if (task === undefined) throw new Error(`no feature has the task ${name}`)
  await task.run(product)
}
