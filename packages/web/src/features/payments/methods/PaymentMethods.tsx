import { useQuery } from '@tanstack/react-query'
import type { BankAccount, paymentMethods, SavedCard } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrentUser } from '@tern/contract/identity'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { methods as texts } from '#messages/methods.ts'
import { paths } from '../../../app/paths.ts'
import { accountName, cardName, hasExpired, paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { type ProviderReturn, useProviderReturn } from '../../../app/provider-page.ts'
import { useUser } from '../../../app/session/session.ts'
import { useBankLink } from '../../../app/instruments/use-bank-link.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Entry, EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { type Method, useMethods } from './use-methods.ts'

const LinkNote = lazy(async () => ({ default: (await import('../../../app/instruments/LinkNote.tsx')).LinkNote }))
const ConfirmDialog = lazy(async () => ({
  default: (await import('../../../ui/layout/ConfirmDialog.tsx')).ConfirmDialog,
}))

/** The part of the settings about what the person pays with, and where their money goes. */
export default function PaymentMethods() {
  const user = useUser()
  const returned = useProviderReturn(paths.settings)
  if (!user) return null
  return <OfUser user={user} link={returned?.link} />
}

function OfUser({ user, link }: { user: CurrentUser; link: ProviderReturn['link'] }) {
  const { data, isError, refetch } = useQuery(paymentMethodsQuery(user.id))
  const all = useRef<HTMLDivElement>(null)
  // The button that asked is gone with its row. Whoever is somewhere else by now stays there.
  const actions = useMethods(user.id, () => {
    const focused = document.activeElement
    if (focused === document.body || all.current?.contains(focused)) all.current?.focus({ preventScroll: true })
  })
  const [asked, setAsked] = useState<Method>()
  const rest = { isBusy: actions.isBusy, onDefault: actions.choose, onRemove: setAsked }
  const place = (part: (found: Reply<typeof paymentMethods>) => ReactNode) => {
    if (data) return part(data)
    return isError ? <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} /> : <EntrySkeleton />
  }
  return (
    <div className="outline-none" ref={all} tabIndex={-1}>
      <RuledSection title={texts.cardsTitle} text={texts.cardsText}>
        {actions.error && <Note tone="error">{actions.error}</Note>}
        {place(({ cards }) => (
          <Cards cards={cards} {...rest} />
        ))}
      </RuledSection>
      <RuledSection title={texts.accountsTitle} text={texts.accountsText}>
        {link && <ReturnedLink userId={user.id} link={link} />}
        {place(({ bank_accounts: accounts }) => (
          <Accounts user={user} accounts={accounts} {...rest} />
        ))}
      </RuledSection>
      {asked && (
        <Suspense>
          <ConfirmDialog
            title={texts.removeTitle(asked.name)}
            text={asked.kind === 'card' ? texts.removeCardText : texts.removeAccountText}
            action={texts.remove}
            cancel={texts.cancel}
            onConfirm={() => {
              setAsked(undefined)
              actions.remove(asked)
            }}
            onClose={() => setAsked(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** What became of linking an account, brought into sight: it stands far down the page that the browser comes back to. */
function ReturnedLink({ userId, link }: { userId: number; link: NonNullable<ProviderReturn['link']> }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.scrollIntoView({ block: 'center' }), [])
  return (
    <div ref={place}>
      <Suspense>
        <LinkNote userId={userId} link={link} className="" />
      </Suspense>
    </div>
  )
}

interface RowActions {
  isBusy: boolean
  onDefault: (method: Method) => void
  onRemove: (method: Method) => void
}

function Cards({ cards, ...actions }: RowActions & { cards: readonly SavedCard[] }) {
  if (cards.length === 0) {
    return (
      <>
        <p className="muted">{texts.noCards}</p>
        <div>
          <LinkButton icon="deposit" to={paths.deposit}>
            {texts.addFunds}
          </LinkButton>
        </div>
      </>
    )
  }
  const now = new Date()
  return (
    <ul className="entry-list">
      {cards.map((card) => {
        const isOver = hasExpired(card, now)
        const facts = [
          isOver ? texts.expired : texts.expires(`${String(card.exp_month).padStart(2, '0')}/${card.exp_year}`),
          texts.saved(formatDate(card.saved_at)),
        ]
        const method = { kind: 'card', id: card.id, name: cardName(card) } as const
        return (
          <li key={card.id}>
            <MethodRow method={method} facts={facts} isDefault={card.is_default} mayBeDefault={!isOver} {...actions} />
          </li>
        )
      })}
    </ul>
  )
}

function Accounts(props: RowActions & { user: CurrentUser; accounts: readonly BankAccount[] }) {
  const { user, accounts, ...actions } = props
  const { link, isLeaving, problem } = useBankLink('settings')
  const isVerified = user.kyc_status === 'verified'
  return (
    <>
      {accounts.length === 0 && <p className="muted">{texts.noAccounts}</p>}
      {accounts.length > 0 && (
        <ul className="entry-list">
          {accounts.map((account) => (
            <li key={account.id}>
              <MethodRow
                method={{ kind: 'account', id: account.id, name: accountName(account) }}
                facts={[account.currency, texts.linkedOn(formatDate(account.linked_at))]}
                isDefault={account.is_default}
                mayBeDefault
                {...actions}
              />
            </li>
          ))}
        </ul>
      )}
      {problem && <Note tone="error">{problem}</Note>}
      {isVerified ? (
        <div>
          <Button icon="plus" processing={isLeaving} onClick={link}>
            {texts.linkAccount}
          </Button>
        </div>
      ) : (
        <p className="small muted">{texts.verifyFirst}</p>
      )}
    </>
  )
}

/** A fact that is not torn apart at the end of a line. */
const unbroken = (fact: string): string => fact.replaceAll(' ', '\u00A0')

interface MethodRowProps extends RowActions {
  method: Method
  facts: readonly string[]
  isDefault: boolean
  mayBeDefault: boolean
}

function MethodRow({ method, facts, isDefault, mayBeDefault, isBusy, onDefault, onRemove }: MethodRowProps) {
  return (
    <Entry title={method.name} text={facts.map(unbroken).join(' · ')}>
      {isDefault ? (
        <span className="row px-3">
          <StatusBadge state="good">{texts.isDefault}</StatusBadge>
        </span>
      ) : (
        mayBeDefault && (
          <Button
            look="ghost"
            aria-label={texts.makeDefaultOf(method.name)}
            disabled={isBusy}
            onClick={() => onDefault(method)}
          >
            {texts.makeDefault}
          </Button>
        )
      )}
      <Button look="ghost" aria-label={texts.removeOf(method.name)} disabled={isBusy} onClick={() => onRemove(method)}>
        {texts.remove}
      </Button>
    </Entry>
  )
}
