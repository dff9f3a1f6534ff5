import { useQuery, useQueryClient } from '@tanstack/react-query'
import { bankLinkStatus, finishBankLink, paymentMethods } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import { type ReactNode, Suspense, useEffect } from 'react'
import { payee } from '#messages/payee.ts'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { useStatus } from '../use-status.ts'
import { callApi } from '../session/session.ts'
import { supportSentence } from '../support/support.ts'
import { SupportText } from '../support/SupportText.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { paymentMethodsQuery } from './payment-methods.ts'
import type { ProviderReturn } from '../provider-page.ts'

const LinkedPayee = lazyComponent(() => import('./LinkedPayee.tsx'), 'LinkedPayee')

interface LinkNoteProps {
  userId: number
  link: NonNullable<ProviderReturn['link']>
  /** Receives the account's id once the server confirms the link. */
  onLinked?: ((accountId: string) => void) | undefined
  /** The page itself tells what the bank says about the name on the account. */
  tellsPayee?: boolean | undefined
  /** Defaults to a top margin and a maximum width. */
  className?: string | undefined
}

/** Without a link id in the return address, an account linked within this time counts as the one just linked. */
const recentMs = 15 * 60_000

/** Status of the bank account linked last, if within `recentMs`; otherwise `unknown`. */
async function fetchNewestLink(signal: AbortSignal) {
  const { bank_accounts: accounts } = await callApi(paymentMethods, {}, signal)
  const [found] = accounts
    .filter(({ linked_at: linkedAt }) => Date.now() - Date.parse(linkedAt) < recentMs)
    .toSorted((a, b) => Date.parse(b.linked_at) - Date.parse(a.linked_at))
  return { status: found ? ('linked' as const) : ('unknown' as const), bank_account: found ?? null, reason: null }
}

/** Outcome of linking a bank account, as the server reports it. */
export function LinkNote(props: LinkNoteProps) {
  const { userId, onLinked, tellsPayee = false, className = 'mt-6 max-w-140' } = props
  const { id, isCanceled, secret } = props.link
  const queryClient = useQueryClient()
  const finishQuery = useQuery({
    queryKey: ['bank-link-return', id, secret],
    enabled: id !== undefined && secret !== undefined,
    queryFn: ({ signal }) =>
      callApi(finishBankLink, { params: { id: id ?? '' }, body: { secret: secret ?? '' } }, signal),
    staleTime: Infinity,
    retry: (_, error) => !(error instanceof Refused),
  })
  const { answer, found } = useStatus({
    key: ['bank-link', id ?? 'newest'],
    enabled: id === undefined ? !isCanceled : secret === undefined || finishQuery.isFetched,
    fetchStatus: async (signal) =>
      id === undefined ? fetchNewestLink(signal) : callApi(bankLinkStatus, { params: { id } }, signal),
    isOpen: (link) => link.status === 'pending',
  })
  const status = found?.status
  const accountId = found?.bank_account?.id
  useEffect(() => {
    if (status !== 'linked') return
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(userId).queryKey })
    if (accountId !== undefined) onLinked?.(accountId)
    // Once per linked account; the handler changes with every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status, accountId])
  const renderNote = (text: ReactNode, tone?: 'error', after?: ReactNode) => (
    <div className={className}>
      <Note live tone={tone}>
        {text}
      </Note>
      {after}
    </div>
  )
  if (status === 'linked') {
    const linkedPayee = accountId !== undefined && !tellsPayee && (
      <Suspense>
        <LinkedPayee userId={userId} accountId={accountId} />
      </Suspense>
    )
    return renderNote(<b>{texts.linked}</b>, undefined, linkedPayee)
  }
  if (finishQuery.error instanceof Refused && status === 'pending')
    return renderNote(finishQuery.error.message, 'error')
  if (status === 'failed') {
    if (found?.reason === 'linked_already') return renderNote(payee.linkedAlready, 'error')
    const text = found?.reason === 'holder_differs' ? supportSentence(texts.linkHolderDiffers) : texts.linkFailed
    return renderNote(<SupportText text={text} />, 'error')
  }
  // A cancellation in the address counts only if the server reports no other outcome.
  if (status === 'canceled' || (isCanceled && (answer || id === undefined)))
    return renderNote(<b>{texts.linkCanceled}</b>)
  if (status === 'pending' || answer === 'unreachable') return renderNote(texts.linkPending)
  return answer && renderNote(texts.linkUnknown)
}
