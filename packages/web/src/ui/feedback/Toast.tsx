import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

const hideAfterMs = 3000

interface Message {
  readonly id: number
  readonly text: string
  readonly icon: IconName
}

type ShowMessage = (text: string, icon?: IconName) => void

const ShowToast = createContext<ShowMessage>(() => undefined)

/** Shows a short message for 3 seconds: `const toast = useToast(); toast('Copied to clipboard!')`. */
export const useToast = (): ShowMessage => useContext(ShowToast)

let lastId = 0

export function Toast({ text, icon }: { text: string; icon: IconName }) {
  return (
    <div className="toast">
      <Icon name={icon} />
      {text}
    </div>
  )
}

/** Shows the messages at the foot of the page and announces them. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([])
  const showMessage = useCallback<ShowMessage>((text, icon = 'check') => {
    const id = ++lastId
    setMessages((current) => [...current, { id, text, icon }])
    setTimeout(() => setMessages((current) => current.filter((message) => message.id !== id)), hideAfterMs)
  }, [])
  return (
    <ShowToast value={showMessage}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {messages.map((message) => (
          <Toast key={message.id} text={message.text} icon={message.icon} />
        ))}
      </div>
    </ShowToast>
  )
}
