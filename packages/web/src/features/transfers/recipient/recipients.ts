import { useQuery } from '@tanstack/react-query'
import { type PublicUser, searchUsers, userProfile } from '@tern/contract/identity'
import { useEffect, useState } from 'react'
import { callApi } from '../../../app/session/session.ts'

const typingPauseMs = 200
const fewestCharacters = 2

/** Who the server knows under the beginning of a username or a whole email; `found` is undefined until it has answered for this very text. */
export function useRecipientSearch(text: string, isWanted: boolean): { found: readonly PublicUser[] | undefined } {
  const typed = text.trim()
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const query = useQuery({
    queryKey: ['user-search', settled],
    queryFn: ({ signal }) => callApi(searchUsers, { query: { query: settled } }, signal),
    enabled: isWanted && settled === typed && settled.length >= fewestCharacters,
    retry: false,
  })
  useEffect(() => {
    if (query.error) reportError(query.error)
  }, [query.error])
  const isCurrent = isWanted && settled === typed && settled.length >= fewestCharacters
  return { found: isCurrent ? (query.isError ? [] : query.data) : undefined }
}

const isSame = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase()

/**
 * The registered user whom a typed text stands for: their number, their username or their whole email. Undefined when
 * there is nobody; throws what the call threw when the server did not answer.
 */
export async function findRecipient(typed: string): Promise<PublicUser | undefined> {
  const text = typed.trim()
  if (/^[1-9]\d*$/.test(text)) return callApi(userProfile, { params: { id: text } })
  if (text.length < fewestCharacters) return undefined
  const found = await callApi(searchUsers, { query: { query: text, exact: 'true' } })
  return found.find((user) => isSame(user.username, text) || isSame(user.email, text)) ?? found[0]
}
