import type { PublicUser } from '@tern/contract/identity'
import { type KeyboardEvent, useState } from 'react'
import { useRecipientSearch } from './recipients.ts'

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
  const { found } = useRecipientSearch(text, isWanted)
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
