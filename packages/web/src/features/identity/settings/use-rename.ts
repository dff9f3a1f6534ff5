import { useQueryClient } from '@tanstack/react-query'
import { renamePasskey } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { sentenceOf } from '../errors.ts'

/** Giving a passkey another name: whether its form is open, and what became of the last try. */
export function useRename(id: string) {
  const queryClient = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const { run, isBusy, error } = useAction({ sentenceOf: (cause) => sentenceOf(cause, account.failed) })
  return {
    isOpen,
    open: () => setIsOpen(true),
    close: () => setIsOpen(false),
    isBusy,
    error,
    save: (name: string) =>
      run(async () => {
        await callApi(renamePasskey, { params: { id }, body: { name } })
        await queryClient.invalidateQueries({ queryKey: ['security'] })
        setIsOpen(false)
      }),
  }
}
