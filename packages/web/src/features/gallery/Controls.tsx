import type { BankAccount } from '@tern/contract/banking'
import type { CurrencyCode } from '@tern/money/currency'
import { useState } from 'react'
import { gallery } from '#messages/site/gallery.ts'
import { paymentMethods } from '#messages/payment-methods.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { BankAccountList, CardList, PaymentMethodsPlaceholder } from '../../app/instruments/PaymentMethodList.tsx'
import { RadioList, RadioPills } from '../../ui/forms/RadioList.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'

export function Buttons() {
  return (
    <div className="specimen-row">
      <Button look="primary">{gallery.send}</Button>
      <Button>{gallery.back}</Button>
      <Button look="ghost" iconAfter="next">
        {gallery.viewAll}
      </Button>
      <Button look="primary" processing>
        {gallery.send}
      </Button>
      <Button look="primary" disabled>
        {gallery.disabled}
      </Button>
      <IconButton icon="search" label={gallery.search} />
      <IconButton icon="next" label={gallery.search} disabled />
      <Button look="primary" big icon="send">
        {gallery.send}
      </Button>
    </div>
  )
}

/** Sticky action bars; on phones each stays inside its own frame instead of at the bottom of the window. */
export function ActionBars() {
  const title = gallery.barTitle(formatMoney('47.06', 'EUR'))
  const detail = gallery.barDetail(formatMoney('50.50', 'USD'))
  return (
    <div className="specimens">
      <div className="specimen-bar">
        <ActionBar title={gallery.barMissing}>
          <Button look="primary" big>
            {gallery.send}
          </Button>
        </ActionBar>
      </div>
      <div className="specimen-bar">
        <ActionBar title={title} detail={detail}>
          <Button look="primary" big>
            {gallery.send}
          </Button>
        </ActionBar>
      </div>
      <div className="specimen-bar">
        <ActionBar title={title} detail={detail} isBusy>
          <Button look="primary" big processing>
            {gallery.send}
          </Button>
        </ActionBar>
      </div>
    </div>
  )
}

export function Fields() {
  const [amount, setAmount] = useState('1000')
  const [currency, setCurrency] = useState<CurrencyCode>('USD')
  const countries = gallery.countries.map((label) => ({ value: label, label }))
  return (
    <div className="specimens">
      <TextField label={gallery.email} type="email" placeholder={gallery.emailSample} hint={gallery.emailHint} />
      <TextField label={gallery.recipient} icon="search" defaultValue="ines.okafor" error={gallery.recipientError} />
      <TextField label={gallery.description} optional disabled />
      <PasswordField label={gallery.password} autoComplete="off" defaultValue="correct horse" />
      <SelectField label={gallery.country} choices={countries} placeholder={gallery.chooseCountry} />
      <MoneyField
        label={gallery.amount}
        value={amount}
        onValueChange={setAmount}
        currency={currency}
        currencies={['USD', 'EUR', 'JPY']}
        onCurrencyChange={setCurrency}
        hint={gallery.balanceHint(formatMoney('12480.56', 'USD'))}
      />
      <MoneyField
        label={gallery.amount}
        value=""
        onValueChange={setAmount}
        currency="USDT"
        error={gallery.amountError}
      />
    </div>
  )
}

export function Choices() {
  const [method, setMethod] = useState('wallet')
  const [range, setRange] = useState('0')
  const ranges = gallery.ranges.map((label, index) => ({ value: String(index), label }))
  return (
    <div className="specimens">
      <Steps steps={gallery.steps} current={1} />
      <div>
        <Switch>{gallery.asCrypto}</Switch>
        <Switch defaultChecked>{gallery.alertMe}</Switch>
        <Switch disabled>{gallery.disabled}</Switch>
      </div>
      <RadioList
        legend={gallery.paymentMethod}
        value={method}
        onChange={setMethod}
        choices={[
          { value: 'wallet', label: gallery.wallet, end: formatMoney('12480.56', 'USD') },
          { value: 'card', label: gallery.card },
          { value: 'combined', label: gallery.combined, disabled: true },
        ]}
        hint={gallery.combinedHint}
      />
      <MethodLists />
      <RadioPills legend={gallery.dateRange} value={range} onChange={setRange} choices={ranges} />
      <Segmented label={gallery.range} value={range} onChange={setRange} choices={ranges} />
    </div>
  )
}

const savedOn = '2026-11-20T09:15:00.000Z'
const cards = [
  { id: 'one', brand: 'Visa', last4: '4242', exp_month: 12, exp_year: 2039, is_default: true, saved_at: savedOn },
  { id: 'two', brand: 'Mastercard', last4: '5454', exp_month: 8, exp_year: 2025, is_default: false, saved_at: savedOn },
]
const account = { last4: '6789', linked_at: savedOn, country: 'US', is_default: false }
const accounts: readonly BankAccount[] = [
  { ...account, id: 'one', bank_name: 'Harbour Bank', currency: 'USD' },
  { ...account, id: 'two', bank_name: 'Undertow Bank', currency: 'EUR' },
]

function MethodLists() {
  const [card, setCard] = useState<string | undefined>('one')
  const [isSaved, setIsSaved] = useState(true)
  const [chosen, setChosen] = useState('one')
  const noop = () => undefined
  return (
    <>
      <CardList cards={cards} chosen={card} onChoose={setCard} keepsCard={isSaved} onKeep={setIsSaved} />
      <CardList cards={[]} chosen={undefined} onChoose={noop} keepsCard={isSaved} onKeep={setIsSaved} />
      <CardList cards={[]} chosen={undefined} onChoose={noop} keepsCard={undefined} onKeep={noop} />
      <BankAccountList
        accounts={accounts}
        currency="USD"
        chosen={chosen}
        onChoose={setChosen}
        onLink={noop}
        isLinking={false}
      />
      <BankAccountList
        accounts={[]}
        currency="USD"
        chosen={undefined}
        onChoose={noop}
        onLink={noop}
        isLinking
        error={paymentMethods.selectAccount}
      />
      <PaymentMethodsPlaceholder onRetry={undefined} />
      <PaymentMethodsPlaceholder onRetry={noop} />
    </>
  )
}
