import { listSessions, securityOverview } from '@tern/contract/security'
import { queryOf } from '../../app/session/query.ts'

export const securityQuery = (userId: number) => queryOf(['security', userId], securityOverview, {})

export const sessionsQuery = (userId: number) => queryOf(['security', userId], listSessions, {})
