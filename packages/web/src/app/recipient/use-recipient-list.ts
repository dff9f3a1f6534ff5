import { useQuery } from '@tanstack/react-query'
import { type PublicUser, searchUsers } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { recipient as texts } from '#messages/transfers/recipient.ts'
import { buildQuery } from '../session/query.ts'
import { useSettled } from '../use-settled.ts'
import { useKnownPeople } from './known-people.ts'

const typingPauseMs = 200
/** Length of the shortest text that is looked up. */
export const fewestCharacters = 2

interface Search {
  /** Undefined until the server has answered for this very text. */
  readonly found?: readonly PublicUser[] | undefined
  /** Reason why the server does not answer, such as a missing verification. */
  readonly refusal?: string | undefined
}

/** Users whose username starts with a text, or whose whole email it is. */
function useRecipientSearch(text: string, isWanted: boolean): Search {
  const typed = text.trim()
  const { key: settled } = useSettled(typed, typed, typingPauseMs)
  const isCurrent = isWanted && settled === typed && settled.length >= fewestCharacters
  const query = useQuery({
    ...buildQuery(['user-search'], searchUsers, { query: { query: settled } }),
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
 * Option list of the recipient field, with favorites and recent payees while it is empty, and its keys: arrows move,
 * Enter takes the marked person or looks up the typed text, Escape closes. No option is marked at first, so Enter never
 * takes a person by accident.
 */
export function useRecipientList({ userId, text, recipient, onChoose, onLeave }: ListProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const isWanted = isOpen && !recipient
  const { found, refusal } = useRecipientSearch(text, isWanted)
  const isBlank = text.trim() === ''
  const known = useKnownPeople(userId, isWanted && isBlank)
  const groups = isBlank
    ? [
        { title: texts.favorites, people: known.favorites },
        { title: texts.recentPeople, people: known.recent },
      ]
    : [{ title: texts.registeredUsers, people: found ?? [] }]
  const options = isWanted ? groups.flatMap(({ people }) => people) : []

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
    /** Non-empty groups with their titles; `options` has their people in one row. */
    groups: isWanted ? groups.filter(({ people }) => people.length > 0) : [],
    options,
    active,
    isKnown: isBlank,
    refusal,
    isEmpty: isWanted && found?.length === 0,
    isShort: isWanted && !isBlank && text.trim().length < fewestCharacters,
    open,
    choose,
    leave,
    onKeyDown,
  }
}
