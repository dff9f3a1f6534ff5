import {
  notifications as listNotifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../platform/http/serve.ts'
import type { Notices } from './notices.ts'

/** `/notifications`: the caller's own and nobody else's. */
export function notificationsRoutes(
  app: FastifyInstance,
  notifications: Pick<Notices, 'list' | 'unreadCount' | 'read' | 'readUpTo'>,
): void {
  serve(app, listNotifications, ({ caller, query }) => notifications.list(caller.userId, query.cursor))

  serve(app, unreadNotifications, async ({ caller }) => ({ unread: await notifications.unreadCount(caller.userId) }))

  serve(app, readNotification, ({ caller, params }) => notifications.read(caller.userId, params.id))

  serve(app, readNotifications, ({ caller, body }) => notifications.readUpTo(caller.userId, body.up_to))
}
