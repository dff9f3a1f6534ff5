import '../../css/setting-rows.css'
import { type ReactNode, useId } from 'react'
import { Switch } from '../forms/Switch.tsx'
import { Drawing, Icon } from '../icon/Icon.tsx'
import { useArrival } from '../layout/use-arrival.ts'
import { useFocusReturn } from './use-focus-return.ts'

/** Rows of one subject under a heading. */
export function SettingGroup({ title, children }: { title: string; children: ReactNode }) {
  const titleId = useId()
  return (
    <section className="max-w-190 mt-8" aria-labelledby={titleId}>
      <h2 className="mb-2 text-title font-normal font-display max-md:text-[1.25rem]/6.5" id={titleId}>
        {title}
      </h2>
      <div className="border-b [&>[id]]:[outline:0] [&>[id]]:scroll-mt-40">{children}</div>
    </section>
  )
}

interface RowProps {
  /** Path of the icon, on a grid of 24. */
  icon: string
  title: string
  text?: string | undefined
  /** Link target, as in `/settings#freeze`. */
  id?: string | undefined
  children?: ReactNode
}

interface ValueRowProps extends RowProps {
  /** Current value, in a word or two. */
  value?: string | undefined
  /** Makes the row a button; without it, the row only shows its value. */
  onPress?: (() => void) | undefined
  /** True if the part that the row expands is open; undefined if the row expands nothing. */
  isOpen?: boolean | undefined
}

/** A setting with its current value. Pressing the row expands the form below it, or runs an action. */
export function ValueRow({ icon, title, text, value, id, onPress, isOpen, children }: ValueRowProps) {
  const place = useArrival<HTMLDivElement>(id)
  const opener = useFocusReturn(isOpen === true)
  const content = (
    <>
      <Drawing name="setting" path={icon} />
      <span>
        <b>{title}</b>
        {text && <span>{text}</span>}
      </span>
      <span className="text-control inline-flex items-center gap-2 min-h-11 text-ink-2 [&_.icon]:[transition:rotate_var(--calm)] [&_.icon]:size-4.5 [&_.icon]:text-ink-3 [[aria-expanded=true]>&_.icon]:rotate-90">
        {value}
        {onPress && <Icon name="next" />}
      </span>
    </>
  )
  return (
    <div id={id} ref={place} tabIndex={id === undefined ? undefined : -1}>
      {onPress ? (
        <button ref={opener} type="button" className="setting-row" aria-expanded={isOpen} onClick={onPress}>
          {content}
        </button>
      ) : (
        <div className="setting-row">{content}</div>
      )}
      {children && (
        <div className="empty:hidden [&:not(:empty)]:grid [&:not(:empty)]:gap-5 [&:not(:empty)]:pt-1 [&:not(:empty)]:pb-6 [&:not(:empty)]:ps-10 max-md:[&:not(:empty)]:ps-0">
          {children}
        </div>
      )}
    </div>
  )
}

interface SwitchRowProps extends RowProps {
  checked: boolean
  /** Requests a change; `checked` follows once it is made. */
  onSwitch: (checked: boolean) => void
}

/** Setting that is switched on or off at once. */
export function SwitchRow({ icon, title, text, id, checked, onSwitch, children }: SwitchRowProps) {
  const textId = useId()
  const place = useArrival<HTMLDivElement>(id)
  return (
    <div id={id} ref={place} tabIndex={id === undefined ? undefined : -1}>
      <div className="setting-row">
        <Drawing name="setting" path={icon} />
        <span>
          <b>{title}</b>
          {text && <span id={textId}>{text}</span>}
        </span>
        <Switch
          checked={checked}
          aria-describedby={text && textId}
          onChange={(event) => onSwitch(event.target.checked)}
        >
          <span className="visually-hidden">{title}</span>
        </Switch>
      </div>
      {children && (
        <div className="empty:hidden [&:not(:empty)]:grid [&:not(:empty)]:gap-5 [&:not(:empty)]:pt-1 [&:not(:empty)]:pb-6 [&:not(:empty)]:ps-10 max-md:[&:not(:empty)]:ps-0">
          {children}
        </div>
      )}
    </div>
  )
}
