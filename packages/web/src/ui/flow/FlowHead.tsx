import '../../css/flow-head.css'
import type { Ref } from 'react'
import { Link } from 'react-router'
import { shell } from '#messages/shell.ts'
import { IconButton } from '../forms/Button.tsx'
import { Icon } from '../icon/Icon.tsx'

interface FlowHeadProps {
  title: string
  /** Takes the focus when another step begins. */
  heading: Ref<HTMLHeadingElement>
  /** Goes one step back; undefined in the first step, and while an order must not be interrupted. */
  onBack: (() => void) | undefined
  backLabel: string
  /** Page to open when the flow is closed. */
  exit: string
}

/** Title of a flow. On phones it is the only bar at the top, with back and close. */
export function FlowHead({ title, heading, onBack, backLabel, exit }: FlowHeadProps) {
  return (
    <div className="flow-head max-md:sticky max-md:top-0 max-md:z-14 max-md:grid max-md:grid-cols-[44px_minmax(0,1fr)_44px] max-md:items-center max-md:min-h-14 max-md:mx-[calc(-1_*_var(--gutter))] max-md:px-1 max-md:bg-paper">
      {onBack && <IconButton className="narrow-only" icon="previous" label={backLabel} onClick={onBack} />}
      <h1 className="display-m" tabIndex={-1} ref={heading}>
        {title}
      </h1>
      <Link className="button button-square narrow-only" to={exit} aria-label={shell.close}>
        <Icon name="cross" />
      </Link>
    </div>
  )
}
