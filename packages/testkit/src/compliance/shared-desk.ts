import { choosePort } from '../app.ts'
import { createDeskClient, startTestDesk, type TestDesk } from '../desk.ts'
import { startNode } from '../nodes.ts'

/** Desk of a product in several processes: the test's process, a second app, and a worker. */
export interface SharedDesk {
  readonly desk: TestDesk
  /** Desk of the second app. */
  readonly secondDesk: ReturnType<typeof createDeskClient>
  /** The second app and the worker. */
  readonly nodes: readonly Awaited<ReturnType<typeof startNode>>[]
  close(): Promise<void>
}

/** Starts the processes on one database. Payments need no step-up confirmation. */
export async function startSharedDesk(): Promise<SharedDesk> {
  const desk = await startTestDesk({ unconfirmedPayments: 'any' })
  const port = await choosePort()
  const nodes = await Promise.all([
    startNode(desk.world, { environment: { ADMIN_PORT: String(port) } }),
    startNode(desk.world, { role: 'worker' }),
  ])
  return {
    ...{ desk, nodes, secondDesk: createDeskClient(desk.world, port) },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
      await desk.world.close()
    },
  }
}
