import { unreadNotifications } from '@tern/contract/notifications/notifications'
import { queryOf } from '../session/query.ts'

/** Count in the bell. The event stream keeps it current. */
export const unreadQuery = (userId: number) => queryOf(['notifications', userId], unreadNotifications, {})
