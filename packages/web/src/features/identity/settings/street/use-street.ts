import { useQueryClient } from '@tanstack/react-query'
import { type StreetMode, streetMode } from '@tern/contract/transfers/street-mode'
import { street as texts } from '#messages/transfers/street.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { type NotConfirmed, notConfirmed } from '../../../../app/step-up/step-up.ts'
import { useAction } from '../../../../app/use-action.ts'
import { useToast } from '../../../../ui/feedback/Toast.tsx'

export const streetQuery = (userId: number) => buildQuery(['street-mode', userId], streetMode, {})

/** Changes street mode, shows the server's reply and a toast with `describeMode(reply)`. */
export function useStreet(userId: number) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useAction({ failed: texts.failed })
  const change = (call: () => Promise<StreetMode | NotConfirmed>, describeMode: (mode: StreetMode) => string) =>
    action.run(async () => {
      const mode = await call()
      if (mode === notConfirmed) return toast(texts.notConfirmed, 'info')
      queryClient.setQueryData(streetQuery(userId).queryKey, mode)
      toast(describeMode(mode))
    })
  return { change, isBusy: action.isBusy, error: action.error }
}
