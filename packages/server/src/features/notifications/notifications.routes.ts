import {
  notificationGroups,
  notifications as listNotifications,
  readNotification,
  readNotifications,
  unreadNotifications,
} from '@tern/contract/notifications/notifications'
import { mailChoices, setMailChoices } from '@tern/contract/notifications/mail-choices'
import type { FastifyInstance } from 'fastify'
import { serve, serveReading } from '../../platform/http/serve.ts'
import type { Notifications } from './notifications.ts'

/** Registers `/notifications` and `/user/mail-choices`, for the caller's own data. */
export function notificationsRoutes(
  app: FastifyInstance,
  notifications: Pick<
    Notifications,
    'list' | 'groups' | 'unreadCount' | 'read' | 'readUpTo' | 'mailChoices' | 'setMailChoices'
  >,
): void {
  serveReading(app, listNotifications, ({ caller, query, db }) =>
    notifications.list(db, { ...query, userId: caller.userId }),
  )

  serveReading(app, notificationGroups, ({ caller, query, db }) =>
    notifications.groups(db, { ...query, userId: caller.userId }),
  )

  serveReading(app, unreadNotifications, async ({ caller, db }) => ({
    unread: await notifications.unreadCount(db, caller.userId),
  }))

  serve(app, readNotification, ({ caller, params }) => notifications.read({ userId: caller.userId, id: params.id }))

  serve(app, readNotifications, ({ caller, body }) => notifications.readUpTo({ userId: caller.userId, id: body.up_to }))

  serve(app, mailChoices, ({ caller }) => notifications.mailChoices(caller.userId))

  serve(app, setMailChoices, ({ caller, body }) => notifications.setMailChoices({ ...body, userId: caller.userId }))
}
