import { unreadNotifications } from '@tern/contract/notifications/notifications'
import { buildQuery } from '../session/query.ts'

/** Count in the bell. The event stream keeps it current. */
export const unreadQuery = (userId: number) => buildQuery(['notifications', userId], unreadNotifications, {})
