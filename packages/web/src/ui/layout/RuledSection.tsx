import '../../css/account.css'
import { type ReactNode, useId } from 'react'
import { SkeletonLine } from '../feedback/Skeleton.tsx'
import { useArrival } from './use-arrival.ts'

interface RuledSectionProps {
  title: string
  text?: string | undefined
  /** By which links name it, as in `/settings#freeze`. */
  id?: string
  children: ReactNode
}

/** One subject of the person's account: what it is on the left, how it stands and what can be done on the right. */
export function RuledSection({ title, text, id, children }: RuledSectionProps) {
  const titleId = useId()
  const section = useArrival<HTMLElement>(id)
  return (
    <section
      className="ruled"
      id={id}
      aria-labelledby={titleId}
      ref={section}
      tabIndex={id === undefined ? undefined : -1}
    >
      <div>
        <h2 className="display-s" id={titleId}>
          {title}
        </h2>
        {text && <p className="small muted mt-1">{text}</p>}
      </div>
      <div className="ruled-body">{children}</div>
    </section>
  )
}

interface EntryProps {
  title: ReactNode
  /** Further facts, in a line below. */
  text?: ReactNode
  /** Buttons for this one entry. */
  children?: ReactNode
}

/** One thing of a section, such as a passkey: its name, what is known of it, and what can be done with it. */
export function Entry({ title, text, children }: EntryProps) {
  return (
    <div className="entry">
      <div className="entry-words">
        <b>{title}</b>
        {text && <span className="small muted">{text}</span>}
      </div>
      {children && <div className="entry-actions">{children}</div>}
    </div>
  )
}

/** Lines in the place of entries that have not been loaded. */
export function EntrySkeleton() {
  return (
    <div className="entry" aria-busy="true">
      <div className="entry-words grid gap-2">
        <SkeletonLine className="w-2/5" />
        <SkeletonLine className="w-3/5" />
      </div>
    </div>
  )
}
