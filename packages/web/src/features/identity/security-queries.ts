import { queryOptions } from '@tanstack/react-query'
import { listSessions, securityOverview } from '@tern/contract/security'
import { callApi } from '../../app/session/session.ts'

export const securityQuery = (userId: number) =>
  queryOptions({
    queryKey: ['security', userId, 'overview'],
    queryFn: ({ signal }) => callApi(securityOverview, {}, signal),
  })

export const sessionsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['security', userId, 'sessions'],
    queryFn: ({ signal }) => callApi(listSessions, {}, signal),
  })
