import { addDisputeFile, disputeFileContent } from '@tern/contract/disputes/disputes'
import { buildAddress, Unreachable } from '@tern/contract/protocol/client'
import { callApi, currentAccessToken } from '../../app/session/session.ts'

/** Query key of a user's disputes; each dispute is cached below it by id. */
export const disputesKey = (userId: number) => ['disputes', userId] as const
export const disputeKey = (userId: number, id: string) => [...disputesKey(userId), id] as const

export function addFile(id: string, file: File) {
  const upload = new FormData()
  upload.set('file', file)
  return callApi(addDisputeFile, { params: { id }, upload })
}

/** Downloads an evidence file. Throws `Unreachable` if it cannot be read. */
export async function readFile(id: string, fileId: string): Promise<Blob> {
  const headers = { authorization: `Bearer ${(await currentAccessToken()) ?? ''}` }
  const reply = await fetch(`/api${buildAddress(disputeFileContent, { params: { id, fileId } })}`, { headers })
  if (!reply.ok) throw new Unreachable(new Error(`status ${reply.status}`))
  return reply.blob()
}
