import { choosePort } from '../test-app.ts'
import { deskAt, startTestDesk, type TestDesk } from '../test-desk.ts'
import { startNode } from '../test-nodes.ts'

/** A desk whose product runs in several processes: one app and one worker beside the one that the test runs in. */
export interface SharedDesk {
  readonly desk: TestDesk
  /** The desk of the other app. */
  readonly elsewhere: ReturnType<typeof deskAt>
  /** That app and the worker. */
  readonly nodes: readonly Awaited<ReturnType<typeof startNode>>[]
  close(): Promise<void>
}

/** Starts them on one database. Whatever moves needs no proof there. */
export async function startSharedDesk(): Promise<SharedDesk> {
  const desk = await startTestDesk({ unproven: 'any' })
  const port = await choosePort()
  const nodes = await Promise.all([
    startNode(desk.world, { environment: { ADMIN_PORT: String(port) } }),
    startNode(desk.world, { role: 'worker' }),
  ])
  return {
    ...{ desk, nodes, elsewhere: deskAt(desk.world, port) },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
      await desk.world.close()
    },
  }
}
