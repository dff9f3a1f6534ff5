import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { type ReactNode, useEffect } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { bankLinkQuery, paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import type { Returned } from '../return/use-return.ts'

interface LinkNoteProps {
  userId: number
  link: NonNullable<Returned['link']>
  /** Called with the account's id once the server says that it is linked. */
  onLinked?: ((accountId: string) => void) | undefined
  /** Where it stands; above a form unless given. */
  className?: string | undefined
}

/** What became of linking a bank account, by the server's word and not by the address's. */
export function LinkNote({ userId, link: { id, isCanceled }, onLinked, className = 'mt-6 max-w-140' }: LinkNoteProps) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery({ ...bankLinkQuery(id ?? ''), enabled: id !== undefined })
  const status = data?.status
  const accountId = data?.bank_account?.id
  useEffect(() => {
    if (status !== 'linked') return
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(userId).queryKey })
    if (accountId !== undefined) onLinked?.(accountId)
    // Once for each account that was linked.
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
  // What the address says counts only where the server has nothing else to say.
  if (status === 'canceled' || (isCanceled && (status === 'pending' || error || id === undefined))) {
    return say(<b>{texts.linkCanceled}</b>)
  }
  const isForeign = error instanceof Refused && error.status < 500
  return (status === 'pending' || (error && !isForeign)) && say(texts.linkPending)
}
