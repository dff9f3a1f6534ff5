import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { type NotConfirmed, notConfirmed } from '../../app/step-up/step-up.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { sentenceOf } from './errors.ts'

/**
 * One action by a button, such as removing a passkey. `run` carries it out, says what `work` gives (or that it was not
 * confirmed), and has everything about the account's protection read anew; `error` is why the last try failed.
 */
export function useAction() {
  const toast = useToast()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function run(work: () => Promise<string | undefined | NotConfirmed>): Promise<void> {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      const said = await work()
      if (said === notConfirmed) toast(account.notConfirmed, 'info')
      else if (said) toast(said)
    } catch (error) {
      setError(sentenceOf(error, account.failed))
    } finally {
      setIsBusy(false)
      void queryClient.invalidateQueries({ queryKey: ['security'] })
    }
  }

  return { run: (work: () => Promise<string | undefined | NotConfirmed>) => void run(work), isBusy, error }
}
