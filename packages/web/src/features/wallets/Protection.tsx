import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { cryptoCodes, type CryptoCode } from '@tern/money/currency'
import { wallets } from '#messages/wallets.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { formatExactWithSign } from '../../ui/money/exact-amount.ts'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { PriceSheet } from '../../app/orders/PriceSheet.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { VerifyFirst } from '../../app/shell/VerifyFirst.tsx'
import type { ConversionState } from './use-conversion.ts'
import { useConversionForm } from './use-conversion-form.ts'

const choices = cryptoCodes.map((code) => ({ value: code, label: wallets.choices[code] }))

/** Changes part of the balance into cryptocurrency, or back, at a price that is shown before. */
export function Protection({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  return (
    <section>
      <h2 className="display-s">{wallets.protection}</h2>
      <p className="muted mt-1 mb-6">{wallets.protectionText}</p>
      {user.kyc_status === 'verified' ? (
        <ConversionForm userId={user.id} wallet={wallet} />
      ) : (
        <VerifyFirst status={user.kyc_status} />
      )}
    </section>
  )
}

function ConversionForm({ userId, wallet }: { userId: number; wallet: Wallet }) {
  const base = wallet.base_currency
  const form = useConversionForm(userId, wallet)
  const { state } = form
  return (
    <form className="grid gap-6" noValidate onSubmit={form.submit}>
      <fieldset className="grid gap-6" disabled={form.isLocked}>
        <div>
          <Segmented
            label={wallets.direction}
            choices={[
              { value: 'toCrypto', label: wallets.toCrypto(base) },
              { value: 'fromCrypto', label: wallets.fromCrypto(base) },
            ]}
            value={form.direction}
            onChange={form.turn}
          />
        </div>
        <MoneyField
          label={wallets.amount}
          currency={form.source}
          value={form.text}
          onValueChange={form.type}
          error={form.error}
          hint={<span className="tabular">{wallets.available(formatExactWithSign(form.available, form.source))}</span>}
        />
        <SelectField
          label={wallets.cryptocurrency}
          choices={choices}
          value={form.crypto}
          onChange={(event) => form.choose(event.target.value as CryptoCode)}
        />
      </fieldset>
      <PriceSheet
        heading={wallets.youGet}
        live={form.live}
        empty={<p className="small muted p-6">{wallets.priceHint}</p>}
      />
      <ConversionNote state={state} />
      <div className="form-actions">
        <Button look="primary" big type="submit" icon="swap" processing={state.status === 'converting'}>
          {state.status === 'unknown' ? wallets.tryAgain : wallets.convert}
        </Button>
      </div>
    </form>
  )
}

function ConversionNote({ state }: { state: ConversionState }) {
  if (state.status === 'converting' && state.isRetry) return <Note live>{wallets.retrying}</Note>
  if (state.status === 'unknown') return <Note tone="error">{wallets.unknownOutcome}</Note>
  if (state.status !== 'failed') return null
  return (
    <Note tone="error">
      <b>{wallets.conversionFailed}</b> {state.detail}
    </Note>
  )
}
