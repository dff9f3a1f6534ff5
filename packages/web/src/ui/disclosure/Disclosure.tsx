import '../../css/disclosure.css'
import { type ReactNode, useState } from 'react'
import { Icon } from '../icon/Icon.tsx'

interface DisclosureProps {
  icon?: ReactNode
  title: string
  /** One sentence under the title. */
  text?: string | undefined
  defaultOpen?: boolean | undefined
  children: ReactNode
}

/** Expandable row. Its content is rendered only while it is open. */
export function Disclosure({ icon, title, text, defaultOpen = false, children }: DisclosureProps) {
  const [isOpen, setIsOpen] = useState(defaultOpen)
  return (
    <details className="disclosure" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {icon}
        <span className="grow">
          <b>{title}</b>
          {text !== undefined && <span className="small muted block">{text}</span>}
        </span>
        <Icon name="down" />
      </summary>
      {isOpen && <div className="disclosure-inside">{children}</div>}
    </details>
  )
}
