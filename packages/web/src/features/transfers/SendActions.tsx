import type { ReactNode } from 'react'
import { bar } from '#messages/transfers/bar.ts'
import { paths } from '../../app/paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import type { SendBar } from './send-bar.ts'

interface SendActionsProps {
  state: SendBar
  /** Buttons of the step; replaced by a link to unfreeze while the account is frozen. */
  children: ReactNode
}

export function SendActions({ state: { title, detail, isBusy, action }, children }: SendActionsProps) {
  return (
    <ActionBar title={title} detail={detail} isBusy={isBusy ?? false}>
      {action === 'unfreeze' ? (
        <LinkButton look="primary" big to={`${paths.settings}#freeze`}>
          {bar.unfreeze}
        </LinkButton>
      ) : (
        children
      )}
    </ActionBar>
  )
}
