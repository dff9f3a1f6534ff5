import type { Wallet } from '@tern/contract/wallets'
import { dashboard } from '#messages/home/dashboard.ts'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'

/** What is on its way to the person, and what is reserved of what they have. */
export function WalletTags({ wallet }: { wallet: Wallet }) {
  const { base_currency: currency, pending, assets } = wallet
  const held = assets.find((asset) => asset.currency === currency)?.held ?? '0'
  return (
    <>
      {!isZero(pending) && (
        <span className="tag">
          <Icon name="clock" small />
          {dashboard.pending(formatMoney(pending, currency, { sign: 'always' }))}
        </span>
      )}
      {!isZero(held) && (
        <span className="tag">
          <Icon name="pause" small />
          {dashboard.onHold(formatMoney(held, currency))}
        </span>
      )}
    </>
  )
}
