import { listSessions, securityOverview } from '@tern/contract/security'
import { buildQuery } from '../../app/session/query.ts'

export const securityQuery = (userId: number) => buildQuery(['security', userId], securityOverview, {})

export const sessionsQuery = (userId: number) => buildQuery(['security', userId], listSessions, {})
