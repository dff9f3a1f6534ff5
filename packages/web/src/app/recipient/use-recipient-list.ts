import { useQuery } from '@tanstack/react-query'
import { type PublicUser, searchUsers } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { recipient as texts } from '#messages/transfers/recipient.ts'
import { buildQuery } from '../session/query.ts'
import { useSettled } from '../use-settled.ts'
import { useKnownPeople } from './known-people.ts'

const typingPauseMs = 200
/** Length of the shortest text that is searched for. */
export const minCharacters = 2

interface Search {
  /** Undefined until the server has answered for this text. */
  readonly found?: readonly PublicUser[] | undefined
  /** Reason why the server does not answer, such as a missing verification. */
  readonly refusal?: string | undefined
}

/** Users whose username starts with a text, or whose email is the text. */
function useRecipientSearch(text: string, isSearching: boolean): Search {
  const typed = text.trim()
  const { key: settledText } = useSettled(typed, typed, typingPauseMs)
  const isCurrent = isSearching && settledText === typed && settledText.length >= minCharacters
  const query = useQuery({
    ...buildQuery(['user-search'], searchUsers, { query: { query: settledText } }),
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

interface ListProps {
  userId: number
  text: string
  recipient: PublicUser | undefined
  onChoose: (user: PublicUser) => void
  onLeave: () => void
}

/**
 * Option list of the recipient field, with favorites and recent payees while it is empty. Keys: arrows mark an option,
 * Enter chooses it or looks up the typed text, Escape closes. No option is marked at first, so that Enter never chooses
 * one by accident.
 */
export function useRecipientList({ userId, text, recipient, onChoose, onLeave }: ListProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const isSearching = isOpen && !recipient
  const { found, refusal } = useRecipientSearch(text, isSearching)
  const isBlank = text.trim() === ''
  const knownPeople = useKnownPeople(userId, isSearching && isBlank)
  const groups = isBlank
    ? [
        { title: texts.favorites, people: knownPeople.favorites },
        { title: texts.recentPeople, people: knownPeople.recent },
      ]
    : [{ title: texts.registeredUsers, people: found ?? [] }]
  const options = isSearching ? groups.flatMap(({ people }) => people) : []

  const close = () => {
    setIsOpen(false)
    setActive(-1)
  }
  const choose = (user: PublicUser) => {
    close()
    onChoose(user)
  }
  const closeList = () => {
    close()
    onLeave()
  }
  const open = () => {
    setIsOpen(true)
    setActive(-1)
  }
  const moveActive = (to: number) => {
    setIsOpen(true)
    if (options.length > 0) setActive((to + options.length) % options.length)
  }
  const actionsByKey: Record<string, () => void> = {
    ArrowDown: () => moveActive(active + 1),
    ArrowUp: () => moveActive(active < 0 ? -1 : active - 1),
    Enter: () => (options[active] ? choose(options[active]) : closeList()),
    ...(isOpen ? { Escape: close } : {}),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionsByKey[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  return {
    /** Non-empty groups with their titles; `options` lists the same people without groups. */
    groups: isSearching ? groups.filter(({ people }) => people.length > 0) : [],
    options,
    active,
    isKnown: isBlank,
    refusal,
    isEmpty: isSearching && found?.length === 0,
    isShort: isSearching && !isBlank && text.trim().length < minCharacters,
    open,
    choose,
    closeList,
    onKeyDown,
  }
}
