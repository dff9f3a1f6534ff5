import { useQuery } from '@tanstack/react-query'
import { type PublicUser, searchUsers } from '@tern/contract/identity'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { callApi } from '../../../app/session/session.ts'
import { useSettled } from '../../../app/use-settled.ts'

const typingPauseMs = 200
/** As short as a name may be that is looked up. */
export const fewestCharacters = 2

/** Who the server knows under the beginning of a username or a whole email; undefined until it has answered for this very text. */
function useRecipientSearch(text: string, isWanted: boolean): readonly PublicUser[] | undefined {
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
    if (query.error) reportError(query.error)
  }, [query.error])
  return isCurrent ? (query.isError ? [] : query.data) : undefined
}

interface ListProps {
  text: string
  recipient: PublicUser | undefined
  onChoose: (user: PublicUser) => void
  onLeave: () => void
}

/**
 * The list under the recipient field and its keys: arrows move, Enter takes the marked person (or looks the typed text
 * up), Escape closes. Nobody is marked by themselves, so that Enter never takes a person whom nobody pointed at.
 */
export function useRecipientList({ text, recipient, onChoose, onLeave }: ListProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const isWanted = isOpen && !recipient
  const found = useRecipientSearch(text, isWanted)
  const options = (isWanted && found) || []

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

  return { options, active, isEmpty: isWanted && found?.length === 0, open, choose, leave, onKeyDown }
}
