import { unreadNotifications } from '@tern/contract/notifications/notifications'
import { buildQuery } from '../session/query.ts'

/** Count in the bell, kept current by the event stream. */
export const unreadQuery = (userId: number) => buildQuery(['notifications', userId], unreadNotifications, {})
