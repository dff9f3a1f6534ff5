import { useQuery } from '@tanstack/react-query'
import type { BankAccount, SavedCard } from '@tern/contract/banking'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense, useRef, useState } from 'react'
import { methods as texts } from '#messages/methods.ts'
import { paths } from '../../../app/paths.ts'
import { accountName, cardName, hasExpired, paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { type ProviderReturn, useProviderReturn } from '../../../app/provider-page.ts'
import { useUser } from '../../../app/session/session.ts'
import { useBankLink } from '../../../app/instruments/use-bank-link.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Entry, EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { type Method, useMethods } from './use-methods.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const LinkNote = lazyComponent(() => import('../../../app/instruments/LinkNote.tsx'), 'LinkNote')
const ConfirmDialog = lazyComponent(() => import('../../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

export default function PaymentMethods() {
  const user = useUser()
  const providerReturn = useProviderReturn(paths.connectionSettings)
  return user && <UserMethods user={user} link={providerReturn?.link} />
}

function UserMethods({ user, link }: { user: CurrentUser; link: ProviderReturn['link'] }) {
  const methods = useQuery(paymentMethodsQuery(user.id))
  const { data } = methods
  const all = useRef<HTMLDivElement>(null)
  // The pressed button is removed with its row. Focus moves only if it was lost or is in this section.
  const actions = useMethods(user.id, () => {
    const focusedElement = document.activeElement
    if (focusedElement === document.body || all.current?.contains(focusedElement))
      all.current?.focus({ preventScroll: true })
  })
  const [methodToRemove, setMethodToRemove] = useState<Method>()
  const rest = { isBusy: actions.isBusy, onDefault: actions.choose, onRemove: setMethodToRemove }
  const placeholder = <DataShell query={methods} skeleton={<EntrySkeleton />} failed={texts.loadFailed} />
  return (
    <div className="outline-none" ref={all} tabIndex={-1}>
      <RuledSection title={texts.cardsTitle} text={texts.cardsText}>
        {actions.error && <Note tone="error">{actions.error}</Note>}
        {data ? <Rows rows={data.cards.map(cardRow)} empty={texts.noCards} {...rest} /> : placeholder}
        {data?.cards.length === 0 && (
          <div>
            <LinkButton icon="deposit" to={paths.deposit}>
              {texts.addFunds}
            </LinkButton>
          </div>
        )}
      </RuledSection>
      <RuledSection title={texts.accountsTitle} text={texts.accountsText}>
        {link && (
          <div ref={scrollIntoSight}>
            <Suspense>
              <LinkNote userId={user.id} link={link} />
            </Suspense>
          </div>
        )}
        {data ? <Rows rows={data.bank_accounts.map(accountRow)} empty={texts.noAccounts} {...rest} /> : placeholder}
        {data && <LinkAccount user={user} />}
      </RuledSection>
      {methodToRemove && (
        <Suspense>
          <ConfirmDialog
            title={texts.removeTitle(methodToRemove.name)}
            text={methodToRemove.kind === 'card' ? texts.removeCardText : texts.removeAccountText}
            action={texts.remove}
            cancel={texts.cancel}
            onConfirm={() => {
              setMethodToRemove(undefined)
              actions.remove(methodToRemove)
            }}
            onClose={() => setMethodToRemove(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Scrolls to the result of linking an account, which is far down the page. */
function scrollIntoSight(place: HTMLElement | null): void {
  place?.scrollIntoView({ block: 'center' })
}

interface RowActions {
  isBusy: boolean
  onDefault: (method: Method) => void
  onRemove: (method: Method) => void
}

interface Row {
  method: Method
  facts: readonly string[]
  isDefault: boolean
  canBeDefault: boolean
}

function cardRow(card: SavedCard): Row {
  const isExpired = hasExpired(card, new Date())
  const month = `${String(card.exp_month).padStart(2, '0')}/${card.exp_year}`
  return {
    method: { kind: 'card', id: card.id, name: cardName(card) },
    facts: [isExpired ? texts.expired : texts.expires(month), texts.saved(formatDate(card.saved_at))],
    isDefault: card.is_default,
    canBeDefault: !isExpired,
  }
}

const accountRow = (account: BankAccount): Row => ({
  method: { kind: 'account', id: account.id, name: accountName(account) },
  facts: [account.currency, texts.linkedOn(formatDate(account.linked_at))],
  isDefault: account.is_default,
  canBeDefault: true,
})

function Rows({ rows, empty, ...actions }: RowActions & { rows: readonly Row[]; empty: string }) {
  if (rows.length === 0) return <p className="muted">{empty}</p>
  return (
    <ul className="[&>li+li]:mt-4 [&>li+li]:pt-4 [&>li+li]:border-t">
      {rows.map((row) => (
        <li key={row.method.id}>
          <MethodRow {...row} {...actions} />
        </li>
      ))}
    </ul>
  )
}

/** Replaces spaces by non-breaking ones, so that a fact stays on one line. */
const addNonBreaking = (fact: string): string => fact.replaceAll(' ', '\u00A0')

function MethodRow({ method, facts, isDefault, canBeDefault, isBusy, onDefault, onRemove }: Row & RowActions) {
  return (
    <Entry title={method.name} text={facts.map(addNonBreaking).join(' · ')}>
      {isDefault && (
        <span className="row px-3">
          <StatusBadge state="good">{texts.isDefault}</StatusBadge>
        </span>
      )}
      {!isDefault && canBeDefault && (
        <Button
          look="ghost"
          aria-label={texts.makeDefaultOf(method.name)}
          disabled={isBusy}
          onClick={() => onDefault(method)}
        >
          {texts.makeDefault}
        </Button>
      )}
      <Button look="ghost" aria-label={texts.removeOf(method.name)} disabled={isBusy} onClick={() => onRemove(method)}>
        {texts.remove}
      </Button>
    </Entry>
  )
}

function LinkAccount({ user }: { user: CurrentUser }) {
  const { link, isRedirecting, problem } = useBankLink('settings')
  if (user.kyc_status !== 'verified') return <p className="small muted">{texts.verifyFirst}</p>
  return (
    <>
      {problem && <Note tone="error">{problem}</Note>}
      <div>
        <Button icon="plus" processing={isRedirecting} onClick={link}>
          {texts.linkAccount}
        </Button>
      </div>
    </>
  )
}
