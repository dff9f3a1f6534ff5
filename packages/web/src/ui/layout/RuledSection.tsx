import '../../css/account.css'
import { type ReactNode, useId } from 'react'
import { SkeletonLine } from '../feedback/Skeleton.tsx'
import { useArrival } from './use-arrival.ts'

interface RuledSectionProps {
  title: string
  text?: string | undefined
  /** Link target, as in `/settings#freeze`. */
  id?: string
  children: ReactNode
}

/** One subject of the person's account: description on the left, state and actions on the right. */
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
      <div className="[&_p]:text-pretty grid gap-5 content-start">{children}</div>
    </section>
  )
}

interface EntryProps {
  title: ReactNode
  /** Further facts, in a line below. */
  text?: ReactNode
  children?: ReactNode
}

/** One item of a section, such as a passkey: its name, further facts and actions. */
export function Entry({ title, text, children }: EntryProps) {
  return (
    <div className="entry">
      <div className="entry-words">
        <b>{title}</b>
        {text && <span className="small muted">{text}</span>}
      </div>
      {children && <div className="entry-actions flex flex-wrap [&:has(.button-ghost)]:-mx-3">{children}</div>}
    </div>
  )
}

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
