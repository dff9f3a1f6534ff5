import { checkPayee, type PayeeCheck } from '@tern/contract/banking'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../session/session.ts'

/** Topic of payee checks, by which they are refetched. */
export const payeeTopic = 'payee'

/** The bank's answer to the question whether an account is in the user's name. */
export const payeeQuery = (userId: number, accountId: string | undefined) =>
  queryOptions({
    queryKey: [payeeTopic, userId, accountId],
    enabled: accountId !== undefined,
    queryFn: ({ signal }) => callApi(checkPayee, { params: { userId: String(userId), id: accountId ?? '' } }, signal),
    // A bank's answer holds for minutes; the server checks it again before money leaves.
    staleTime: 4 * 60_000,
    refetchInterval: ({ state }) => (state.data?.result === 'unknown' ? 15_000 : false),
  })

/** True for an answer that the user has to accept before a withdrawal. */
export const isMismatch = (payee: PayeeCheck | undefined): boolean =>
  payee?.result === 'close_match' || payee?.result === 'no_match'
