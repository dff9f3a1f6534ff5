import { useQueryClient } from '@tanstack/react-query'
import { renamePasskey } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callApi } from '../../../app/session/session.ts'
import { sentenceOf } from '../errors.ts'

/** Giving a passkey another name: whether its form is open, and what became of the last try. */
export function useRename(id: string) {
  const queryClient = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function rename(name: string) {
    setIsBusy(true)
    setError(undefined)
    try {
      await callApi(renamePasskey, { params: { id }, body: { name } })
      await queryClient.invalidateQueries({ queryKey: ['security'] })
      setIsOpen(false)
    } catch (error) {
      setError(sentenceOf(error, account.failed))
    } finally {
      setIsBusy(false)
    }
  }

  return {
    isOpen,
    open: () => setIsOpen(true),
    close: () => setIsOpen(false),
    isBusy,
    error,
    save: (name: string) => void rename(name),
  }
}
