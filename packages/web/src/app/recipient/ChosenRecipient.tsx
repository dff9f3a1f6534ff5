import '../../css/chosen.css'
import type { PublicUser } from '@tern/contract/identity'
import { type RefObject, Suspense } from 'react'
import { recipient as texts } from '#messages/transfers/recipient.ts'
import { formatCurrencyName } from '../../ui/format/format-currency-name.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const FavoriteButton = lazyComponent(() => import('./FavoriteButton.tsx'), 'FavoriteButton')

/** Start of a wallet address, enough to distinguish two people. */
export const shortenAddress = (address: string, characters: 8 | 12): string => `${address.slice(0, characters)}…`

interface ChosenRecipientProps {
  user: PublicUser
  currency: string
  change: RefObject<HTMLButtonElement | null>
  input: RefObject<HTMLInputElement | null>
}

/** The chosen recipient, with buttons to change the choice and to mark a favorite. */
export function ChosenRecipient({ user, currency, change, input }: ChosenRecipientProps) {
  const details = [
    user.name && user.username,
    texts.getsIn(formatCurrencyName(currency)),
    user.wallet_address && shortenAddress(user.wallet_address, 12),
  ]
  const focusInput = () => {
    input.current?.focus()
    input.current?.select()
  }
  return (
    <div className="chosen">
      <Avatar name={user.name ?? user.username} />
      <span className="min-w-0 grow">
        <b className="block truncate" translate="no">
          {user.name ?? user.username}
        </b>
        <span className="small muted block truncate">{details.filter(Boolean).join(' · ')}</span>
      </span>
      <Suspense>
        <FavoriteButton person={user} />
      </Suspense>
      <Button look="ghost" ref={change} aria-label={texts.changeRecipient} onClick={focusInput}>
        {texts.change}
      </Button>
    </div>
  )
}
