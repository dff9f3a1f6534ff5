import { useQueryClient } from '@tanstack/react-query'
import { type Check, checks } from '@tern/contract/compliance/checks'
import { Refused } from '@tern/contract/protocol/client'
import { buildQuery } from '../session/query.ts'
import { useAction } from '../use-action.ts'

/**
 * A person's open checks, then recently closed ones. Keyed as notifications, so that the event stream refetches them:
 * each change is also a notification.
 */
export const checksQuery = (userId: number) => buildQuery(['notifications', userId], checks, {})

/**
 * Sends the person's command about a check; the reply is its new state. `onDone` runs once the page shows that state.
 */
export function useCheckCommand({
  userId,
  otherwise,
  onDone,
}: {
  userId: number
  otherwise: string
  onDone: () => void
}) {
  const queryClient = useQueryClient()
  const { run, isBusy, error } = useAction({
    failed: (cause) => (cause instanceof Refused && cause.message !== '' ? cause.message : otherwise),
  })
  const send = (command: () => Promise<Check>) =>
    run(async () => {
      const changed = await command()
      queryClient.setQueryData(checksQuery(userId).queryKey, (current) =>
        current?.map((check) => (check.id === changed.id ? changed : check)),
      )
      await Promise.all(
        [checksQuery(userId).queryKey, ['held']].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      )
      onDone()
    })
  return { send, isBusy, error }
}
