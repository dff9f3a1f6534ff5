import { useQuery, useQueryClient } from '@tanstack/react-query'
import { bankLinkStatus } from '@tern/contract/banking'
import { Refused } from '@tern/contract/protocol/client'
import { type ReactNode, useEffect } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { statusQuery } from '../orders/status.ts'
import { callApi } from '../session/session.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { paymentMethodsQuery } from './payment-methods.ts'
import type { ProviderReturn } from '../provider-page.ts'

/** Whether a bank account was linked. */
const bankLinkQuery = (linkId: string) =>
  statusQuery(
    ['bank-link', linkId],
    (signal) => callApi(bankLinkStatus, { params: { id: linkId } }, signal),
    ({ status }) => status === 'pending',
  )

interface LinkNoteProps {
  userId: number
  link: NonNullable<ProviderReturn['link']>
  /** Called with the account's id once the server says that it is linked. */
  onLinked?: ((accountId: string) => void) | undefined
  /** Where it stands; above a form unless given. */
  className?: string | undefined
}

/** Whether a bank account was linked, as the server says. */
export default function LinkNote(props: LinkNoteProps) {
  const { userId, onLinked, className = 'mt-6 max-w-140' } = props
  const { id, isCanceled } = props.link
  const queryClient = useQueryClient()
  const { data, error } = useQuery({ ...bankLinkQuery(id ?? ''), enabled: id !== undefined })
  const status = data?.status
  const accountId = data?.bank_account?.id
  useEffect(() => {
    if (status !== 'linked') return
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(userId).queryKey })
    if (accountId !== undefined) onLinked?.(accountId)
    // Once for each linked account; the handler is a new one in every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status, accountId])
  const say = (text: ReactNode, tone?: 'error') => (
    <div className={className}>
      <Note live tone={tone}>
        {text}
      </Note>
    </div>
  )
  if (status === 'linked') return say(<b>{texts.linked}</b>)
  if (status === 'failed') return say(texts.linkFailed, 'error')
  // The address counts only where the server has nothing else to say.
  if (status === 'canceled' || (isCanceled && (status === 'pending' || error || id === undefined))) {
    return say(<b>{texts.linkCanceled}</b>)
  }
  const isForeign = error instanceof Refused && error.status < 500
  return (status === 'pending' || (error && !isForeign)) && say(texts.linkPending)
}
