import { addDisputeFile, disputeFileContent } from '@tern/contract/disputes/disputes'
import { addressOf, Unreachable } from '@tern/contract/protocol/client'
import { callApi, currentAccessToken } from '../../app/session/session.ts'

/** What somebody's disputes are remembered under; each one under its id behind it. */
export const disputesKey = (userId: number) => ['disputes', userId] as const
export const disputeKey = (userId: number, id: string) => [...disputesKey(userId), id] as const

/** Adds a file to a dispute. */
export function addFile(id: string, file: File) {
  const upload = new FormData()
  upload.set('file', file)
  return callApi(addDisputeFile, { params: { id }, upload })
}

/** A file that was added. Throws `Unreachable` where it cannot be read. */
export async function readFile(id: string, fileId: string): Promise<Blob> {
  const headers = { authorization: `Bearer ${(await currentAccessToken()) ?? ''}` }
  const reply = await fetch(`/api${addressOf(disputeFileContent, { params: { id, fileId } })}`, { headers })
  if (!reply.ok) throw new Unreachable(new Error(`status ${reply.status}`))
  return reply.blob()
}
