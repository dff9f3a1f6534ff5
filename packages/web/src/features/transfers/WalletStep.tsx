import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { type CurrencyCode, isFiatCode } from '@tern/money/currency'
import type { UseFormReturn } from 'react-hook-form'
import { Link } from 'react-router'
import { transfers } from '#messages/transfers.ts'
import { Form } from '../../app/forms/Form.tsx'
import { paths } from '../../app/paths.ts'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { isZero } from '../../ui/format/format.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { NamedItem } from '../../ui/layout/NamedItem.tsx'
import { RadioList } from '../../ui/forms/RadioList.tsx'
import { SendActions } from './SendActions.tsx'
import { walletBar } from './send-bar.ts'
import { findBalance, type SendForm, listSources } from './send-form.ts'

interface WalletStepProps {
  user: CurrentUser
  wallet: Wallet
  form: UseFormReturn<SendForm>
  onNext: () => void
}

const currencyName = (currency: CurrencyCode) =>
  isFiatCode(currency) ? transfers.mainCurrency : transfers.currencyNames[currency]

export function WalletStep({ user, wallet, form, onNext }: WalletStepProps) {
  const sources = listSources(wallet)
  const source = form.watch('source') ?? wallet.base_currency
  const state = walletBar({ isFrozen: user.frozen_at !== null, source, balance: findBalance(wallet, source) })
  const isEmpty = sources.every(({ available }) => isZero(available))
  return (
    <Form className="form-beside" submitCount={0} onSubmit={onNext}>
      <div className="grid gap-6">
        <RadioList
          legend={transfers.yourWallet}
          choices={sources.map(({ currency, available }) => ({
            value: currency,
            label: <NamedItem name={currency} details={currencyName(currency)} className="py-2" />,
            end: <span className="amount text-base text-ink">{formatExact(available, currency)}</span>,
          }))}
          value={source}
          onChange={(source) => form.setValue('source', source)}
        />
        {isEmpty && (
          <Note>
            {transfers.emptyWallet}{' '}
            <Link className="narrow-only" to={paths.deposit}>
              {transfers.addMoney}
            </Link>
          </Note>
        )}
      </div>
      <SendActions state={state}>
        {isEmpty && (
          <LinkButton className="wide-only" look="primary" big icon="deposit" to={paths.deposit}>
            {transfers.addMoney}
          </LinkButton>
        )}
        <Button look={isEmpty ? undefined : 'primary'} big type="submit">
          {transfers.next}
        </Button>
      </SendActions>
    </Form>
  )
}
