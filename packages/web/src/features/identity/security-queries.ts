import { queryOptions } from '@tanstack/react-query'
import { listSessions, securityOverview } from '@tern/contract/security'
import { callApi } from '../../app/session/session.ts'

/** How the person's account is protected. */
export const securityQuery = (userId: number) =>
  queryOptions({
    queryKey: ['security', userId, 'overview'],
    queryFn: ({ signal }) => callApi(securityOverview, {}, signal),
  })

/** Where the person is signed in. */
export const sessionsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['security', userId, 'sessions'],
    queryFn: ({ signal }) => callApi(listSessions, {}, signal),
  })
