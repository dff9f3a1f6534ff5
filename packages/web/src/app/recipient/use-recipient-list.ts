import { useQuery } from '@tanstack/react-query'
import { type PublicUser, searchUsers } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { isFiatCode } from '@tern/money/currency'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { transactionsQuery } from '../session/live.ts'
import { callApi } from '../session/session.ts'
import { useSettled } from '../use-settled.ts'

const typingPauseMs = 200
/** As short as a name may be that is looked up. */
export const fewestCharacters = 2

interface Search {
  /** Undefined until the server has answered for this very text. */
  readonly found?: readonly PublicUser[] | undefined
  /** Why the server does not say, such as to somebody unverified. */
  readonly refusal?: string | undefined
}

/** Who the server knows under the beginning of a username or a whole email. */
function useRecipientSearch(text: string, isWanted: boolean): Search {
  const typed = text.trim()
  const { key: settled } = useSettled(typed, typed, typingPauseMs)
  const isCurrent = isWanted && settled === typed && settled.length >= fewestCharacters
  const query = useQuery({
    queryKey: ['user-search', settled],
    queryFn: ({ signal }) => callApi(searchUsers, { query: { query: settled } }, signal),
    enabled: isCurrent,
    retry: false,
  })
  useEffect(() => {
    if (query.error && !(query.error instanceof Refused)) reportError(query.error)
  }, [query.error])
  if (!isCurrent) return {}
  if (query.error instanceof Refused) return { refusal: query.error.message }
  return { found: query.isError ? [] : query.data }
}

const mostRecent = 5

/** The people whom the person has paid last, the latest first. */
function useRecentPeople(userId: number, isWanted: boolean): readonly PublicUser[] {
  const { data } = useQuery({
    ...transactionsQuery(userId, { type: 'SEND', status: 'COMPLETED', limit: '25' }),
    enabled: isWanted,
  })
  const people = new Map<number, PublicUser>()
  for (const { counterparty, target_currency: currency } of data?.transactions ?? []) {
    if (!counterparty || !isFiatCode(currency) || people.has(counterparty.id)) continue
    people.set(counterparty.id, { ...counterparty, base_currency: currency })
  }
  return [...people.values()].slice(0, mostRecent)
}

interface ListProps {
  userId: number
  text: string
  recipient: PublicUser | undefined
  onChoose: (user: PublicUser) => void
  onLeave: () => void
}

/**
 * The list under the recipient field, of recent people as long as nothing is typed, and its keys: arrows move, Enter takes the marked person (or looks the typed text
 * up), Escape closes. Nobody is marked by themselves, so that Enter never takes a person whom nobody pointed at.
 */
export function useRecipientList({ userId, text, recipient, onChoose, onLeave }: ListProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const isWanted = isOpen && !recipient
  const { found, refusal } = useRecipientSearch(text, isWanted)
  const isBlank = text.trim() === ''
  const recent = useRecentPeople(userId, isWanted && isBlank)
  const options = (isWanted && (isBlank ? recent : found)) || []

  const close = () => {
    setIsOpen(false)
    setActive(-1)
  }
  const choose = (user: PublicUser) => {
    close()
    onChoose(user)
  }
  const leave = () => {
    close()
    onLeave()
  }
  const open = () => {
    setIsOpen(true)
    setActive(-1)
  }
  const move = (to: number) => {
    setIsOpen(true)
    if (options.length > 0) setActive((to + options.length) % options.length)
  }
  const acts: Record<string, () => void> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active < 0 ? -1 : active - 1),
    Enter: () => (options[active] ? choose(options[active]) : leave()),
    ...(isOpen ? { Escape: close } : {}),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const act = acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }

  return {
    options,
    active,
    isRecent: isBlank,
    refusal,
    isEmpty: isWanted && found?.length === 0,
    isShort: isWanted && !isBlank && text.trim().length < fewestCharacters,
    open,
    choose,
    leave,
    onKeyDown,
  }
}
