import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BankAccount } from '@tern/contract/banking'
import type { CurrentUser } from '@tern/contract/identity'
import { useEffect } from 'react'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { bankLinkQuery, paymentMethodsQuery } from '../../app/instruments/payment-methods.ts'
import type { FormSignIn } from './receipt/arrival.ts'
import { Note } from '../../ui/feedback/Note.tsx'

interface LinkNoteProps {
  user: CurrentUser
  link: NonNullable<FormSignIn['link']>
  onLinked: (account: BankAccount) => void
}

/** What became of linking a bank account, by the server's word, and the account at once among the others. */
export function LinkNote({ user, link, onLinked }: LinkNoteProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery({ ...bankLinkQuery(link.id ?? ''), enabled: link.id !== undefined })
  const account = data?.bank_account ?? undefined
  // As long as the server does not know better, somebody who gave it up has done so.
  const status = link.isCanceled && (!data || data.status === 'pending') ? 'canceled' : data?.status
  useEffect(() => {
    if (!account) return
    void queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(user.id).queryKey })
    onLinked(account)
    // Once for each account; the handler is another one on every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [account?.id, queryClient, user.id])
  if (!status) return null
  const isBad = status === 'failed'
  const text = {
    linked: texts.linked,
    canceled: texts.linkCanceled,
    pending: texts.linkPending,
    failed: texts.linkFailed,
  }
  return (
    <div className="mt-6 max-w-140">
      <Note tone={isBad ? 'error' : 'info'} live>
        {text[status]}
      </Note>
    </div>
  )
}
