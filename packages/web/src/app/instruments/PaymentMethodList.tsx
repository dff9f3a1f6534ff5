import type { BankAccount, SavedCard } from '@tern/contract/banking'
import type { CurrencyCode } from '@tern/money/currency'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { shell } from '#messages/shell.ts'
import { hasExpired } from './payment-methods.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { FieldError } from '../../ui/forms/Field.tsx'
import { NamedItem } from '../../ui/layout/NamedItem.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { RadioList } from '../../ui/forms/RadioList.tsx'
import { ChoicesSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { Switch } from '../../ui/forms/Switch.tsx'

const twoDigits = (number: number) => String(number).padStart(2, '0')

const newCard = 'new'

interface CardListProps {
  cards: readonly SavedCard[]
  /** Id of a saved card; undefined for a new one. */
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
  /** Saves a new card for later payments; undefined if new cards cannot be saved. */
  keepsCard: boolean | undefined
  onKeep: (keepsCard: boolean) => void
}

/** One of the saved cards, or a new one with the option to save it. Expired cards are disabled. */
export function CardList({ cards, chosen, onChoose, keepsCard, onKeep }: CardListProps) {
  const now = new Date()
  return (
    <div className="grid gap-2">
      {cards.length > 0 && (
        <RadioList
          legend={texts.card}
          choices={[
            ...cards.map((card) => ({
              value: card.id,
              label: (
                <NamedItem
                  className="py-1"
                  name={texts.cardEnding(card.brand, card.last4)}
                  details={
                    hasExpired(card, now)
                      ? texts.expired
                      : texts.expires(twoDigits(card.exp_month), twoDigits(card.exp_year % 100))
                  }
                />
              ),
              disabled: hasExpired(card, now),
            })),
            { value: newCard, label: texts.newCard },
          ]}
          value={chosen ?? newCard}
          onChange={(value) => onChoose(value === newCard ? undefined : value)}
        />
      )}
      {chosen === undefined && (
        <div>
          <p className="small muted">{texts.newCardHint}</p>
          {keepsCard !== undefined && (
            <Switch checked={keepsCard} onChange={(event) => onKeep(event.target.checked)}>
              {texts.saveCard}
            </Switch>
          )}
        </div>
      )}
    </div>
  )
}

interface BankAccountListProps {
  accounts: readonly BankAccount[]
  /** Accounts in another currency are disabled. */
  currency: CurrencyCode
  chosen: string | undefined
  onChoose: (id: string) => void
  /** Undefined if the form's own button starts linking. */
  onLink: (() => void) | undefined
  isLinking: boolean
  /** Error of the choice, or the reason why linking did not start. */
  error?: string | undefined
}

/** One of the linked bank accounts, with a button to link another. */
export function BankAccountList(props: BankAccountListProps) {
  const { accounts, currency, chosen, onChoose, onLink, isLinking, error } = props
  const hasOtherCurrency = accounts.some((account) => account.currency !== currency)
  return (
    <div className="grid gap-3">
      {accounts.length > 0 ? (
        <RadioList
          legend={texts.bankAccount}
          choices={accounts.map((account) => ({
            value: account.id,
            label: <NamedItem className="py-1" name={account.bank_name} details={texts.accountEnding(account.last4)} />,
            end: account.currency,
            disabled: account.currency !== currency,
          }))}
          value={chosen ?? ''}
          onChange={onChoose}
          hint={hasOtherCurrency ? texts.otherCurrencies(currency) : undefined}
        />
      ) : (
        <div>
          <p className="field-label">{texts.bankAccount}</p>
          {!error && <p className="small muted">{texts.selectAccount}</p>}
        </div>
      )}
      {error && (
        <div role="alert">
          <FieldError>{error}</FieldError>
        </div>
      )}
      {onLink && (
        <Button
          icon="plus"
          className="justify-self-start"
          processing={isLinking}
          data-missing={error ? '' : undefined}
          onClick={onLink}
        >
          {texts.linkAccount}
        </Button>
      )}
    </div>
  )
}

/** Placeholder for cards or bank accounts that are loading or failed to load. */
export function PaymentMethodsPlaceholder({ onRetry }: { onRetry: (() => void) | undefined }) {
  if (onRetry) {
    return (
      <Note tone="error">
        {texts.failed}
        <Button look="ghost" className="-mb-2 -ms-3 block" onClick={onRetry}>
          {shell.tryAgain}
        </Button>
      </Note>
    )
  }
  return (
    <div className="grid gap-2" role="status" aria-busy="true" aria-label={shell.loading}>
      <ChoicesSkeleton />
    </div>
  )
}
