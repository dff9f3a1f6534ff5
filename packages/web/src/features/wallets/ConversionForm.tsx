import type { Wallet } from '@tern/contract/wallets'
import { cryptoCodes, type CryptoCode } from '@tern/money/currency'
import { wallets } from '#messages/wallets.ts'
import { OrderForm } from '../../app/OrderForm.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { PriceSheet } from '../../app/orders/PriceSheet.tsx'
import type { LiveQuote } from '../../app/orders/quotes.ts'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { useConversion } from './use-conversion.ts'

const choices = cryptoCodes.map((code) => ({ value: code, label: wallets.choices[code] }))

const hasPrice = ({ priced, isLoading, failure }: LiveQuote): boolean =>
  priced !== undefined || isLoading || failure !== undefined

/** Currencies and amount of a conversion, and its price once there is an amount. */
export function ConversionForm({ userId, wallet }: { userId: number; wallet: Wallet }) {
  const base = wallet.base_currency
  const form = useConversion(userId, wallet)
  return (
    <OrderForm
      form={form}
      className="grid gap-6"
      icon="swap"
      action={wallets.convert}
      again={wallets.tryAgain}
      texts={wallets}
      footer={hasPrice(form.live) && <PriceSheet heading={wallets.youGet} live={form.live} empty={null} />}
    >
      <div>
        <Segmented
          label={wallets.direction}
          choices={[
            { value: 'toCrypto', label: wallets.toCrypto(base) },
            { value: 'fromCrypto', label: wallets.fromCrypto(base) },
          ]}
          value={form.direction}
          onChange={(direction) => form.change({ direction })}
        />
      </div>
      <MoneyField
        label={wallets.amount}
        currency={form.source}
        value={form.text}
        onValueChange={(amount) => form.change({ amount })}
        error={form.error}
        hint={<span className="tabular">{wallets.available(formatExact(form.available, form.source))}</span>}
      />
      <SelectField
        label={wallets.cryptocurrency}
        choices={choices}
        value={form.crypto}
        onChange={(event) => form.change({ crypto: event.target.value as CryptoCode })}
      />
    </OrderForm>
  )
}
