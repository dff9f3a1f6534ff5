import { schedules } from '@tern/contract/schedules/schedules'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { buildQuery } from '../../app/session/query.ts'

export type ScheduledSends = Reply<typeof schedules>

/** The user's schedules, kept current by the event stream. */
export const schedulesQuery = (userId: number) => buildQuery(['schedules', userId], schedules, {})
