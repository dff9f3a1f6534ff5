import {
  notificationGroups,
  notifications as listNotifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import { mailChoices, setMailChoices } from '@tern/contract/notifications/mail-choices'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../platform/http/serve.ts'
import type { Notifications } from './notifications.ts'

/** `/notifications` and `/user/mail-choices`: the caller's own and nobody else's. */
export function notificationsRoutes(
  app: FastifyInstance,
  notifications: Pick<
    Notifications,
    'list' | 'groups' | 'unreadCount' | 'read' | 'readUpTo' | 'mailChoices' | 'setMailChoices'
  >,
): void {
  serve(app, listNotifications, ({ caller, query }) => notifications.list(caller.userId, query))

  serve(app, notificationGroups, ({ caller, query }) => notifications.groups(caller.userId, query.cursor))

  serve(app, unreadNotifications, async ({ caller }) => ({ unread: await notifications.unreadCount(caller.userId) }))

  serve(app, readNotification, ({ caller, params }) => notifications.read(caller.userId, params.id))

  serve(app, readNotifications, ({ caller, body }) => notifications.readUpTo(caller.userId, body.up_to))

  serve(app, mailChoices, ({ caller }) => notifications.mailChoices(caller.userId))

  serve(app, setMailChoices, ({ caller, body }) => notifications.setMailChoices(caller.userId, body))
}
